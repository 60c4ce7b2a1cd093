/** Text fragments, cut anywhere, into updates in their wire form. */

import { JsonStreamError } from "./errors.js";
import { Grammar } from "./grammar.js";
import { readLimits } from "./limits.js";
import { formatSegment } from "./paths.js";

/** A visitor that collects updates. It keeps the paths of the open containers and of the value in hand. */
class UpdateCollector {
  constructor(root) {
    this.root = root;
    this.updates = [];
    // per open container: its path, the number of items in an array (-1: an object), and the last key
    this.paths = [];
    this.counts = [];
    this.keys = [];
    this.lastKey = "";
    // the open string: its path, and its text so far
    this.stringPath = "";
    this.text = "";
  }

  #add(path, kind, textValue, value) {
    const update = { path, kind };
    if (textValue !== null) update.textValue = textValue;
    if (value !== null) update.value = value;
    this.updates.push(update);
  }

  /** Return the path of the value that begins now, and count it as an item. */
  #nextPath() {
    const top = this.paths.length - 1;
    if (top < 0) return this.root;
    const path = this.paths[top];
    const segment = this.counts[top] < 0 ? this.lastKey : this.counts[top]++;
    return path + formatSegment(segment, path === "");
  }

  begin(isArray) {
    const path = this.#nextPath();
    this.#add(path, isArray ? "StartArray" : "StartObject", null, null);
    this.paths.push(path);
    this.keys.push(this.lastKey);
    this.counts.push(isArray ? 0 : -1);
  }

  end() {
    const isArray = this.counts.pop() >= 0;
    this.lastKey = this.keys.pop();
    this.#add(this.paths.pop(), isArray ? "EndArray" : "EndObject", null, null);
  }

  key(text) {
    this.lastKey = text;
    this.#add(this.paths[this.paths.length - 1], "Key", text, text);
  }

  string(piece, starts, ends) {
    if (starts) {
      this.stringPath = this.#nextPath();
      this.text = "";
      this.#add(this.stringPath, "StartString", null, null);
    }
    if (piece !== "") {
      this.text += piece;
      this.#add(this.stringPath, "PartialString", piece, null);
    }
    if (ends) this.#add(this.stringPath, "CompleteString", this.text, this.text);
  }

  number(text) {
    const value = Number(text);
    this.#add(this.#nextPath(), "CompleteNumber", text, Number.isFinite(value) ? value : null);
  }

  literal(word, value) {
    this.#add(this.#nextPath(), value === null ? "CompleteNull" : "CompleteBoolean", word, value);
  }

  document() {
    this.#add(this.root, "JsonComplete", null, null);
  }

  /** Return the path string of an error: of the open container or, `inValue`, of the value in it. */
  errorPath(inValue, begun) {
    const top = this.paths.length - 1;
    if (!inValue || top < 0) return top < 0 ? this.root : this.paths[top];
    const path = this.paths[top];
    const segment = this.counts[top] < 0 ? this.lastKey : this.counts[top] - begun;
    return path + formatSegment(segment, path === "");
  }
}

/**
 * Reads text fragments and returns the updates that each of them determines, in their wire form.
 *
 * With `onError: "raise"` invalid text throws JsonStreamError, whose `updates` are those of the fragment
 * before the error; with "event" the last update is an Error. `root` is the name of the root in the paths.
 */
export class JsonFragmentAccumulator {
  #collector;
  #grammar;
  #raises;
  #isReported = false;

  constructor({ root = "root", onError = "raise", limits } = {}) {
    if (onError !== "raise" && onError !== "event") {
      throw new TypeError('onError is one of "raise", "event"');
    }
    this.#raises = onError === "raise";
    this.#collector = new UpdateCollector(root);
    this.#grammar = new Grammar(this.#collector, readLimits(limits));
  }

  /** Whether a complete document has been read. */
  get isComplete() {
    return this.#grammar.isComplete;
  }

  /** The error that ended the text, null if there is none. */
  get error() {
    return this.#grammar.error;
  }

  /** How far the text has been read: index, line and column. */
  get position() {
    return this.#grammar.position;
  }

  /** Read a fragment; return its updates. */
  addFragment(fragment) {
    if (typeof fragment !== "string") throw new TypeError("a fragment is a string");
    this.#grammar.add(fragment);
    return this.#outcome();
  }

  /** Declare the end of the input; a truncated text is an error. Return the last updates. */
  finish() {
    this.#grammar.finish();
    return this.#outcome();
  }

  #outcome() {
    const { updates } = this.#collector;
    this.#collector.updates = [];
    const { error, errorPath } = this.#grammar;
    if (error === null) return updates;
    if (this.#raises) {
      const exception = new JsonStreamError(error, errorPath);
      exception.updates = updates;
      throw exception;
    }
    if (!this.#isReported) {
      this.#isReported = true;
      const { code, message, index, line, column } = error;
      updates.push({
        path: errorPath, kind: "Error", textValue: message, error: { code, index, line, column },
      });
    }
    return updates;
  }
}
