/** A tool call as it stood at some moment. */

import { JsonValueAccumulator } from "./accumulator.js";
import { JsonFragmentRebuilder } from "./rebuilder.js";

const UNREAD = Symbol("unread");

/**
 * A tool call as it stood at some moment; it does not change.
 *
 * `args` is undefined before there is a value, `rawArgs` the text received, `error` what is wrong with it
 * (code "truncated": the text was cut off), `finishReason` the provider's word for why the message
 * ended. Every value that `openPath` does not lead through is final, even in an incomplete call.
 */
export class ToolCall {
  #fields;
  #state;
  #version;
  #length;
  #args = UNREAD;
  #openPath = null;
  #rawArgs = UNREAD;

  /** @internal The handler creates calls. */
  constructor(state) {
    const { id, index, name, isComplete, error, finishReason, repairs } = state;
    this.#fields = { id, index, name, isComplete, error, finishReason, repairs };
    this.#state = state;
    this.#version = state.version;
    this.#length = state.text.length;
    if (!state.hasValue) {
      this.#args = isComplete && !state.isFreeText ? {} : undefined;
    } else if (state.source instanceof JsonFragmentRebuilder && (this.#length === 0 || state.source.error || repairs.length > 0)) {
      // the text alone would not show this value later
      this.#read();
    }
  }

  /** @internal Report whether a call still stands like this. */
  isSnapshotOf(state) {
    const fields = this.#fields;
    return (
      this.#version === state.version &&
      this.#length === state.text.length &&
      Object.keys(fields).every((name) => fields[name] === state[name])
    );
  }

  get id() {
    return this.#fields.id;
  }

  get index() {
    return this.#fields.index;
  }

  get name() {
    return this.#fields.name;
  }

  get isComplete() {
    return this.#fields.isComplete;
  }

  get error() {
    return this.#fields.error;
  }

  get finishReason() {
    return this.#fields.finishReason;
  }

  /** What the sender repaired in the arguments, in the order of the text. */
  get repairs() {
    return this.#fields.repairs;
  }

  /** Whether the arguments were not valid JSON, and the sender repaired them. */
  get isRepaired() {
    return this.#fields.repairs.length > 0;
  }

  get args() {
    if (this.#args === UNREAD) this.#read();
    return this.#args;
  }

  get openPath() {
    if (this.#args === UNREAD) this.#read();
    return this.#openPath;
  }

  get rawArgs() {
    if (this.#rawArgs === UNREAD) this.#rawArgs = this.#state.text.slice(0, this.#length);
    return this.#rawArgs;
  }

  /** Read the arguments on first access: from the call if it has not changed, else from its text then. */
  #read() {
    let { source } = this.#state;
    if (this.#state.version !== this.#version) {
      source = new JsonValueAccumulator({ onError: "event" });
      source.addFragment(this.rawArgs);
    }
    this.#args = source.value;
    this.#openPath = source.openPath;
  }

  /** Return everything as plain data. */
  toJSON() {
    const { args, rawArgs, openPath } = this;
    return { ...this.#fields, args, rawArgs, openPath };
  }
}
