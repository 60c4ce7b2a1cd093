/**
 * Which call a piece of a tool call belongs to. Python's calls/registry.py has the same table, with the
 * streams in which each row was seen; the cases of both are shared. Every choice of every message has calls
 * of its own. Within a choice the first row that applies decides:
 *
 *     index stated, the id known at that index            the call with that id
 *     index stated, a new id with a name, and the call    a new call at that index
 *         there has both
 *     index stated, a new id without a name               the call there
 *     index stated, the id and name repeated              the call there
 *     index stated, no id, the name repeated              the call there, or a new one if its arguments are
 *                                                         complete
 *     index stated, another name                          a new call at that index
 *     index stated for the first time, neither id nor     the latest call if it has no index yet, else a
 *         name                                            new call
 *     index stated for the first time                     a new call
 *     no index, a known id                                the call with that id
 *     no index, another id than the latest call's         a new call
 *     no index, no id                                     the latest call; a repeated name as above
 */

import { NOT_BLANK } from "./text.js";
import { isEnd } from "./wire.js";

/** The calls of one message and choice, in order of appearance. */
export class CallTable {
  // the latest call with an id, and the first of several that share it
  #byId = new Map();
  #first = new Map();
  #atIndex = new Map();
  #latest = null;
  calls = [];

  constructor(message, choice) {
    this.message = message;
    this.choice = choice;
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
      call = this.message.newCall();
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
      if (!this.#first.has(id)) this.#first.set(id, call);
      call.ids.add(id);
      call.id ??= id;
    }
    if (index !== null) {
      this.#atIndex.set(index, call);
      call.indices.add(index);
      call.index ??= index;
    }
    call.name = name ?? call.name;
    this.#latest = call;
    return call;
  }

  /** Return the call that a piece continues, null if it begins one. */
  #continued(id, index, name, isBlank) {
    let call = (id !== null && this.#byId.get(id)) || null;
    // the same id at another index is another call
    if (index !== null && call !== null && call.indices.size > 0 && !call.indices.has(index)) call = null;
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
    const isSameId = id !== null && call.ids.has(id);
    const isNewId = id !== null && call.id !== null && !isSameId;
    if (name === null || call.name === null) {
      if (isBare && call.isNamedAgain && !isBlank) return null;
      // nothing says that a call begins, unless an id and a name join one that has its id
      return name !== null && isNewId ? null : call;
    }
    if (name !== call.name || isNewId) return null;
    // the same name again: repeated with every piece, or a second call of the same tool
    return !isSameId && !isBlank && call.couldBeComplete() ? null : call;
  }

  /** Report whether a call has this id. */
  knows(id) {
    return id !== null && this.#byId.has(id);
  }

  /** Return the call that an end means: by id and index, by id, by index, or the latest. */
  named(id, index) {
    const atIndex = index === null ? null : (this.#atIndex.get(index) ?? null);
    if (id === null) return index === null ? this.#latest : atIndex;
    if (atIndex !== null && atIndex.ids.has(id)) return atIndex;
    return this.#byId.get(id) ?? atIndex;
  }

  /** Return the call that has an id, the first of several. */
  first(id) {
    return this.#first.get(id);
  }

  /** The ids of all calls. */
  get ids() {
    return [...this.#byId.keys()];
  }
}

const endsDocument = (update) => isEnd(update.json_update_fragments?.at(-1));
