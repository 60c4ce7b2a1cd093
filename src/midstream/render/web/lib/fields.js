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
  #queue;

  constructor(options = {}) {
    const subscriptions = [];
    const queue = [];
    const sink = {
      start: ({ subscription, segments }) => queue.push([subscription, "start", [segments]]),
      delta: ({ subscription, segments }, piece) => queue.push([subscription, "delta", [piece, segments]]),
      end: ({ subscription, segments }, value) => queue.push([subscription, "end", [value, segments]]),
    };
    super(options, (builder) => new MatchingVisitor(subscriptions, sink, builder, false));
    this.#subscriptions = subscriptions;
    this.#queue = queue;
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

  addFragment(fragment) {
    try {
      return super.addFragment(fragment);
    } finally {
      this.#dispatch();
    }
  }

  finish() {
    try {
      return super.finish();
    } finally {
      this.#dispatch();
    }
  }

  #dispatch() {
    for (const [{ listener }, method, values] of this.#queue.splice(0)) listener[method]?.(...values);
  }
}
