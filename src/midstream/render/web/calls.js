/** The messages of a stream on the page: their text, and a card for each of their tool calls. */

import { JsonValueAccumulator, ToolsAggregateMessageHandler } from "./midstream.js";
import { CallCard, STATES } from "./card.js";
import { make } from "./node.js";

// by the type of an event: the field of a snapshot, and the heading of its text
const TEXTS = {
  text_delta: ["text", ""],
  reasoning_delta: ["reasoning", "Reasoning"],
  refusal_delta: ["refusal", "Refusal"],
};

/** A run of a message's text: a tree if it is JSON, else text. Reasoning and refusals are always text. */
class MessageText {
  #pieces = "";
  #shown = "";
  #isEnded = false;
  #isDecided = false;
  #isDirty = false;
  #accumulator = null;
  #plain = make("div", "text");
  #raw = document.createTextNode("");
  #card = null;
  #tools;

  constructor(tools, type) {
    this.#tools = tools;
    this.type = type;
    const [name, heading] = TEXTS[type];
    this.element = make("div", heading === "" ? "message-text" : `message-text ${name}`);
    if (heading !== "") {
      this.#isDecided = true;
      this.element.append(make("h3", "text-label", heading));
    }
    this.#plain.append(this.#raw);
    this.element.append(this.#plain);
  }

  /** Whether it is JSON so far; a text that only begins like JSON is text. */
  get isStructured() {
    const error = this.#accumulator?.error ?? null;
    return this.#accumulator !== null && (error === null || error.code === "truncated");
  }

  add(piece) {
    this.#pieces += piece;
    this.#isDirty = true;
    if (!this.#isDecided) {
      // the first character that is not white space decides
      const first = this.#pieces.trimStart()[0];
      this.#isDecided = first !== undefined;
      if (first !== "{" && first !== "[") return;
      this.#accumulator = new JsonValueAccumulator({ onError: "event" });
      piece = this.#pieces;
    }
    this.#accumulator?.addFragment(piece);
  }

  end() {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isDirty = true;
    this.#accumulator?.finish();
  }

  filter(query) {
    this.#card?.element.classList.toggle("filtered", !this.#card.filter(query));
  }

  /** Show its current state; return it if that changed, else "". */
  render(isStopped, isCut) {
    if (!this.#isDirty && !isStopped && !isCut) return "";
    this.#isDirty = false;
    if (!this.isStructured) {
      this.#renderPlain(isStopped);
      return "";
    }
    if (this.#card === null) {
      this.#card = new CallCard("Structured output", this.#tools);
      this.#plain.remove();
      this.element.append(this.#card.element);
    }
    const { value, openPath, error, isComplete } = this.#accumulator;
    const call = {
      id: null, index: null, name: "Structured output", rawArgs: this.#pieces, error, finishReason: null,
      args: value, openPath, repairs: [], isComplete: this.#isEnded && isComplete && !isCut,
    };
    return this.#card.update(call, isStopped) ? this.#card.state : "";
  }

  #renderPlain(isStopped) {
    this.#card?.element.remove();
    this.#card = null;
    if (this.#plain.parentNode === null) this.element.append(this.#plain);
    this.#raw.appendData(this.#pieces.slice(this.#shown.length));
    this.#shown = this.#pieces;
    this.#plain.classList.toggle("busy", !this.#isEnded && !isStopped);
  }
}

/** A message: runs of text and tool calls, in order of appearance. */
class MessageView {
  #texts = [];
  // per choice and type, the run of text that may continue
  #openTexts = new Map();
  #cards = [];
  #calls = [];
  #results = [];
  #isCut = false;
  #tools;

  constructor(id, tools) {
    this.#tools = tools;
    this.element = make("section", "message");
    this.heading = make("h2", "message-id", id ?? "message");
    this.flow = make("div", "flow");
    this.ending = make("p", "ending dim");
    this.ending.hidden = true;
    this.element.append(this.heading, this.flow, this.ending);
  }

  get states() {
    return this.#cards.map((card) => card.state);
  }

  addText(type, text, choice) {
    const key = `${choice} ${type}`;
    this.#interrupt((open) => open.startsWith(`${choice} `) && open !== key);
    let shown = this.#openTexts.get(key);
    if (shown === undefined) {
      shown = new MessageText(this.#tools, type);
      this.#openTexts.set(key, shown);
      this.#texts.push(shown);
      this.flow.append(shown.element);
    }
    shown.add(text);
  }

  /** End texts, as something else follows; only JSON remains one text when it is interrupted. */
  #interrupt(isMeant) {
    for (const [key, text] of this.#openTexts) {
      if (text.isStructured || !isMeant(key)) continue;
      text.end();
      this.#openTexts.delete(key);
    }
  }

  setCalls(calls) {
    this.#calls = calls;
    while (this.#cards.length < calls.length) {
      const card = new CallCard("", this.#tools);
      this.#cards.push(card);
      this.flow.append(card.element);
      this.flow.classList.toggle("parallel", this.#cards.length > 1);
      // later text belongs after the call
      this.#interrupt(() => true);
    }
  }

  filter(query) {
    for (const card of this.#cards) card.element.classList.toggle("filtered", !card.filter(query));
    for (const text of this.#texts) text.filter(query);
  }

  addResult(id, result) {
    this.#results.push([id, result]);
  }

  end(reason, isCut) {
    this.#isCut ||= isCut;
    for (const text of this.#texts) text.end();
    if (reason) {
      this.ending.textContent = `The provider ended the message: ${reason}${isCut ? " (cut off)" : ""}.`;
      this.ending.hidden = false;
    }
  }

  /** Show the current state of everything; return the changed states in words. */
  render(isStopped) {
    const news = [];
    for (const text of this.#texts) {
      const state = text.render(isStopped, this.#isCut);
      if (state !== "") news.push(["Structured output", state]);
    }
    for (const [i, call] of this.#calls.entries()) {
      const card = this.#cards[i];
      if (card.update(call, isStopped)) news.push([call.name ?? "unnamed call", card.state]);
    }
    for (const [id, result] of this.#results) {
      const at = this.#calls.findIndex((call) => call.id === id);
      this.#cards[at]?.showResult(result);
    }
    this.#results = [];
    return news.filter(([, state]) => state !== STATES.streaming).map((parts) => parts.join(": "));
  }
}

/**
 * All messages of a stream. `add` only records an event; the outcome is shown once per frame, however many
 * events there were.
 */
export class StreamView {
  #handler = new ToolsAggregateMessageHandler();
  #messages = new Map();
  #frame = 0;
  #isStopped = false;
  #onNews;
  #onFrame;
  #tools;
  #query = "";

  /** `onNews` gets changed states in words, `onFrame` is called after each frame that changed something. */
  constructor(element, onNews, { onFrame = () => {}, say = () => {} } = {}) {
    this.element = element;
    this.#onNews = onNews;
    this.#onFrame = onFrame;
    const start = performance.now();
    this.#tools = { now: () => performance.now() - start, say };
  }

  /** Show only the items that contain a text. */
  filter(query) {
    this.#query = query.trim().toLowerCase();
    for (const message of this.#messages.values()) message.filter(this.#query);
  }

  add(event) {
    const id = event.message_id ?? null;
    const calls = this.#handler.addMessage(event);
    // the signature of a reasoning has no text
    if (event.type in TEXTS) {
      if (event.text) this.#message(id).addText(event.type, event.text, event.choice ?? 0);
    } else if (event.type === "message_end") this.#message(id).end(event.reason, event.is_truncated ?? false);
    if (event.type === "tool_result") this.#addResult(event);
    else if (calls.length > 0) this.#message(id).setCalls(calls);
    this.#schedule();
  }

  /** Show what a snapshot of the stream says; call it on a new view. */
  restore(event) {
    this.#handler.addMessage(event);
    for (const message of event.messages) {
      // in the usual order
      for (const type of ["reasoning_delta", "text_delta", "refusal_delta"]) {
        const text = message[TEXTS[type][0]];
        if (text) this.#message(message.message_id ?? null).addText(type, text, message.choice ?? 0);
      }
    }
    for (const id of this.#handler.messageIds) this.#message(id).setCalls(this.#handler.calls(id));
    for (const { message_id: id, finish_reason: reason } of event.messages) {
      if (reason) this.#message(id ?? null).end(reason, false);
    }
    this.#schedule();
  }

  #addResult(event) {
    for (const [id, message] of this.#messages) {
      const calls = this.#handler.calls(id);
      if (!calls.some((call) => call.id === event.tool_call_id)) continue;
      message.setCalls(calls);
      message.addResult(event.tool_call_id, event.result);
    }
  }

  /** Declare the stream over; `isStopped`: because the user stopped it. */
  end(isStopped) {
    this.#isStopped ||= isStopped;
    for (const id of this.#handler.messageIds) {
      this.#message(id).setCalls(this.#handler.complete(id));
    }
    for (const message of this.#messages.values()) message.end("", false);
    this.#schedule();
  }

  /** Show now what the next frame would show. */
  flush() {
    cancelAnimationFrame(this.#frame);
    this.#render();
  }

  /** The states of all calls. */
  get states() {
    return [...this.#messages.values()].flatMap((message) => message.states);
  }

  #message(id) {
    let message = this.#messages.get(id);
    if (message === undefined) {
      message = new MessageView(id, this.#tools);
      this.#messages.set(id, message);
      this.element.append(message.element);
      this.element.classList.toggle("several", this.#messages.size > 1);
    }
    return message;
  }

  #schedule() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#render());
  }

  #render() {
    this.#frame = 0;
    const news = [];
    for (const message of this.#messages.values()) news.push(...message.render(this.#isStopped));
    if (this.#query !== "") this.filter(this.#query);
    if (news.length > 0) this.#onNews(news.join(". "));
    this.#onFrame();
  }
}
