/** Selected values of a text, while it arrives. */

import { ValueBuilder } from "./builder.js";
import { TextReader } from "./grammar.js";
import { MatchingVisitor } from "./matching.js";
import { Pattern } from "./patterns.js";

/** Collects the matches of one fragment, and keeps the open ones, outer ones first. */
class MatchList {
  takes = "matches";
  #found = [];
  #open = [];
  #builder;
  #isPartial;

  constructor(builder, isPartial) {
    this.#builder = builder;
    this.#isPartial = isPartial;
  }

  start(match) {
    this.#open.push(match);
  }

  delta() {}

  end(match, value) {
    this.#open.splice(this.#open.indexOf(match), 1);
    this.#found.push(resultOf(match, value, true));
  }

  /** Return the matches since this was asked last and, if they are wanted, those that are still open. */
  take() {
    const found = this.#found;
    this.#found = [];
    const open = this.#open;
    if (this.#builder.take() && this.#isPartial && open.length > 0) {
      let value = this.#builder.publish();
      let depth = open[0].segments.length;
      const groups = [[]];
      for (const match of open) {
        // inner matches lie on the path of the last value in each container, and come first
        if (depth < match.segments.length) groups.unshift([]);
        for (; depth < match.segments.length; depth++) value = value[match.segments[depth]];
        groups[0].push(resultOf(match, value, false));
      }
      found.push(...groups.flat());
    }
    return found;
  }
}

const resultOf = ({ subscription, segments }, value, isFinal) =>
  Object.freeze({ pattern: subscription.pattern.source, segments, value, isFinal });

/**
 * Reads text fragments; `addFragment` and `finish` return the values that patterns select, each as soon as it is
 * complete.
 *
 * `paths` is a pattern, or an array of patterns, each a string or an array of segments. Only selected values
 * are built. With `partial: true` a call also returns each selected value that is still open, as far as it
 * has arrived.
 */
export class JsonSelectAccumulator extends TextReader {
  #subscriptions;

  constructor(paths, { partial = false, limits } = {}) {
    const sources = typeof paths === "string" ? [paths] : paths;
    const subscriptions = sources.map((source) => ({ pattern: new Pattern(source), isDone: false }));
    const builder = new ValueBuilder(false);
    super(new MatchingVisitor(subscriptions, new MatchList(builder, partial), builder, true), { limits });
    this.#subscriptions = subscriptions;
  }

  /** Whether nothing more can match. */
  get isDone() {
    return this.#subscriptions.every(({ isDone }) => isDone);
  }
}

/**
 * Iterate over the values that patterns select in text fragments (sync or async).
 *
 * Iteration ends as soon as nothing more can match, or after `limit` final matches; the rest of the text is
 * not read then. A text that ends earlier is an error.
 */
export async function* select(fragments, paths, { limit = Infinity, ...options } = {}) {
  const accumulator = new JsonSelectAccumulator(paths, options);
  let count = 0;
  for await (const fragment of fragments) {
    for (const match of accumulator.addFragment(fragment)) {
      yield match;
      if (match.isFinal && ++count >= limit) return;
    }
    if (accumulator.isDone) return;
  }
  yield* accumulator.finish();
}
