/** The events of a server, in the form full or compact, as messages. */

import { events, leavable } from "./client.js";
import { invalidEvent, isMessage } from "./events.js";
import { ItemReader } from "./items.js";
import { isRecord } from "./text.js";

const EVENT_ID = /^(.*)-([0-9]+)(?:\.([0-9]+))?$/s;
const OTHER_NAMES = ["stream_start", "stream_end", "error"];
const stringOf = (value) => (typeof value === "string" ? value : null);

/**
 * Converts the Server-Sent Events of a stream into messages, which `ToolsAggregateMessageHandler` accepts.
 *
 * Both forms are read. Events with unknown names, and a provider's own events in between, have no messages.
 * An event that arrives twice changes nothing; what was lost of a text is reported by a `provider_error`
 * with the `error_type` "lost_event", what was lost of a call by the call itself.
 */
export class EventReader {
  /** The form that the stream announced, null before that. */
  form = null;
  /** Whether the last event of the stream has arrived. */
  isComplete = false;
  #messageId = null;
  #items = new ItemReader();
  // the stream's part of the event ids, if they are counted, and the number in the last one
  #stream = null;
  #last = [-1, 0];

  /** Return the messages of an event {type, data, id}. */
  addEvent({ type, data: text, id = "" }) {
    if (!this.#isNew(type, id)) return [];
    const isUnnamed = type === "message";
    // a provider's own events have other names and beginnings
    const isOurs = isUnnamed
      ? /^(\[|\{"type")/.test(text) && text !== "[DONE]"
      : isMessage(type) || OTHER_NAMES.includes(type);
    if (!isOurs) return [];
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      // a provider's error may be plain text
      if (type === "error") return [];
      throw invalidEvent("its data is not JSON");
    }
    if (Array.isArray(data)) return isUnnamed && (this.form === "compact" || isItems(data)) ? this.#items.read(data) : [];
    return isRecord(data) ? this.#readMessage(isUnnamed ? data.type : type, data) : [];
  }

  #readMessage(type, data) {
    switch (type) {
      case "stream_start":
        this.isComplete = false;
        this.form = stringOf(data.form) ?? "full";
        this.#messageId = stringOf(data.message_id);
        this.#items = new ItemReader(this.#messageId);
        return [];
      case "stream_end":
        this.isComplete = true;
        return [];
      case "error":
        if ("type" in data || stringOf(data.code) === null) return [];
        return [{
          type: "provider_error", error_type: data.code, message: stringOf(data.message) ?? "",
          message_id: this.#messageId,
        }];
    }
    if (!isMessage(type)) return [];
    const place = this.form === "compact" && type !== "stream_snapshot" ? { message_id: this.#messageId } : {};
    const { lengths, numbers, next_number, ...rest } = data;
    const message = { type, ...place, ...rest };
    const messages = [];
    // the lengths of texts show what was lost at their ends; those of the form full are not read
    for (const item of Array.isArray(lengths) ? lengths : []) {
      if (Array.isArray(item)) messages.push(...this.#items.read([item[0], { length: item[1] }]));
    }
    if (type === "stream_snapshot") this.#items.restore(numbers, next_number);
    if (type === "message_end") this.#items.endMessage(message);
    return [...messages, message];
  }

  /** Return the messages that follow from the end of the connection: what was open is cut off. */
  finish() {
    if (this.isComplete || this.form === null) return [];
    return [{ type: "message_end", is_truncated: true, message_id: this.#messageId }];
  }

  /** Report whether an event has not arrived before: the numbers in the ids of a stream increase. */
  #isNew(type, id) {
    const match = EVENT_ID.exec(id);
    if (match === null) return true;
    const [number, part] = [Number(match[2]), Number(match[3] ?? 0)];
    if (type === "stream_start" && match[1] !== this.#stream) {
      // if the events have no ids of their own, this one is left from another event
      this.#stream = number === 0 && part === 0 ? match[1] : null;
    } else {
      if (match[1] !== this.#stream) return true;
      const [lastNumber, lastPart] = this.#last;
      if (number < lastNumber || (number === lastNumber && part <= lastPart)) return false;
    }
    this.#last = [number, part];
    return true;
  }
}

/** Report whether data may be items of a stream whose start was not read. */
function isItems(data) {
  const item = Array.isArray(data[0]) ? data[0] : data;
  return item.length > 1 && Number.isSafeInteger(item[0]);
}

/**
 * Iterate over the messages of a stream. It is requested as `events` requests it, in the compact form; other
 * forms are read, too. A stream that is cut off ends with a truncated `message_end`.
 */
export function messages(url, options = {}) {
  const [address] = String(url).split("#");
  const query = /[?&]form=/.test(address) ? "" : `${address.includes("?") ? "&" : "?"}form=compact`;
  const source = events(address + query, options);
  return leavable(messagesOf(source), () => source.return());
}

async function* messagesOf(source) {
  const reader = new EventReader();
  for await (const event of source) yield* reader.addEvent(event);
  yield* reader.finish();
}
