/** Text fragments, cut anywhere, into the value so far. */

import { ValueBuilder } from "./builder.js";
import { JsonStreamError } from "./errors.js";
import { Grammar } from "./grammar.js";
import { readLimits } from "./limits.js";

/**
 * Builds a value from text fragments: RFC 8259, strictly, each character read once.
 *
 * Containers show at once, strings as they grow, numbers and literals when they are complete. With
 * `onError: "raise"` invalid text throws JsonStreamError; with "event" the error is in `error`. With
 * `live: true`, `value` is the growing value itself, not a snapshot: reading it costs nothing, but it
 * changes with the next fragment.
 */
export class JsonValueAccumulator {
  #builder;
  #grammar;
  #raises;

  /** `createVisitor` is internal: a subclass may put a visitor between grammar and builder. */
  constructor({ onError = "raise", limits, live = false } = {}, createVisitor = (builder) => builder) {
    if (onError !== "raise" && onError !== "event") {
      throw new TypeError('onError is one of "raise", "event"');
    }
    this.#raises = onError === "raise";
    this.#builder = new ValueBuilder(live);
    this.#grammar = new Grammar(createVisitor(this.#builder), readLimits(limits));
  }

  /** The value so far, undefined before there is one. */
  get value() {
    return this.#builder.publish();
  }

  /** The segments of the innermost value that is still open, null if nothing is. */
  get openPath() {
    return this.#builder.openPath();
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

  /** Read a fragment; return whether the value changed. */
  addFragment(fragment) {
    if (typeof fragment !== "string") throw new TypeError("a fragment is a string");
    this.#builder.hasChanged = false;
    this.#grammar.add(fragment);
    return this.#outcome();
  }

  /** Declare the end of the input; a truncated text is an error. Return whether the value changed. */
  finish() {
    this.#builder.hasChanged = false;
    this.#grammar.finish();
    return this.#outcome();
  }

  #outcome() {
    if (this.#grammar.error !== null && this.#raises) {
      throw new JsonStreamError(this.#grammar.error, this.#grammar.errorPath);
    }
    return this.#builder.hasChanged;
  }
}
