/** One value of a tree: a row and, for a container, the nodes in it. */

import { formatPath } from "./lib/paths.js";

// how many children of a container are shown: the first and the last ones, and how many more per request
const HEAD = 200;
const TAIL = 50;
const MORE = 500;
// with more children than this, a container skips the layout of those that are not visible
const LARGE = 30;
// how much of a string is shown: all up to LONG characters, else this many from its beginning and its end
const LONG = 5000;
const STRING_HEAD = 4000;
const STRING_TAIL = 500;
// an array of scalars up to these bounds is shown in one row
const INLINE_ITEMS = 24;
const INLINE_STRING = 40;
const INLINE_TEXT = 120;
// containers deeper than this, or created when there are this many nodes, begin closed
const DEEP = 40;
const MANY = 2000;

const count = new Intl.NumberFormat("en");
let rows = 0;

// the node of an element
export const nodes = new WeakMap();

export function make(name, classes = "", text = "") {
  const element = document.createElement(name);
  if (classes !== "") element.className = classes;
  if (text !== "") element.textContent = text;
  return element;
}

function kindOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Report whether a value is an array that fits into one row. */
function isInline(value) {
  if (!Array.isArray(value) || value.length === 0 || value.length > INLINE_ITEMS) return false;
  let length = 0;
  for (const item of value) {
    if (typeof item === "object" && item !== null) return false;
    const text = String(item);
    if (text.length > INLINE_STRING || text.includes("\n")) return false;
    length += text.length + 2;
  }
  return length <= INLINE_TEXT;
}

const isContainer = (kind) => kind === "array" || kind === "object";

/** Text in one or two text nodes; the middle of a long text is left out. */
class LongText {
  #element;
  #text = "";
  #isFolded = true;
  #head = document.createTextNode("");
  #tail = document.createTextNode("");
  #fold = make("button", "fold");

  constructor(element) {
    this.#element = element;
    this.#fold.type = "button";
    this.#fold.tabIndex = -1;
    this.#fold.hidden = true;
    this.#fold.addEventListener("click", () => this.unfold());
    element.append(this.#head, this.#fold, this.#tail);
  }

  set(text) {
    if (text === this.#text) return;
    // a text of several lines is a block
    setClass(this.#element, "block", text.includes("\n"));
    const before = this.#text;
    this.#text = text;
    if (this.#isFolded && text.length > LONG) {
      if (before.length <= LONG || this.#head.data !== text.slice(0, STRING_HEAD)) {
        this.#head.data = text.slice(0, STRING_HEAD);
      }
      const left = text.length - STRING_HEAD - STRING_TAIL;
      this.#fold.textContent = `… ${count.format(left)} more characters …`;
      this.#fold.hidden = false;
      this.#tail.data = text.slice(-STRING_TAIL);
    } else if (this.#fold.hidden && text.startsWith(before)) {
      this.#head.appendData(text.slice(before.length));
    } else {
      this.#fold.hidden = true;
      this.#fold.textContent = "";
      this.#tail.data = "";
      this.#head.data = text;
    }
  }

  unfold() {
    if (this.#fold.hidden) return false;
    this.#isFolded = false;
    const text = this.#text;
    this.#text = "";
    this.set(text);
    return true;
  }
}

/** One value: a row and, for a container, the nodes in it. */
export class Node {
  constructor(tree, above, segment) {
    this.tree = tree;
    this.above = above;
    this.level = above === null ? 1 : above.level + 1;
    this.segment = segment;
    this.value = undefined;
    // when the value changed last; null if it was not watched
    this.time = null;
    this.kind = "";
    this.element = make("li");
    this.element.setAttribute("role", "treeitem");
    this.element.setAttribute("aria-level", String(this.level));
    this.element.tabIndex = -1;
    this.row = make("div", "row");
    // its accessible name is its row, not everything in it
    this.row.id = `row-${++rows}`;
    this.element.setAttribute("aria-labelledby", this.row.id);
    this.toggle = null;
    if (segment !== null) {
      const key = make("span", typeof segment === "number" ? "index" : "key");
      key.textContent = String(segment);
      this.row.append(key);
    }
    this.shown = make("span", "value");
    this.row.append(this.shown);
    this.element.append(this.row);
    this.text = null;
    this.group = null;
    // the nodes in the group, in order and by segment, and the row that stands for those left out
    this.children = [];
    this.bySegment = new Map();
    this.more = null;
    this.limit = HEAD;
    this.isExpanded = false;
    // an array of scalars has its items in its row
    this.isInline = false;
    this.items = [];
    tree.size++;
    nodes.set(this.element, this);
  }

  update(value) {
    if (value === this.value) return;
    const kind = kindOf(value);
    if (kind !== this.kind) this.#become(kind);
    this.value = value;
    this.time = this.tree.time;
    if (isContainer(kind)) {
      if (isInline(value)) {
        this.#showInline();
        return;
      }
      this.#leaveInline();
      this.#showCount();
      if (this.isExpanded) this.#updateChildren();
    } else if (kind === "string") {
      this.text.set(value);
    } else {
      this.shown.textContent = this.#scalarText(value, null);
    }
  }

  /** The path of the value: keys and indexes from the root down. */
  get segments() {
    const segments = [];
    for (let node = this; node.segment !== null; node = node.above) segments.unshift(node.segment);
    return segments;
  }

  /** Return a scalar as text, a number as it was sent. */
  #scalarText(value, index) {
    const { numberTexts } = this.tree;
    if (typeof value !== "number" || numberTexts.size === 0) return String(value);
    const segments = index === null ? this.segments : [...this.segments, index];
    return numberTexts.get(formatPath("root", segments)) ?? String(value);
  }

  #showInline() {
    if (!this.isInline) {
      this.isInline = true;
      this.items = [];
      this.shown.textContent = "";
      this.element.classList.add("inline");
      this.element.removeAttribute("aria-expanded");
    }
    for (const [index, item] of this.value.entries()) {
      let shown = this.items[index];
      if (shown === undefined) {
        if (index > 0) this.shown.append(", ");
        shown = this.items[index] = make("span", `item ${kindOf(item)}`);
        this.shown.append(shown);
      }
      const text = this.#scalarText(item, index);
      if (shown.textContent !== text) shown.textContent = text;
    }
  }

  #leaveInline() {
    if (!this.isInline) return;
    this.isInline = false;
    this.items = [];
    this.shown.textContent = "";
    this.element.classList.remove("inline");
    this.element.setAttribute("aria-expanded", String(this.isExpanded));
  }

  #become(kind) {
    this.kind = kind;
    for (const child of this.children) child.forget();
    this.children = [];
    this.bySegment.clear();
    this.group?.remove();
    this.toggle?.remove();
    this.group = this.toggle = this.text = this.more = null;
    this.#leaveInline();
    this.element.removeAttribute("aria-expanded");
    this.shown.textContent = "";
    this.shown.className = `value ${kind}`;
    this.element.classList.toggle("container", isContainer(kind));
    if (kind === "string") {
      this.text = new LongText(this.shown);
    } else if (isContainer(kind)) {
      this.toggle = make("span", "toggle");
      this.toggle.setAttribute("aria-hidden", "true");
      this.row.prepend(this.toggle);
      this.group = make("ul");
      this.group.setAttribute("role", "group");
      this.element.append(this.group);
      this.expand(this.level < DEEP && this.tree.size < MANY);
    }
  }

