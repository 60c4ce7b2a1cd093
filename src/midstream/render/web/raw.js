/** The raw text of a value: it marks what just arrived, the character of an error, and a hovered value. */

import { make } from "./node.js";

// how many characters are shown, from the end
const SHOWN = 20_000;

// Highlights style ranges of text without elements (CSS Custom Highlight API). Without it nothing is marked.
const canMark = typeof Highlight === "function" && CSS.highlights !== undefined;

function highlight(name) {
  if (!canMark) return null;
  if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight());
  return CSS.highlights.get(name);
}

/** One marked range of a text, in one of the page's highlights. */
class Mark {
  #name;
  #range = null;

  constructor(name) {
    this.#name = name;
  }

  set(text, start, end) {
    this.clear();
    if (!canMark || end <= start || start < 0 || end > text.length) return;
    this.#range = new Range();
    this.#range.setStart(text, start);
    this.#range.setEnd(text, end);
    highlight(this.#name).add(this.#range);
  }

  clear() {
    if (this.#range === null) return;
    highlight(this.#name).delete(this.#range);
    this.#range = null;
  }
}

/** Return the UTF-16 index of a character. */
function unitIndex(text, character) {
  let unit = 0;
  for (let i = 0; i < character && unit < text.length; i++) unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
  return unit;
}

/** The text, or the last part of a long one; the view follows its end. */
export class RawText {
  #length = 0;
  #start = 0;
  #text = document.createTextNode("");
  #cut = make("p", "dim");
  #scroll = make("div", "raw-scroll");
  #fresh = new Mark("fresh");
  #error = new Mark("error");
  #hovered = new Mark("hovered");

  constructor() {
    this.element = make("div", "raw");
    this.#scroll.tabIndex = 0;
    this.#scroll.setAttribute("role", "group");
    this.#scroll.setAttribute("aria-label", "raw text");
    const box = make("div", "raw-box");
    const pre = make("pre");
    pre.append(this.#text);
    this.#cut.hidden = true;
    box.append(this.#cut, pre);
    this.#scroll.append(box);
    const label = make("p", "raw-label dim", "There is no structure to show. This is the text as it was received.");
    const hold = make("div", "raw-hold");
    hold.append(this.#scroll);
    this.element.append(label, hold);
  }

  /** Show the text so far, and mark what is new in it. */
  set(text) {
    if (text.length === this.#length) return;
    const before = this.#length;
    this.#text.appendData(text.slice(this.#length));
    this.#length = text.length;
    if (text.length - this.#start > 2 * SHOWN) {
      this.#start = text.length - SHOWN;
      this.#text.data = text.slice(this.#start);
      this.#cut.textContent = `The first ${this.#start.toLocaleString("en")} characters are not shown.`;
      this.#cut.hidden = false;
    }
    this.#fresh.set(this.#text, Math.max(before - this.#start, 0), this.#length - this.#start);
  }

  /** Mark nothing as new any more, and the character of an error, if there is one. */
  settle(text, errorIndex) {
    this.#fresh.clear();
    if (errorIndex === null) return;
    const at = unitIndex(text, errorIndex) - this.#start;
    const width = text.codePointAt(at + this.#start) > 0xffff ? 2 : 1;
    this.#error.set(this.#text, at, at + width);
  }

  /** Mark a part of the text, and show it; null marks nothing. */
  hover(span) {
    if (span === null) {
      this.#hovered.clear();
      return;
    }
    const [start, end] = span.map((index) => Math.max(index - this.#start, 0));
    this.#hovered.set(this.#text, start, Math.min(end, this.#text.length));
    this.#reveal(start);
  }

  #reveal(start) {
    if (start >= this.#text.length || !this.#scroll.checkVisibility()) return;
    const range = new Range();
    range.setStart(this.#text, start);
    range.setEnd(this.#text, start + 1);
    const here = range.getBoundingClientRect();
    const view = this.#scroll.getBoundingClientRect();
    if (here.top < view.top) this.#scroll.scrollBy(0, here.top - view.top - 20);
    else if (here.bottom > view.bottom) this.#scroll.scrollBy(0, here.bottom - view.bottom + 20);
  }
}
