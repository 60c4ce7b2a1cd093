/** Which call a piece of a tool call belongs to. */

import { NOT_BLANK } from "./text.js";
import { isEnd } from "./wire.js";

/** The calls of one message and choice, in order of appearance. */
export class CallTable {
  #byId = new Map();
  #atIndex = new Map();
  #latest = null;
  #newCall;

  constructor(newCall) {
    this.#newCall = newCall;
    this.calls = [];
  }

  /** Return the call that an update belongs to, a new one if the update begins it. */
  find(update) {
    const id = update.tool_call_id || null;
    const { index } = update;
    let name = update.function_name || null;
    const isBlank = !NOT_BLANK.test(update.function_args ?? "");
    let call = this.#continued(id, index, name, isBlank);
    // the end of a document does not say where the next piece belongs
    if (call !== null && name === null && !update.function_args && endsDocument(update)) return call;
    if (call === null) {
      call = this.#newCall();
      this.calls.push(call);
      if (name === null && id === null && index !== null && this.#atIndex.has(index)) {
        // its name arrived with an empty piece, which seemed to repeat that of the call before
        name = this.#atIndex.get(index).name;
      }
    }
    if (!call.isOpen) return call;
    call.isNamedAgain ||= name !== null && isBlank && call.couldBeComplete();
    if (id !== null) {
      // an id that changes within a call is an alias of the same call
      this.#byId.set(id, call);
      call.id ??= id;
    }
    if (index !== null) {
      this.#atIndex.set(index, call);
      call.index ??= index;
    }
    call.name = name ?? call.name;
    this.#latest = call;
    return call;
  }

  /** Return the call that a piece continues, null if it begins one. */
  #continued(id, index, name, isBlank) {
    let call = (id !== null && this.#byId.get(id)) || null;
    if (call !== null && (call.isOpen || name === null || (isBlank && name === call.name))) return call;
    const latest = this.#latest;
    if (index === null) {
      // where ids are the only mark, another id is another call
      call = id !== null && latest !== null && latest.id !== null ? null : latest;
    } else {
      call = this.#atIndex.get(index) ?? null;
      if (call === null && id === null && name === null && latest !== null && latest.index === null) {
        call = latest;
      }
    }
    if (call === null) return null;
    const isBare = id === null && name === null;
    // a piece without a name after the end of its call is late, and begins no other
    if (!call.isOpen) return isBare ? call : null;
    if (name === null || call.name === null) {
      if (isBare && call.isNamedAgain && !isBlank) return null;
      // nothing says that a call begins, unless an id and a name join one that has its id
      return name !== null && id !== null && call.id !== null ? null : call;
    }
    if (name !== call.name || (id !== null && call.id !== null)) return null;
    // the same name again: repeated with every piece, or a second call of the same tool
    return call.couldBeComplete() && !isBlank ? null : call;
  }

  /** Report whether a call has this id. */
  knows(id) {
    return id !== null && this.#byId.has(id);
  }

  /** Return the call that has this id or, without one, is open at this index; else the latest. */
  named(id, index) {
    if (id !== null && this.#byId.has(id)) return this.#byId.get(id);
    if (index !== null) return this.#atIndex.get(index) ?? null;
    return id === null ? this.#latest : null;
  }

  /** The ids of all calls. */
  get ids() {
    return [...this.#byId.keys()];
  }
}

/** Which choice of each message holds the call of an id: ids are certain, choices are often not stated. */
export class CallPlaces {
  #choices = new Map();

  /** Return the choice that holds the call of this id, else the stated one. */
  choice(id, messageId, stated) {
    return this.#choices.get(id)?.get(messageId) ?? stated;
  }

  /** Return the messages that hold a call of this id, each with the choice. */
  of(id) {
    return this.#choices.get(id) ?? [];
  }

  /** Record the place of the call of this id. */
  add(id, messageId, choice) {
    let found = this.#choices.get(id);
    if (found === undefined) this.#choices.set(id, (found = new Map()));
    if (!found.has(messageId)) found.set(messageId, choice);
  }

  /** Forget the calls of these ids in a message. */
  discard(ids, messageId) {
    for (const id of ids) {
      const found = this.#choices.get(id);
      if (found?.delete(messageId) && found.size === 0) this.#choices.delete(id);
    }
  }
}

const endsDocument = (update) => isEnd(update.json_update_fragments?.at(-1));