  #showCount() {
    const isArray = this.kind === "array";
    const size = isArray ? this.value.length : Object.keys(this.value).length;
    const noun = isArray ? (size === 1 ? "item" : "items") : size === 1 ? "key" : "keys";
    const text = `${count.format(size)} ${noun}`;
    if (this.shown.textContent !== text) this.shown.textContent = text;
    this.element.classList.toggle("empty", size === 0);
  }

  #updateChildren() {
    const { value } = this;
    const isArray = Array.isArray(value);
    const keys = isArray ? null : Object.keys(value);
    const size = isArray ? value.length : keys.length;
    const isCut = size > this.limit + TAIL;
    const head = isCut ? this.limit : size;
    const segments = [];
    for (let i = 0; i < head; i++) segments.push(isArray ? i : keys[i]);
    for (let i = isCut ? size - TAIL : size; i < size; i++) segments.push(isArray ? i : keys[i]);
    this.#arrange(segments);
    for (const child of this.children) child.update(value[child.segment]);
    this.#showMore(isCut ? size - this.limit - TAIL : 0);
    setClass(this.group, "large", this.children.length > LARGE);
  }

  /** Make the children those with these segments; change only the elements that differ. */
  #arrange(segments) {
    const { children } = this;
    let at = 0;
    while (at < children.length && at < segments.length && children[at].segment === segments[at]) at++;
    if (at === children.length && at === segments.length) return;
    const wanted = new Set(segments);
    const kept = children.slice(0, at);
    for (const child of children.slice(at)) {
      if (wanted.has(child.segment)) continue;
      this.bySegment.delete(child.segment);
      child.forget();
      child.element.remove();
    }
    let last = at > 0 ? children[at - 1].element : null;
    if (this.more !== null && at >= this.limit) last = this.more;
    for (const segment of segments.slice(at)) {
      let child = this.bySegment.get(segment);
      if (child === undefined) {
        child = new Node(this.tree, this, segment);
        this.bySegment.set(segment, child);
      }
      const next = last === null ? this.group.firstChild : last.nextSibling;
      if (child.element !== next) this.group.insertBefore(child.element, next);
      last = child.element;
      kept.push(child);
    }
    this.children = kept;
  }

  #showMore(left) {
    if (left === 0) {
      this.more?.remove();
      this.more = null;
      return;
    }
    if (this.more === null) {
      this.more = make("li", "more");
      this.more.setAttribute("role", "treeitem");
      this.more.setAttribute("aria-level", String(this.level + 1));
      this.more.tabIndex = -1;
      this.more.append(make("div", "row"));
      nodes.set(this.more, { activate: () => this.showFurther() });
    }
    const next = this.children[this.limit].element;
    if (this.more.nextSibling !== next) this.group.insertBefore(this.more, next);
    const text = `… ${count.format(left)} more`;
    if (this.more.textContent !== text) this.more.firstChild.textContent = text;
  }

  showFurther() {
    this.limit += MORE;
    const next = this.children[this.limit - MORE - 1];
    this.#updateChildren();
    this.tree.focus(next.element);
  }

  expand(isExpanded) {
    if (this.group === null || isExpanded === this.isExpanded && this.element.ariaExpanded !== null) return;
    this.isExpanded = isExpanded;
    if (this.isInline) return;
    this.element.setAttribute("aria-expanded", String(isExpanded));
    if (isExpanded && this.value !== undefined && isContainer(this.kind)) this.#updateChildren();
  }

  /** Do what Enter and a click do. */
  activate() {
    if (this.isInline) return;
    if (this.group !== null) {
      this.expand(!this.isExpanded);
      this.tree.mark();
    } else {
      this.text?.unfold();
    }
  }

  forget() {
    this.tree.size--;
    for (const child of this.children) child.forget();
  }
}

/** Show for a moment that a button has done what it says. */
export function markDone(button) {
  button.classList.add("done");
  setTimeout(() => button.classList.remove("done"), 1500);
}

export function setClass(element, name, isSet) {
  if (element.classList.contains(name) !== isSet) element.classList.toggle(name, isSet);
}
