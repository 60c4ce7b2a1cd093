/** The messages of a stream on the page: their text, and a card for each of their tool calls. */

import { JsonValueAccumulator, ToolsAggregateMessageHandler, parsePath } from "./midstream.js";
import { ValueTree, make } from "./tree.js";

// how many characters of raw text are shown, from its end
const RAW = 20_000;

const STATES = {
  streaming: "streaming",
  complete: "complete",
  truncated: "truncated",
  invalid: "invalid",
  failed: "failed",
  stopped: "stopped",
};

/** Return the state of a call; `isStopped`: the user stopped the stream. */
export function stateOf(call, isStopped = false) {
  if (call.isComplete) return STATES.complete;
  if (call.error === null) return isStopped ? STATES.stopped : STATES.streaming;
  if (call.error.code === "truncated") return isStopped ? STATES.stopped : STATES.truncated;
  return call.error.code === "provider_error" ? STATES.failed : STATES.invalid;
}

/** Return a sentence about what is wrong. */
function explanation(state, call) {
  const message = call.error?.message ?? "";
  switch (state) {
    case STATES.truncated:
      return `Cut off: ${message}. What is shown arrived; the rest did not.`;
    case STATES.invalid:
      return `Not valid JSON: ${message}. What came before is shown.`;
    case STATES.failed:
      return "The provider gave this call up.";
    case STATES.stopped:
      return "You stopped the stream before this was complete.";
    default:
      return "";
  }
}

// what the end of the open path means, unless more will arrive
const MARKS = { truncated: "cut", stopped: "cut", failed: "cut", invalid: "wrong" };

