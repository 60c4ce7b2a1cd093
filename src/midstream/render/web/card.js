/** A card: a tool call or a structured output, with its value as a tree and the raw text beside it. */

import { JsonFragmentAccumulator, JsonValueAccumulator, parsePath } from "./midstream.js";
import { formatPath } from "./lib/paths.js";
import { make, markDone } from "./node.js";
import { RawText } from "./raw.js";
import { spanOf } from "./spans.js";
import { ValueTree } from "./tree.js";

export const STATES = {
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

// how many repairs are named
const NAMED_REPAIRS = 5;

/** Return a sentence about what was repaired on the way. */
function repairNote(repairs) {
  if (repairs.length === 0) return "";
  const named = repairs.slice(0, NAMED_REPAIRS).map(({ message, code }) => message || code);
  const more = repairs.length - named.length;
  if (more > 0) named.push(`${more.toLocaleString("en")} more`);
  return `This was not valid JSON, and was repaired: ${named.join("; ")}.`;
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

/** Return the index of the character that made a text invalid, null if there is none. */
function errorIndex(state, call) {
  return state === STATES.invalid && call.error.index < call.rawArgs.length ? call.error.index : null;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Write a time in milliseconds: "120 ms", "1.4 s". */
export function duration(milliseconds) {
  const rounded = Math.round(milliseconds);
  return rounded < 1000 ? `${rounded} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** When the parts of a call arrived, in milliseconds after the start of the stream. */
class Timing {
  #firstAt = null;
  #valueAt = null;
  #lastAt = 0;
  #length = 0;

  add(now, length, hasValue) {
    this.#firstAt ??= now;
    if (hasValue) this.#valueAt ??= now;
    if (length !== this.#length) this.#lastAt = now;
    this.#length = length;
  }

  /** Return what is known, each figure with its label. */
  get figures() {
    const figures = [];
    if (this.#valueAt !== null) figures.push(["first value", duration(this.#valueAt)]);
    if (this.#lastAt > 0) figures.push(["elapsed", duration(this.#lastAt)]);
    // of the call's own time, without the wait for it
    const writing = this.#lastAt - (this.#firstAt ?? 0);
    if (writing > 0) {
      const rate = Math.round((this.#length / writing) * 1000);
      figures.push([`${rate.toLocaleString("en")} chars/s`]);
    }
    return figures;
  }
}

/** The numbers of a text that do not look as JavaScript writes them, by their paths: 1.50, 2e3, long ids. */
class NumberTexts {
  #accumulator = new JsonFragmentAccumulator({ onError: "event" });
  #length = 0;
  texts = new Map();

  read(text) {
    if (text.length === this.#length) return;
    const updates = this.#accumulator.addFragment(text.slice(this.#length));
    this.#length = text.length;
    for (const { kind, path, textValue, value } of updates) {
      if (kind === "CompleteNumber" && textValue !== String(value)) this.texts.set(path, textValue);
    }
  }
}

const ACTIONS = [
  ["copy", "Copy", "Copy the selected value as JSON"],
  ["path", "Copy path", "Copy the path of the selected value"],
  ["raw", "Copy raw", "Copy the raw text"],
  ["expand", "Expand", "Expand everything"],
  ["collapse", "Collapse", "Collapse everything"],
];

/** A call or a structured output: a heading, its value as a tree, and the raw text beside it. */
export class CallCard {
  #call = null;
  #isStopped = false;
  #state = "";
  #end = null;
  #tree = null;
  #raw = new RawText();
  #result = null;
  #timing = new Timing();
  #numbers = new NumberTexts();
  #now;
  // the time of the last update: a field that ends with it has this time, too
  #at = 0;
  #say;

  /** `now` returns the milliseconds since the stream began, `say` announces what an action did. */
  constructor(label, { now, say }) {
    this.#now = now;
    this.#say = say;
    this.element = make("section", "card");
    const head = make("header", "card-head");
    this.name = make("h3", "name", label);
    this.id = make("span", "id");
    this.badge = make("span", "badge");
    head.append(this.name, this.id, this.badge);
    const foot = make("footer", "card-foot");
    this.figures = make("p", "figures dim");
    foot.append(this.figures, this.#actions());
    this.body = make("div", "card-body");
    this.cell = make("div", "cell");
    this.empty = make("p", "dim", "No arguments yet.");
    this.cell.append(this.empty);
    this.body.append(this.cell, this.#raw.element);
    this.note = make("p", "note");
    this.note.hidden = true;
    this.element.append(head, this.body, this.note, foot);
  }

  get state() {
    return this.#state;
  }

  /** Show the current state of a call; return whether its state changed. */
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
      // a string that was cut off is closed by now, so parse the text once to find it; a repaired text is no JSON
      const hasText = rawArgs !== "" && call.repairs.length === 0;
      this.#end = this.#state in MARKS && hasText ? endOf(rawArgs) : null;
    }
    this.#numbers.read(rawArgs);
    this.#at = this.#now();
    this.#timing.add(this.#at, rawArgs.length, args !== undefined);
    this.#showFigures();
    if (args !== undefined) this.#showTree(args, call);
    else if (this.#state !== STATES.streaming) setText(this.empty, rawArgs === "" ? "No arguments." : "");
    this.#raw.set(rawArgs);
    if (this.#state !== STATES.streaming) this.#raw.settle(rawArgs, errorIndex(this.#state, call));
    // without structure, show the text alone
    const view = args === undefined && rawArgs !== "" ? "raw" : "tree";
    if (this.element.dataset.view !== view) this.element.dataset.view = view;
    const notes = [explanation(this.#state, call), repairNote(call.repairs)];
    setText(this.note, notes.filter((note) => note !== "").join(" "));
    this.note.hidden = this.note.textContent === "";
    return this.#state !== before;
  }

  #showFigures() {
    const { figures } = this.#timing;
    setText(this.figures, figures.map((parts) => parts.join(" ")).join(" · "));
  }

  #actions() {
    const bar = make("span", "actions");
    for (const [action, label, title] of ACTIONS) {
      const button = make("button", "action", label);
      button.type = "button";
      button.title = title;
      button.dataset.action = action;
      button.addEventListener("click", () => this.#act(action, button));
      bar.append(button);
    }
    return bar;
  }

  async #act(action, button) {
    if (action === "expand" || action === "collapse") {
      this.#tree?.expandAll(action === "expand");
      return;
    }
    const node = this.#tree?.current ?? null;
    const raw = this.#call?.rawArgs ?? "";
    let text = raw;
    if (action === "path" && node !== null) text = formatPath("", node.segments) || "root";
    else if (action === "copy" && node !== null) text = JSON.stringify(node.value, null, 2);
    try {
      await navigator.clipboard.writeText(text);
      markDone(button);
      this.#say(action === "path" ? `Copied ${text}` : "Copied");
    } catch {
      this.#say("The browser does not allow copying here.");
    }
  }

  /** Show only the items that contain a text; return whether there are any. */
  filter(query) {
    return this.#tree?.filter(query) ?? query === "";
  }

  #showState() {
    this.element.dataset.state = this.#state;
    this.badge.textContent = this.#state;
  }

  #showTree(args, call) {
    if (this.#tree === null) {
      this.#tree = new ValueTree(`${call.name ?? "unnamed call"}: arguments`, {
        clock: () => duration(this.#at),
        onHover: (segments) => {
          const text = this.#call.rawArgs;
          this.#raw.hover(segments === null ? null : spanOf(text, segments));
        },
      });
      this.#tree.numberTexts = this.#numbers.texts;
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

