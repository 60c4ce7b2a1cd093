/**
 * The events of the form compact as messages. The data of an event is an item or an array of items:
 *
 *     [number, {...}]                  what is known about a call or text; the first such item introduces it
 *     [number, offset, text]           a piece, after the first `offset` characters
 *     [number, offset, text, updates]  a piece of a call whose text is not strict JSON, with its updates
 *
 * Numbers count up from 0 in the order of introduction. docs/wire.md describes the form.
 */

import { checkField, invalidEvent } from "./events.js";
import { countCharacters, isRecord } from "./text.js";

const TEXTS = { __proto__: null, text: "text_delta", refusal: "refusal_delta", reasoning: "reasoning_delta" };
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** Make the message that reports a lost event. */
const lostEvent = (message) => ({ type: "provider_error", error_type: "lost_event", message });

/** Converts the items of one stream into messages; `messageId` is that of items without one. */
export class ItemReader {
  #messageId;
  // the calls and texts that are open, by number; `type` null: the introduction is missing
  #streams = new Map();
  #next = 0;
  #messages = [];

  constructor(messageId = null) {
    this.#messageId = messageId;
  }

  /** Return the messages of an event. */
  read(data) {
    this.#messages = [];
    // a call that this event introduces, or says more about: its first piece is in the same message
    let begun = null;
    const settle = (stream) => {
      if (begun !== null && begun !== stream) this.#addPiece(begun, begun.length, "");
      begun = null;
    };
    for (const item of Array.isArray(data[0]) ? data : [data]) {
      const [number, about, text, updates = null] = Array.isArray(item) && item.length <= 4 ? item : [];
      const stream = this.#streams.get(number) ?? null;
      if (isCount(number) && isRecord(about)) {
        settle(null);
        begun = this.#readAbout(number, stream, about);
      } else if (isCount(number) && isCount(about) && typeof text === "string") {
        settle(stream);
        this.#readPiece(number, stream, about, text, updates);
      } else {
        throw malformed();
      }
    }
    settle(null);
    return this.#messages;
  }

  /** Read what is said about a call or text; return a call if it is new or has other names now. */
  #readAbout(number, known, about) {
    if (known === null) {
      // one that has ended is repeated
      if (number < this.#next) return null;
      if (number > this.#next) this.#reportIntroduction(this.#next);
      const { type = null } = about;
      const stream = this.#introduce(number, type);
      if (type === null) {
        this.#reportIntroduction(number);
        return null;
      }
      if ("message_id" in about) stream.messageId = checkField(about, "message_id");
      stream.choice = checkField(about, "choice") ?? 0;
      stream.isFreeText = checkField(about, "free_text") ?? false;
      stream.kind = checkField(about, "kind");
      return type === "call" ? rename(stream, about) : null;
    }
    // what is repeated, or known to newer versions alone
    if (known.type === null || "type" in about) return null;
    const length = checkField(about, "length") ?? 0;
    const isCall = known.type === "call";
    if (length > known.length) {
      if (isCall) this.#addPiece(known, length, "");
      else this.#reportText();
      known.length = length;
    }
    if (!isCall) return null;
    if (checkField(about, "end")) {
      this.#streams.delete(number);
      const { id: tool_call_id, index } = known;
      const failed = checkField(about, "failed") ?? false;
      this.#messages.push({ type: "tool_call_end", tool_call_id, index, failed, ...placeOf(known) });
      return null;
    }
    return ["id", "index", "name"].some((name) => name in about) ? rename(known, about) : null;
  }

  #introduce(number, type) {
    const stream = {
      type, messageId: this.#messageId, choice: 0, id: null, index: null, name: null, kind: null,
      isFreeText: false, length: 0,
    };
    this.#next = number + 1;
    this.#streams.set(number, stream);
    return stream;
  }

  #readPiece(number, known, offset, text, updates) {
    if (known === null) {
      if (number < this.#next) return;
      this.#reportIntroduction(number);
    }
    const stream = known ?? this.#introduce(number, null);
    const end = offset + countCharacters(text);
    if (stream.type === null || (text !== "" && end <= stream.length)) return;
    if (stream.type === "call") {
      if (updates !== null && !Array.isArray(updates)) {
        throw malformed();
      }
      this.#addPiece(stream, offset, text, updates);
    } else {
      if (offset > stream.length) this.#reportText();
      const rest = offset < stream.length ? [...text].slice(stream.length - offset).join("") : text;
      const type = TEXTS[stream.type];
      // newer versions may have more types
      if (type !== undefined) {
        const kind = stream.kind === null ? {} : { kind: stream.kind };
        this.#messages.push({ type, text: rest, ...kind, ...placeOf(stream) });
      }
    }
    stream.length = end;
  }

  /** Add a piece of a call; only the first one has the name. */
  #addPiece(stream, offset, text, updates = null) {
    const { id, index, name, isFreeText } = stream;
    stream.name = null;
    this.#messages.push({
      type: "tools_call_update", tool_call_id: id, index, function_name: name, function_args: text,
      json_update_fragments: updates, is_free_text: isFreeText, args_offset: offset, ...placeOf(stream),
    });
  }

  #reportIntroduction(number) {
    this.#messages.push(lostEvent(`the introduction of number ${number} is missing`));
  }

  #reportText() {
    this.#messages.push(lostEvent("a piece of the text is missing"));
  }

  /** Continue from a snapshot of the stream, which states the numbers that are in use. */
  restore(numbers, next) {
    this.#streams.clear();
    this.#next = 0;
    for (const item of Array.isArray(numbers) ? numbers : []) {
      const [number, about, length] = Array.isArray(item) ? item : [];
      if (!isCount(number) || !isRecord(about) || !isCount(length)) throw malformed();
      this.#next = number;
      this.#readAbout(number, null, about);
      // the snapshot has the name
      Object.assign(this.#streams.get(number), { name: null, length });
    }
    if (isCount(next)) this.#next = Math.max(this.#next, next);
  }

  /** Forget the calls and texts of a message that has ended. */
  endMessage({ message_id: id = null, choice = null }) {
    for (const [number, stream] of this.#streams) {
      if (stream.messageId === id && (choice === null || choice === stream.choice)) this.#streams.delete(number);
    }
  }
}

const malformed = () => invalidEvent("expected [number, {...}] or [number, offset, text]");
const placeOf = ({ messageId, choice }) => ({ message_id: messageId, choice });

function rename(stream, about) {
  stream.id = checkField(about, "id") ?? stream.id;
  stream.index = checkField(about, "index") ?? stream.index;
  stream.name = checkField(about, "name");
  return stream;
}
