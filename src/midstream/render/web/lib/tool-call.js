/** A tool call as it stood at some moment. */

import { JsonValueAccumulator } from "./accumulator.js";
import { JsonFragmentRebuilder } from "./rebuilder.js";

const FIELDS = ["id", "index", "name", "isComplete", "error", "finishReason", "repairs"];

/**
 * A tool call as it stood at some moment; it does not change.
 *
 * `args` is undefined before there is a value, `rawArgs` the text received, `error` what is wrong with it
 * (code "truncated": the text was cut off), `finishReason` the provider's word for why the message
 * ended, `repairs` what the sender repaired in the arguments, in the order of the text. Every value that
 * `openPath` does not lead through is final, even in an incomplete call.
 */
export class ToolCall {
  #state;
  #version;
  #length;
  // the arguments and the path of what is open in them, once they were read
  #content = null;

  /** @internal The handler creates calls. */
  constructor(state) {
    // faster than in a loop
    this.id = state.id;
    this.index = state.index;
    this.name = state.name;
    this.isComplete = state.isComplete;
    this.error = state.error;
    this.finishReason = state.finishReason;
    this.repairs = state.repairs;
    this.#state = state;
    this.#version = state.version;
    this.#length = state.text.length;
    if (!state.hasValue) {
      this.#content = { value: state.isComplete && !state.isFreeText ? {} : undefined, openPath: null };
    } else if (state.source instanceof JsonFragmentRebuilder && (this.#length === 0 || state.source.error || this.isRepaired)) {
      // the text alone would not show this value later
      this.#read();
    }
    Object.freeze(this);
  }

  /** @internal Report whether a call still stands like this. */
  isSnapshotOf(state) {
    return (
      this.#version === state.version &&
      this.#length === state.text.length &&
      FIELDS.every((name) => this[name] === state[name])
    );
  }

  /** Whether the arguments were not valid JSON, and the sender repaired them. */
  get isRepaired() {
    return this.repairs.length > 0;
  }

  get args() {
    return this.#read().value;
  }

  get openPath() {
    return this.#read().openPath;
  }

  get rawArgs() {
    return this.#state.text.slice(0, this.#length);
  }

  /** Read the arguments on first access: from the call if it has not changed, else from its text then. */
  #read() {
    if (this.#content === null) {
      let { source } = this.#state;
      if (this.#state.version !== this.#version) {
        source = new JsonValueAccumulator({ onError: "event" });
        source.addFragment(this.rawArgs);
      }
      const { value, openPath } = source;
      this.#content = { value, openPath };
    }
    return this.#content;
  }

  /** Return everything as plain data. */
  toJSON() {
    const { args, rawArgs, openPath } = this;
    return { ...this, args, rawArgs, openPath };
  }
}
