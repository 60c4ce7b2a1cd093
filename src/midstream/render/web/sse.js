/**
 * Server-Sent Events from bytes, cut anywhere, as the HTML standard defines them (section 9.2.6).
 *
 * EventSource can only GET and does not say why a server refused. A request by `fetch` with this decoder can.
 */
export class SseDecoder {
  // keeps bytes that end inside a character, and drops a leading byte order mark
  #decoder = new TextDecoder();
  // the line that has not ended, and whether the text before it ended in a carriage return
  #line = "";
  #afterReturn = false;
  #data = [];
  #type = "";
  #id = "";

  /** How long to wait before connecting again, in milliseconds; null if the server did not say. */
  retry = null;

  /** The id from which to resume. A stream may move it without an event. */
  lastEventId;

  constructor(lastEventId = "") {
    this.#id = this.lastEventId = lastEventId;
  }

  /** Add bytes; return the events that they complete: {type, data, id}. */
  addBytes(bytes) {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    // a line feed after a carriage return belongs to the same line end
    if (this.#afterReturn && text[0] === "\n") text = text.slice(1);
    if (text !== "") this.#afterReturn = text.endsWith("\r");
    else this.#afterReturn = false;
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#line + lines[0];
    this.#line = lines.pop();
    const events = [];
    for (const line of lines) {
      if (line === "") this.#dispatch(events);
      else this.#interpret(line);
    }
    return events;
  }

  #interpret(line) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value[0] === " ") value = value.slice(1);
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
  }

  #dispatch(events) {
    this.lastEventId = this.#id;
    if (this.#data.length > 0) {
      events.push({ type: this.#type || "message", data: this.#data.join("\n"), id: this.#id });
      this.#data = [];
    }
    this.#type = "";
  }
}
