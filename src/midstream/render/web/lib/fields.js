/** Listeners for fields of a value, while its text arrives. */

import { JsonValueAccumulator } from "./accumulator.js";
import { MatchingVisitor } from "./matching.js";
import { Pattern } from "./patterns.js";

/**
 * A JsonValueAccumulator that reports the beginning, the growth and the end of chosen fields.
 *
 * Listeners are called after the fragment was read, in the order of the text. An exception in a listener
 * leaves `addFragment`, and the accumulator remains usable.
 */
export class JsonFieldAccumulator extends JsonValueAccumulator {
  #subscriptions;

  constructor(options) {
    const subscriptions = [];
    super(options, (builder) => new MatchingVisitor(subscriptions, new ListenerCalls(builder), builder, false));
    this.#subscriptions = subscriptions;
  }

  /**
   * Call a listener for the values that a pattern selects: `start(segments)`, `delta(piece, segments)` for
   * each new piece of a string, `end(value, segments)`. Return a function that removes the listener.
   * Listeners are added before the first fragment.
   */
  onField(path, listener) {
    const subscription = { pattern: new Pattern(path), listener, isDone: false };
    if (this.value !== undefined) throw new Error("onField must be called before the first fragment");
    this.#subscriptions.push(subscription);
    return () => {
      subscription.isDone = true;
      subscription.listener = {};
    };
  }
}

/** Keeps the calls of listeners until the fragment was read. */
class ListenerCalls {
  #queue = [];
  #builder;

  constructor(builder) {
    this.#builder = builder;
  }

  get takes() {
    return this.#builder.takes;
  }

  take() {
    const changed = this.#builder.take();
    const queue = this.#queue;
    this.#queue = [];
    for (const [{ listener }, method, ...values] of queue) listener[method]?.(...values);
    return changed;
  }

  start({ subscription, segments }) {
    this.#queue.push([subscription, "start", segments]);
  }

  delta({ subscription, segments }, piece) {
    this.#queue.push([subscription, "delta", piece, segments]);
  }

  end({ subscription, segments }, value) {
    this.#queue.push([subscription, "end", value, segments]);
  }
}
