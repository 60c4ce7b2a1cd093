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
  takes = "hasChanged";
  #root = undefined;
  // the innermost open container, the spine, and the key of each container in the one around it
  #current = null;
  #spine = [];
  #keys = [];
  #key = null;
  // the open string; the container receives its text only when the value is read
  #inString = false;
  #text = "";
  #isStale = false;
  #isPublished = false;
  #hasChanged = false;
  #isLive;

  /** `isLive`: readers get the growing value itself instead of snapshots. */
  constructor(isLive) {
    this.#isLive = isLive;
  }

  /** Report whether the value changed since this was asked last. */
  take() {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  /** Return the value, and mark it as published unless it is live. */
  publish() {
    this.#settle();
    this.#isPublished = !this.#isLive;
    return this.#root;
  }

  /** Return the segments of the innermost open value, null if nothing is open. */
  openPath() {
    if (this.#current === null) return this.#inString ? [] : null;
    return this.#path(this.#inString, 1);
  }

  /**
   * Return the segments of the innermost open container or, `withValue`, of the value in it.
   *
   * `begun` is 1 if an array already holds that value, 0 if the value will be its next item.
   */
  #path(withValue, begun) {
    const keys = [...this.#keys, this.#key];
    const segments = this.#spine.map((each, i) => (Array.isArray(each) ? each.length - 1 : keys[i + 1]));
    const last = segments.pop();
    if (withValue && this.#current !== null) {
      segments.push(Array.isArray(this.#current) ? this.#current.length - begun : last);
    }
    return segments;
  }

  /** Return the path string of an error: of the open container or, `inValue`, of the value in it. */
  errorPath(inValue, begun) {
    return formatPath("root", this.#path(inValue, begun));
  }

  #copySpine() {
    this.#isPublished = false;
    let parent = null;
    for (let depth = 0; depth < this.#spine.length; depth++) {
      const container = this.#spine[depth];
      const copy = Array.isArray(container) ? container.slice() : { ...container };
      this.#spine[depth] = copy;
      this.#replace(parent, this.#keys[depth], copy);
      parent = copy;
    }
    this.#current = parent;
  }

  /** Replace the last value of an open container. */
  #replace(parent, key, value) {
    if (parent === null) this.#root = value;
    else if (Array.isArray(parent)) parent[parent.length - 1] = value;
    else setMember(parent, key, value);
  }

  /** Add a value to the innermost open container. */
  put(value) {
    this.#endString();
    if (this.#isPublished) this.#copySpine();
    this.#hasChanged = true;
    if (Array.isArray(this.#current)) this.#current.push(value);
    else this.#replace(this.#current, this.#key, value);
  }

  /** Write the text of the open string into its container. */
  #settle() {
    if (!this.#isStale) return;
    this.#isStale = false;
    if (this.#isPublished) this.#copySpine();
    this.#replace(this.#current, this.#key, this.#text);
  }

  begin(isArray) {
    const container = isArray ? [] : {};
    this.put(container);
    this.#spine.push(container);
    this.#keys.push(this.#key);
    this.#current = container;
  }

  /** End the open container, and return it. */
  end() {
    this.#endString();
    const container = this.#spine.pop();
    this.#key = this.#keys.pop();
    this.#current = this.#spine[this.#spine.length - 1] ?? null;
    return container;
  }

  key(text) {
    this.#endString();
    this.#key = text;
  }

  /** Add a piece of a string; return the string so far. */
  string(piece, starts, ends) {
    if (starts) {
      this.put(piece);
      this.#text = piece;
      this.#inString = true;
    } else if (piece !== "") {
      this.#text += piece;
      this.#isStale = this.#hasChanged = true;
    }
    const text = this.#text;
    if (ends) this.#endString();
    return text;
  }

  number(text) {
    this.put(Number(text));
  }

  literal(word, value) {
    this.put(value);
  }

  /** Leave a string, at its end or at an error; the text received so far stays in the value. */
  #endString() {
    if (!this.#inString) return;
    this.#settle();
    this.#text = "";
    this.#inString = false;
  }
}