/** Return the path of the value in which a text ends or becomes invalid. */
function endOf(text) {
  const accumulator = new JsonValueAccumulator();
  try {
    accumulator.addFragment(text);
    return accumulator.openPath;
  } catch (error) {
    return parsePath(error.path);
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The raw text, or the last part of a long one; the view follows its end. */
class RawText {
  #length = 0;
  #start = 0;
  #text = document.createTextNode("");
  #cut = make("p", "dim");

  constructor() {
    this.element = make("div", "raw");
    const scroll = make("div", "raw-scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "raw text");
    const box = make("div", "raw-box");
    const pre = make("pre");
    pre.append(this.#text);
    this.#cut.hidden = true;
    box.append(this.#cut, pre);
    scroll.append(box);
    const label = make("p", "raw-label dim", "There is no structure to show. This is the text as it was received.");
    const hold = make("div", "raw-hold");
    hold.append(scroll);
    this.element.append(label, hold);
  }

  set(text) {
    if (text.length === this.#length) return;
    this.#text.appendData(text.slice(this.#length));
    this.#length = text.length;
    if (text.length - this.#start > 2 * RAW) {
      this.#start = text.length - RAW;
      this.#text.data = text.slice(this.#start);
      this.#cut.textContent = `The first ${this.#start.toLocaleString("en")} characters are not shown.`;
      this.#cut.hidden = false;
    }
  }
}

/** A call or a structured output: a heading, its value as a tree, and the raw text beside it. */
class CallCard {
  #call = null;
  #isStopped = false;
  #state = "";
  #end = null;
  #tree = null;
  #raw = new RawText();
  #result = null;

  constructor(label) {
    this.element = make("section", "card");
    const head = make("header", "card-head");
    this.name = make("h3", "name", label);
    this.id = make("span", "id");
    this.badge = make("span", "badge");
    head.append(this.name, this.id, this.badge);
    this.body = make("div", "card-body");
    this.cell = make("div", "cell");
    this.empty = make("p", "dim", "No arguments yet.");
    this.cell.append(this.empty);
    this.body.append(this.cell, this.#raw.element);
    this.note = make("p", "note");
    this.note.hidden = true;
    this.element.append(head, this.body, this.note);
  }

  get state() {
    return this.#state;
  }

  /** Show a call as it stands; return whether its state changed. */
  update(call, isStopped) {
    if (call === this.#call && isStopped === this.#isStopped) return false;
    this.#call = call;
    this.#isStopped = isStopped;
    const { args, rawArgs } = call;
    const name = call.name ?? "unnamed call";
    if (this.name.textContent !== name) {
      this.name.textContent = name;
      this.element.setAttribute("aria-label", name);
    }
    setText(this.id, call.id ?? (call.index === null ? "" : `#${call.index}`));
    const before = this.#state;
    this.#state = stateOf(call, isStopped);
    if (this.#state !== before) {
      this.#showState();
      // a string that was cut off is closed by now, so parse the text once to find it
      this.#end = this.#state in MARKS && rawArgs !== "" ? endOf(rawArgs) : null;
    }
    if (args !== undefined) this.#showTree(args, call);
    else if (this.#state !== STATES.streaming) setText(this.empty, rawArgs === "" ? "No arguments." : "");
    this.#raw.set(rawArgs);
    // without structure, show the text alone
    const view = args === undefined && rawArgs !== "" ? "raw" : "tree";
    if (this.element.dataset.view !== view) this.element.dataset.view = view;
    setText(this.note, explanation(this.#state, call));
    this.note.hidden = this.note.textContent === "";
    return this.#state !== before;
  }

  #showState() {
    this.element.dataset.state = this.#state;
    this.badge.textContent = this.#state;
  }

  #showTree(args, call) {
    if (this.#tree === null) {
      this.#tree = new ValueTree(`${call.name ?? "unnamed call"}: arguments`);
      this.cell.replaceChildren(this.#tree.element);
    }
    const mark = MARKS[this.#state] ?? "open";
    const path = call.isComplete ? null : call.openPath;
    this.#tree.update(args, mark === "open" ? path : this.#end ?? path, mark);
  }

  showResult(result) {
    if (this.#result === null) {
      const box = make("div", "result");
      box.append(make("h4", "", "Result"));
      this.#result = new ValueTree("result");
      box.append(this.#result.element);
      this.element.append(box);
    }
    this.#result.update(result ?? null, null, "open");
  }
}

/** A run of a message's text: a tree if it is JSON, else text. */
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

  constructor() {
    this.element = make("div", "message-text");
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

  /** Show it as it stands; return its state if that changed, else "". */
  render(isStopped, isCut) {
    if (!this.#isDirty && !isStopped && !isCut) return "";
    this.#isDirty = false;
    if (!this.isStructured) {
      this.#renderPlain(isStopped);
      return "";
    }
    if (this.#card === null) {
      this.#card = new CallCard("Structured output");
      this.#plain.remove();
      this.element.append(this.#card.element);
    }
    const { value, openPath, error, isComplete } = this.#accumulator;
    const call = {
      id: null, index: null, name: "Structured output", rawArgs: this.#pieces, error, finishReason: null,
      args: value, openPath, isComplete: this.#isEnded && isComplete && !isCut,
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
  // per choice, the run of text that may go on
  #openTexts = new Map();
  #cards = [];
  #calls = [];
  #results = [];
  #isCut = false;

  constructor(id) {
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

  addText(text, choice) {
    let shown = this.#openTexts.get(choice);
    if (shown === undefined) {
      shown = new MessageText();
      this.#openTexts.set(choice, shown);
      this.#texts.push(shown);
      this.flow.append(shown.element);
    }
    shown.add(text);
  }

  setCalls(calls) {
    this.#calls = calls;
    while (this.#cards.length < calls.length) {
      const card = new CallCard("");
      this.#cards.push(card);
      this.flow.append(card.element);
      // later text belongs after the call; only JSON remains one text when it is interrupted
      for (const [choice, text] of this.#openTexts) {
        if (text.isStructured) continue;
        text.end();
        this.#openTexts.delete(choice);
      }
    }
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

  /** Show everything as it stands; return the changed states in words. */
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

  constructor(element, onNews) {
    this.element = element;
    this.#onNews = onNews;
  }

  add(event) {
    const id = event.message_id ?? null;
    const calls = this.#handler.addMessage(event);
    if (event.type === "text_delta") this.#message(id).addText(event.text, event.choice ?? 0);
    else if (event.type === "message_end") this.#message(id).end(event.reason, event.is_truncated ?? false);
    if (event.type === "tool_result") this.#addResult(event);
    else if (calls.length > 0) this.#message(id).setCalls(calls);
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
      message = new MessageView(id);
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
    if (news.length > 0) this.#onNews(news.join(". "));
  }
}
