/** Updates in their wire form into the value so far. */

import { ValueBuilder } from "./builder.js";
import { Cursor } from "./cursor.js";
import { isRecord } from "./text.js";
import { readUpdate } from "./wire.js";

/**
 * Rebuilds a value from updates in their wire form.
 *
 * Values are placed by their paths: Key and StartString updates may be absent, and containers only
 * implied. JsonComplete locks the value. Updates that contradict those before them throw JsonStreamError
 * and change nothing, nor do the others of the same call. `root` is the name of the root in the paths, by
 * default the one in the first update.
 */
export class JsonFragmentRebuilder {
  #root;
  #builder;
  #cursor;

  constructor({ root = null } = {}) {
    this.#root = root;
    this.reset();
  }

  /** Forget everything but the options. */
  reset() {
    this.#builder = new ValueBuilder(false);
    this.#cursor = new Cursor(this.#root);
  }

  /** The value so far, undefined before there is one. */
  get value() {
    return this.#builder.publish();
  }

  /** The segments of the innermost value that is still open, null if there is none. */
  get openPath() {
    return this.#builder.openPath();
  }

  /** Whether JsonComplete was received. */
  get isComplete() {
    return this.#cursor.isDone;
  }

  /** The error of the last Error update, null if there was none. */
  get error() {
    return this.#cursor.error;
  }

  /** What the sender repaired in a text that it read leniently, in the order of the text. */
  get repairs() {
    return this.#cursor.repairs;
  }

  /** Apply the next updates, all or none; return whether the value changed. */
  apply(updates) {
    const cursor = this.#cursor;
    cursor.beginBatch();
    try {
      for (const update of isRecord(updates) && !(Symbol.iterator in updates) ? [updates] : updates) {
        cursor.accept(readUpdate(update));
      }
    } catch (error) {
      cursor.undoBatch();
      throw error;
    }
    const builder = this.#builder;
    for (const [call, argument, starts, ends] of cursor.calls) {
      if (call === "string") builder.string(argument, starts, ends);
      else builder[call](argument);
    }
    cursor.calls = [];
    return builder.take();
  }
}
