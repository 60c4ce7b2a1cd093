/** Text fragments, cut anywhere, into updates in their wire form. */

import { TextReader } from "./grammar.js";
import { formatSegment } from "./paths.js";

/** A visitor that collects updates. */
class UpdateCollector {
  takes = "updates";
  #root;
  #updates = [];
  // per open container: its path, whether it is an array, and the number of items or the last key in it
  #open = [];
  // the open string: its path, and its text so far
  #stringPath = "";
  #text = "";

  constructor(root) {
    this.#root = root;
  }

  /** Return the updates since this was asked last. */
  take() {
    const updates = this.#updates;
    this.#updates = [];
    return updates;
  }

  #add(path, kind, textValue, value) {
    const update = { path, kind };
    if (textValue !== undefined) update.textValue = textValue;
    if (value !== undefined) update.value = value;
    this.#updates.push(update);
  }

  /** Return the path of the open container or, `inValue`, of the value in it, of which `begun` have begun. */
  errorPath(inValue, begun) {
    const container = this.#open[this.#open.length - 1];
    if (container === undefined) return this.#root;
    const { path, isArray, count, key } = container;
    return inValue ? path + formatSegment(isArray ? count - begun : key, path === "") : path;
  }

  /** Return the path of the value that begins now, and count it as an item. */
  #nextPath() {
    const path = this.errorPath(true, 0);
    if (this.#open.length > 0) this.#open[this.#open.length - 1].count++;
    return path;
  }

  begin(isArray) {
    const path = this.#nextPath();
    this.#add(path, isArray ? "StartArray" : "StartObject");
    this.#open.push({ path, isArray, count: 0, key: "" });
  }

  end() {
    const { path, isArray } = this.#open.pop();
    this.#add(path, isArray ? "EndArray" : "EndObject");
  }

  key(text) {
    const container = this.#open[this.#open.length - 1];
    container.key = text;
    this.#add(container.path, "Key", text, text);
  }

  string(piece, starts, ends) {
    if (starts) {
      this.#stringPath = this.#nextPath();
      this.#text = "";
      this.#add(this.#stringPath, "StartString");
    }
    this.#text += piece;
    if (piece !== "") this.#add(this.#stringPath, "PartialString", piece);
    if (ends) this.#add(this.#stringPath, "CompleteString", this.#text, this.#text);
  }

  number(text) {
    const value = Number(text);
    this.#add(this.#nextPath(), "CompleteNumber", text, Number.isFinite(value) ? value : undefined);
  }

  literal(word, value) {
    this.#add(this.#nextPath(), value === null ? "CompleteNull" : "CompleteBoolean", word, value ?? undefined);
  }

  document() {
    this.#add(this.#root, "JsonComplete");
  }

  failed({ message, ...error }, path) {
    this.#updates.push({ path, kind: "Error", textValue: message, error });
  }
}

/**
 * Reads text fragments; `addFragment` and `finish` return the updates that they determine, in their wire form.
 *
 * With `onError: "raise"` invalid text throws JsonStreamError, whose `updates` are those of the fragment
 * before the error; with "event" the last update is an Error. `root` is the name of the root in the paths.
 */
export class JsonFragmentAccumulator extends TextReader {
  constructor({ root = "root", ...options } = {}) {
    super(new UpdateCollector(root), options);
  }
}
