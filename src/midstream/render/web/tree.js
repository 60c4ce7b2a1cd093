/**
 * A growing value as a tree that people can read, and navigate with the keyboard.
 *
 * `update` compares by identity: it skips a subtree that is the same object as the last time. All text is
 * inserted as text, never as markup.
 */

import { Node, make, nodes, setClass } from "./node.js";

// with more fields than this, the root's do not show when they were complete
const TIMED = 100;

/** A tree with one place in the tab order: arrow keys move in it, left and right close and open. */
export class ValueTree {
  #root = null;
  #value = undefined;
  #path = null;
  #state = "open";
  #marked = [];
  #stop = null;
  #current = null;

  #item = null;
  #timed = new Set();
  #clock;
  // shows the time of the value under the pointer, or of the one that has the focus
  #time = make("span", "at inner");

  /** `clock` returns the time to show at fields that are complete; `onHover` gets the hovered segments. */
  constructor(label, { clock = null, onHover = null } = {}) {
    this.#clock = clock;
    this.size = 0;
    // when the update that is being shown arrived; null while there is none
    this.time = null;
    // the numbers that do not look as they were sent, by their paths
    this.numberTexts = new Map();
    this.element = make("ul", "tree");
    this.element.setAttribute("role", "tree");
    this.element.setAttribute("aria-label", label);
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.element.addEventListener("click", (event) => this.#onClick(event));
    if (clock !== null) {
      this.#time.setAttribute("aria-hidden", "true");
      for (const type of ["pointerover", "focusin"]) {
        this.element.addEventListener(type, (event) => this.#showTime(event.target.closest("[role=treeitem]")));
      }
      this.element.addEventListener("pointerleave", () => this.#time.remove());
    }
    if (onHover !== null) {
      for (const type of ["pointerover", "focusin"]) {
        this.element.addEventListener(type, (event) => {
          onHover(nodes.get(event.target.closest?.("[role=treeitem]"))?.segments ?? null);
        });
      }
      for (const type of ["pointerleave", "focusout"]) this.element.addEventListener(type, () => onHover(null));
    }
  }

  /**
   * Show a value. The path leads to the innermost open value, null if nothing is open; `state` says what
   * that means: "open" (it is arriving), "cut" (it was cut off there), "wrong" (it became invalid there).
   */
  update(value, path, state) {
    if (value !== this.#value) {
      this.#value = value;
      this.time = this.#clock?.() ?? null;
      if (this.#root === null) {
        this.#root = new Node(this, null, null);
        this.#root.element.tabIndex = 0;
        this.#current = this.#root.element;
        this.element.append(this.#root.element);
      }
      this.#root.update(value);
      this.time = null;
    }
    this.#path = path;
    this.#state = state;
    this.mark();
    this.#showTimes();
    if (!this.#current?.isConnected && this.#root !== null) this.#setCurrent(this.#root.element);
  }

  /** Show at each field of the root when it was complete. */
  #showTimes() {
    const root = this.#root;
    if (this.#clock === null || root === null || root.kind !== "object") return;
    if (this.#timed.size === root.children.length || root.children.length > TIMED) return;
    const openKey = this.#path?.[0] ?? null;
    for (const child of root.children) {
      if (this.#timed.has(child.segment) || (this.#path !== null && child.segment === openKey)) continue;
      this.#timed.add(child.segment);
      const time = make("span", "at", this.#clock());
      time.setAttribute("aria-hidden", "true");
      time.title = "when this field was complete, after the start of the stream";
      child.row.append(time);
    }
  }

  /** Show when the value of an item was complete, if it is and that is known. */
  #showTime(item) {
    const node = nodes.get(item);
    const isShown = node?.time !== null && node?.row?.querySelector(".at:not(.inner)") === null;
    if (!isShown || this.#marked.includes(node) || node === this.#root) {
      this.#time.remove();
      return;
    }
    this.#time.textContent = node.time;
    node.row.append(this.#time);
  }

  /** The node that has, or would get, the focus. */
  get current() {
    return nodes.get(this.#current) ?? this.#root;
  }

  /** Expand or collapse all containers; the root stays expanded. */
  expandAll(isExpanded) {
    const walk = (node) => {
      if (node !== this.#root || isExpanded) node.expand(isExpanded);
      for (const child of node.children) walk(child);
    };
    if (this.#root !== null) walk(this.#root);
    if (!this.#current?.checkVisibility()) this.#setCurrent(this.#root.element);
    this.mark();
  }

  /** Hide the items that do not contain a text, nor hold one that does. */
  filter(query) {
    const walk = (node) => {
      let isShown = query === "" || node.row.textContent.toLowerCase().includes(query);
      for (const child of node.children) isShown = walk(child) || isShown;
      setClass(node.element, "filtered", !isShown);
      return isShown;
    };
    if (this.#root === null) return query === "";
    const isShown = walk(this.#root);
    this.#root.element.classList.remove("filtered");
    return isShown;
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
    this.#markItem(here, state);
    this.#markStop(here, state);
  }

  /** Mark the item in a row that is not complete: it has no closing quote. */
  #markItem(here, state) {
    const segment = this.#path?.[this.#marked.length - 1];
    const item = here?.isInline && segment !== undefined ? (here.items[segment] ?? null) : null;
    if (this.#item !== item) this.#item?.classList.remove("growing", "cut");
    this.#item = item;
    if (item === null) return;
    setClass(item, "growing", state === "open");
    setClass(item, "cut", state !== "open");
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

