/** Building a value from nested calls, with snapshots that share all that did not change. */

import { formatPath } from "./paths.js";
import { setMember } from "./text.js";

/**
 * A visitor that builds a value.
 *
 * Reading the value publishes it: a published container is never changed. The next change first copies
 * the spine, which is the chain of containers that are still open (copy-on-write), and shares all others.
 */
export class ValueBuilder {
  root = undefined;
  // the innermost open container, the spine, and the key of each container in the one around it
  current = null;
  inArray = false;
  spine = [];
  keys = [];
  currentKey = null;
  // the open string; the container receives its text only when the value is read
  inString = false;
  text = "";
  isStale = false;
  isPublished = false;
  hasChanged = false;

  /** `isLive`: readers get the growing value itself instead of snapshots. */
  constructor(isLive) {
    this.isLive = isLive;
  }

  /** Return the value, and mark it as published unless it is live. */
  publish() {
    this.settle();
    this.isPublished = !this.isLive;
    return this.root;
  }

  /** Return the segments of the innermost open value, null if nothing is open. */
  openPath() {
    if (this.spine.length === 0) return this.inString ? [] : null;
    return this.path(this.inString, 1);
  }

  /**
   * Return the segments of the innermost open container or, `withValue`, of the value in it.
   *
   * `begun` is 1 if an array already holds that value, 0 if the value will be its next item.
   */
  path(withValue, begun) {
    const segments = [];
    for (let depth = 1; depth < this.spine.length; depth++) {
      const parent = this.spine[depth - 1];
      segments.push(Array.isArray(parent) ? parent.length - 1 : this.keys[depth]);
    }
    if (withValue && this.spine.length > 0) {
      segments.push(this.inArray ? this.current.length - begun : this.currentKey);
    }
    return segments;
  }

  /** Return the path string of an error: of the open container or, `inValue`, of the value in it. */
  errorPath(inValue, begun) {
    return formatPath("root", this.path(inValue, begun));
  }

  copySpine() {
    this.isPublished = false;
    let parent = null;
    for (let depth = 0; depth < this.spine.length; depth++) {
      const container = this.spine[depth];
      const copy = Array.isArray(container) ? container.slice() : { ...container };
      this.spine[depth] = copy;
      this.replace(parent, this.keys[depth], copy);
      parent = copy;
    }
    this.current = parent;
  }

  /** Replace the last value of an open container. */
  replace(parent, key, value) {
    if (parent === null) this.root = value;
    else if (Array.isArray(parent)) parent[parent.length - 1] = value;
    else setMember(parent, key, value);
  }

  /** Add a value to the innermost open container. */
  put(value) {
    if (this.inString) this.endString();
    if (this.isPublished) this.copySpine();
    this.hasChanged = true;
    if (this.inArray) this.current.push(value);
    else if (this.current === null) this.root = value;
    else setMember(this.current, this.currentKey, value);
  }

  /** Write the text of the open string into its container. */
  settle() {
    if (!this.isStale) return;
    this.isStale = false;
    if (this.isPublished) this.copySpine();
    this.replace(this.current, this.currentKey, this.text);
  }

  begin(isArray) {
    const container = isArray ? [] : {};
    this.put(container);
    this.spine.push(container);
    this.keys.push(this.currentKey);
    this.current = container;
    this.inArray = isArray;
  }

  end() {
    if (this.inString) this.endString();
    this.spine.pop();
    this.currentKey = this.keys.pop();
    this.current = this.spine.length > 0 ? this.spine[this.spine.length - 1] : null;
    this.inArray = Array.isArray(this.current);
  }

  /** End the open container and return it. */
  endOfContainer() {
    if (this.inString) this.endString();
    const container = this.current;
    this.end();
    return container;
  }

  /** Add a piece of a string; return the string so far. */
  stringSoFar(piece, starts, ends) {
    this.string(piece, starts, false);
    const { text } = this;
    if (ends) this.endString();
    return text;
  }

  key(text) {
    if (this.inString) this.endString();
    this.currentKey = text;
  }

  string(piece, starts, ends) {
    if (starts) {
      this.put(piece);
      this.text = piece;
      this.inString = true;
    } else if (piece !== "") {
      this.text += piece;
      this.isStale = true;
      this.hasChanged = true;
    }
    if (ends) this.endString();
  }

  number(text) {
    this.put(Number(text));
  }

  literal(word, value) {
    this.put(value);
  }

  document() {}

  /** Leave a string, at its end or at an error; the text received so far stays in the value. */
  endString() {
    this.settle();
    this.text = "";
    this.inString = false;
  }
}
