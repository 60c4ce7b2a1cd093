/** Text fragments, cut anywhere, into the value so far. */

import { ValueBuilder } from "./builder.js";
import { TextReader } from "./grammar.js";

/**
 * Builds a value from text fragments: RFC 8259, strictly, each character read once.
 *
 * Containers show at once, strings as they grow, numbers and literals when they are complete. `addFragment`
 * and `finish` return whether the value changed. With `onError: "raise"` invalid text throws JsonStreamError;
 * with "event" the error is in `error`. With `live: true`, `value` is the growing value itself, not a
 * snapshot: reading it costs nothing, but it changes with the next fragment.
 */
export class JsonValueAccumulator extends TextReader {
  #builder;

  /** `createVisitor` is internal: a subclass may put a visitor between grammar and builder. */
  constructor(options = {}, createVisitor = (builder) => builder) {
    const builder = new ValueBuilder(options.live ?? false);
    super(createVisitor(builder), options);
    this.#builder = builder;
  }

  /** The value so far, undefined before there is one. */
  get value() {
    return this.#builder.publish();
  }

  /** The segments of the innermost value that is still open, null if nothing is. */
  get openPath() {
    return this.#builder.openPath();
  }
}
