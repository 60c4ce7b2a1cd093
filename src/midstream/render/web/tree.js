/**
 * A growing value as a tree that people can read, and navigate with the keyboard.
 *
 * `update` compares by identity: it skips a subtree that is the same object as the last time. All text is
 * inserted as text, never as markup.
 */

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
// containers deeper than this, or created when there are this many nodes, begin closed
const DEEP = 40;
const MANY = 2000;

const count = new Intl.NumberFormat("en");
let rows = 0;

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

const isContainer = (kind) => kind === "array" || kind === "object";

/** Text in one or two text nodes; the middle of a long text is left out. */
class LongText {
  #text = "";
  #isFolded = true;
  #head = document.createTextNode("");
  #tail = document.createTextNode("");
  #fold = make("button", "fold");

  constructor(element) {
    this.#fold.type = "button";
    this.#fold.tabIndex = -1;
    this.#fold.hidden = true;
    this.#fold.addEventListener("click", () => this.unfold());
    element.append(this.#head, this.#fold, this.#tail);
  }

  set(text) {
    if (text === this.#text) return;
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
class Node {
  constructor(tree, above, segment) {
    this.tree = tree;
    this.level = above === null ? 1 : above.level + 1;
    this.segment = segment;
    this.value = undefined;
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
    tree.size++;
    nodes.set(this.element, this);
  }

  update(value) {
    if (value === this.value) return;
    const kind = kindOf(value);
    if (kind !== this.kind) this.#become(kind);
    this.value = value;
    if (isContainer(kind)) {
      this.#showCount();
      if (this.isExpanded) this.#updateChildren();
    } else if (kind === "string") {
      this.text.set(value);
    } else {
      this.shown.textContent = String(value);
    }
  }

  #become(kind) {
    this.kind = kind;
    for (const child of this.children) child.forget();
    this.children = [];
    this.bySegment.clear();
    this.group?.remove();
    this.toggle?.remove();
    this.group = this.toggle = this.text = this.more = null;
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
    this.element.setAttribute("aria-expanded", String(isExpanded));
    if (isExpanded && this.value !== undefined && isContainer(this.kind)) this.#updateChildren();
  }

  /** Do what Enter and a click do. */
  activate() {
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

// the node of an element
const nodes = new WeakMap();

/** A tree with one place in the tab order: arrow keys move in it, left and right close and open. */
export class ValueTree {
  #root = null;
  #value = undefined;
  #path = null;
  #state = "open";
  #marked = [];
  #stop = null;
  #current = null;

  constructor(label) {
    this.size = 0;
    this.element = make("ul", "tree");
    this.element.setAttribute("role", "tree");
    this.element.setAttribute("aria-label", label);
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.element.addEventListener("click", (event) => this.#onClick(event));
  }

  /**
   * Show a value. The path leads to the innermost open value, null if nothing is open; `state` says what
   * that means: "open" (it is arriving), "cut" (it was cut off there), "wrong" (it became invalid there).
   */
  update(value, path, state) {
    if (value !== this.#value) {
      this.#value = value;
      if (this.#root === null) {
        this.#root = new Node(this, null, null);
        this.#root.element.tabIndex = 0;
        this.#current = this.#root.element;
        this.element.append(this.#root.element);
      }
      this.#root.update(value);
    }
    this.#path = path;
    this.#state = state;
    this.mark();
    if (!this.#current?.isConnected && this.#root !== null) this.#setCurrent(this.#root.element);
  }

  /** Mark the nodes on the path to the open value, as far as they are shown. */
  mark() {
    const way = [];
    if (this.#path !== null && this.#root !== null) {
      let node = this.#root;
      way.push(node);
      for (const segment of this.#path) {
        node = node.isExpanded ? node.bySegment.get(segment) : undefined;
        if (node === undefined) break;
        way.push(node);
      }
    }
    const here = way.at(-1) ?? null;
    const state = this.#state;
    for (const node of this.#marked) {
      if (!way.includes(node)) {
        node.element.removeAttribute("aria-busy");
        node.element.classList.remove("busy", "here", "unfinished");
      }
    }
    for (const node of way) {
      setClass(node.element, "here", node === here && state === "open");
      setClass(node.element, "busy", state === "open");
      setClass(node.element, "unfinished", node === here && state !== "open");
      if ((node.element.ariaBusy === "true") !== (state === "open")) {
        if (state === "open") node.element.setAttribute("aria-busy", "true");
        else node.element.removeAttribute("aria-busy");
      }
    }
    this.#marked = way;
    this.#markStop(here, state);
  }

  #markStop(here, state) {
    if (here === null || state === "open") {
      this.#stop?.remove();
      this.#stop = null;
      return;
    }
    this.#stop ??= make("span", "stop");
    this.#stop.textContent = state === "cut" ? "cut off here" : "invalid from here";
    if (this.#stop.parentNode !== here.row) here.row.append(this.#stop);
  }

  focus(element) {
    this.#setCurrent(element);
    element.focus();
  }

  #setCurrent(element) {
    if (this.#current !== null) this.#current.tabIndex = -1;
    this.#current = element;
    element.tabIndex = 0;
  }

  #onClick(event) {
    const row = event.target.closest(".row");
    const item = row?.parentElement;
    if (!item || event.target.closest("button") || getSelection()?.isCollapsed === false) return;
    this.#setCurrent(item);
    item.focus({ preventScroll: true });
    nodes.get(item)?.activate();
  }

  #onKey(event) {
    const item = event.target.closest("[role=treeitem]");
    if (item === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = this.#target(item, event.key);
    if (to === undefined) return;
    event.preventDefault();
    if (to !== null) this.focus(to);
  }

  /** Return the item to which a key leads; null: none, undefined: the tree does not handle the key. */
  #target(item, key) {
    const node = nodes.get(item);
    const isOpen = item.ariaExpanded === "true";
    switch (key) {
      case "ArrowDown":
        return this.#next(item);
      case "ArrowUp":
        return this.#previous(item);
      case "ArrowRight":
        if (item.ariaExpanded === "false") node.activate();
        else if (isOpen) return this.#firstIn(item);
        return null;
      case "ArrowLeft":
        if (isOpen) node.activate();
        else return this.#above(item);
        return null;
      case "Home":
        return this.#root.element;
      case "End": {
        let last = this.#root.element;
        for (let inner = last; inner !== null; inner = this.#lastIn(inner)) last = inner;
        return last;
      }
      case "Enter":
      case " ":
        node.activate();
        return null;
      default:
        return undefined;
    }
  }

  #group = (item) => (item.ariaExpanded === "true" ? item.lastElementChild : null);
  #firstIn = (item) => this.#group(item)?.firstElementChild ?? null;
  #lastIn = (item) => this.#group(item)?.lastElementChild ?? null;
  #above = (item) => (item === this.#root.element ? null : item.parentElement.parentElement);

  #next(item) {
    const inner = this.#firstIn(item);
    if (inner !== null) return inner;
    for (let at = item; at !== null; at = this.#above(at)) {
      if (at.nextElementSibling !== null) return at.nextElementSibling;
    }
    return null;
  }

  #previous(item) {
    let before = item.previousElementSibling;
    if (before === null) return this.#above(item);
    for (let inner = before; inner !== null; inner = this.#lastIn(inner)) before = inner;
    return before;
  }
}

function setClass(element, name, isSet) {
  if (element.classList.contains(name) !== isSet) element.classList.toggle(name, isSet);
}
