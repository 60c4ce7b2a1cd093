/** A visitor that finds the values which patterns select, while it builds a value. */

import { formatPath } from "./paths.js";

const NONE = [];

/** Return the key or index of a value in an open container: of the last that began, or with 0 of the next. */
const segmentIn = ({ isArray, count, key }, begun = 1) => (isArray ? count - begun : key);

/**
 * Passes the calls of the grammar on to a builder, and reports matches to a sink.
 *
 * `subscriptions` are {pattern, ...}; the sink has `start(match)`, `delta(match, piece)` and
 * `end(match, value)` with match = {subscription, segments}, and what readers take. A state is a subscription
 * whose first `depth` segments matched the path of a container, so each value costs only the patterns that
 * are still possible. With `isSparse` the builder receives only the values that match.
 */
export class MatchingVisitor {
  #subscriptions;
  #sink;
  #builder;
  #isSparse;
  // per open container: what patterns may match in it and which it matches, the number of items or last key
  #open = [];
  // the states and matches of the open string
  #inString = { states: NONE, matches: NONE };
  // how many open containers are matches
  #depth = 0;

  constructor(subscriptions, sink, builder, isSparse) {
    this.#subscriptions = subscriptions;
    this.#sink = sink;
    this.#builder = builder;
    this.#isSparse = isSparse;
  }

  get takes() {
    return this.#sink.takes;
  }

  take() {
    return this.#sink.take();
  }

  /** Begin a value; return the states inside of it, and its matches. */
  #enter() {
    const container = this.#open[this.#open.length - 1];
    let states = NONE;
    if (container === undefined) {
      states = this.#subscriptions.map((subscription) => ({ subscription, depth: 0 }));
    } else {
      container.count++;
      for (const { subscription, depth } of container.found.states) {
        if (!subscription.isDone && subscription.pattern.continues(depth, segmentIn(container))) {
          states = [...states, { subscription, depth: depth + 1 }];
        }
      }
    }
    let matches = NONE;
    for (const { subscription, depth } of states) {
      if (depth !== subscription.pattern.length) continue;
      const match = { subscription, segments: this.#open.map((each) => segmentIn(each)) };
      matches = [...matches, match];
      this.#sink.start(match);
    }
    return { states, matches };
  }

  /** Report the end of matches; a pattern whose fixed part has ended cannot match again. */
  #finish({ states, matches }, value) {
    for (const match of matches) this.#sink.end(match, value);
    for (const { subscription, depth } of states) {
      if (depth <= subscription.pattern.fixed) subscription.isDone = true;
    }
  }

  /** Mark patterns as done that need a segment in a value which cannot have it; null: a string. */
  #exclude({ states }, isArray) {
    for (const { subscription, depth } of states) {
      const { pattern } = subscription;
      if (depth < pattern.length && depth <= pattern.fixed && !pattern.fits(depth, isArray)) subscription.isDone = true;
    }
  }

  #isBuilding(matches) {
    return !this.#isSparse || this.#depth > 0 || matches.length > 0;
  }

  begin(isArray) {
    const found = this.#enter();
    this.#exclude(found, isArray);
    this.#open.push({ found, isArray, count: 0, key: null });
    if (this.#isBuilding(found.matches)) this.#builder.begin(isArray);
    if (found.matches.length > 0) this.#depth++;
  }

  end() {
    const { found } = this.#open.pop();
    const value = this.#isBuilding(found.matches) ? this.#builder.end() : undefined;
    if (found.matches.length > 0) this.#depth--;
    this.#finish(found, value);
  }

  key(text) {
    this.#open[this.#open.length - 1].key = text;
    if (this.#isBuilding(NONE)) this.#builder.key(text);
  }

  string(piece, starts, ends) {
    if (starts) {
      this.#inString = this.#enter();
      this.#exclude(this.#inString, null);
    }
    const { matches } = this.#inString;
    const value = this.#isBuilding(matches) ? this.#builder.string(piece, starts, ends) : undefined;
    if (piece !== "") for (const match of matches) this.#sink.delta(match, piece);
    if (ends) this.#finish(this.#inString, value);
  }

  number(text) {
    this.literal(text, Number(text));
  }

  literal(word, value) {
    const found = this.#enter();
    if (this.#isBuilding(found.matches)) this.#builder.put(value);
    this.#finish(found, value);
  }

  /** Return the path string of an error: of the open container or, `inValue`, of the value in it. */
  errorPath(inValue, begun) {
    const segments = this.#open.map((each, i) => segmentIn(each, i < this.#open.length - 1 ? 1 : begun));
    return formatPath("root", inValue ? segments : segments.slice(0, -1));
  }
}
