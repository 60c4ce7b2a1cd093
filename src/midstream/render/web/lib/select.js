/** Selected values of a text, while it arrives. */

import { ValueBuilder } from "./builder.js";
import { JsonStreamError } from "./errors.js";
import { Grammar } from "./grammar.js";
import { readLimits } from "./limits.js";
import { MatchingVisitor } from "./matching.js";
import { Pattern } from "./patterns.js";

/** Collects the matches of one fragment, and keeps the open ones, outer ones first. */
class MatchList {
  constructor() {
    this.found = [];
    this.open = [];
  }

  start(match) {
    this.open.push(match);
  }

  delta() {}

  end(match, value) {
    this.open.splice(this.open.indexOf(match), 1);
    this.found.push(resultOf(match, value, true));
  }
}

const resultOf = ({ subscription, segments }, value, isFinal) =>
  Object.freeze({ pattern: subscription.pattern.source, segments, value, isFinal });

/**
 * Reads text fragments and returns the values that patterns select, each as soon as it is complete.
 *
 * `paths` is a pattern, or an array of patterns, each a string or an array of segments. Only selected values are built. With `partial: true` a call also returns each selected value that is
 * still open, as far as it has arrived. `isDone` is true once nothing more can match.
 */
export class JsonSelectAccumulator {
  #subscriptions;
  #matches = new MatchList();
  #builder = new ValueBuilder(false);
  #grammar;
  #isPartial;

  constructor(paths, { partial = false, limits } = {}) {
    const sources = typeof paths === "string" ? [paths] : paths;
    this.#subscriptions = sources.map((source) => ({ pattern: new Pattern(source), isDone: false }));
    this.#isPartial = partial;
    const visitor = new MatchingVisitor(this.#subscriptions, this.#matches, this.#builder, true);
    this.#grammar = new Grammar(visitor, readLimits(limits));
  }

  /** Whether nothing more can match. */
  get isDone() {
    return this.#subscriptions.every(({ isDone }) => isDone);
  }

  /** Whether a complete document has been read. */
  get isComplete() {
    return this.#grammar.isComplete;
  }

  /** Read a fragment; return its matches. */
  addFragment(fragment) {
    if (typeof fragment !== "string") throw new TypeError("a fragment is a string");
    if (this.isDone) return [];
    this.#builder.hasChanged = false;
    this.#grammar.add(fragment);
    return this.#outcome();
  }

  /** Declare the end of the input; return the last matches. */
  finish() {
    if (this.isDone) return [];
    this.#builder.hasChanged = false;
    this.#grammar.finish();
    return this.#outcome();
  }

  #outcome() {
    const { found, open } = this.#matches;
    this.#matches.found = [];
    if (this.#isPartial && open.length > 0 && this.#builder.hasChanged) {
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
    // what follows the last possible match is not judged
    if (this.#grammar.error !== null && !this.isDone) {
      const exception = new JsonStreamError(this.#grammar.error, this.#grammar.errorPath);
      exception.matches = found;
      throw exception;
    }
    return found;
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
