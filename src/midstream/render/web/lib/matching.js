/** A visitor that finds the values which patterns select, while it builds a value. */

import { formatPath } from "./paths.js";

const NONE = [];

/** An open container: the patterns that may match in it, and the matches that it is itself. */
class Frame {
  constructor(isArray, states, matches) {
    this.isArray = isArray;
    this.states = states;
    this.matches = matches;
    this.count = 0;
    this.key = null;
  }

  /** The key or index of the last value that began in it. */
  get segment() {
    return this.isArray ? this.count - 1 : this.key;
  }
}

/**
 * Passes the calls of the grammar on to a builder, and reports matches to a sink.
 *
 * `subscriptions` are {pattern, ...}; the sink has `start(match)`, `delta(match, piece)` and
 * `end(match, value)` with match = {subscription, segments}. A state is a subscription whose first `depth`
 * segments matched the path of a container, so each value costs only the patterns that are still possible.
 * With `isSparse` the builder receives only the values that match.
 */
export class MatchingVisitor {
  constructor(subscriptions, sink, builder, isSparse) {
    this.subscriptions = subscriptions;
    this.sink = sink;
    this.builder = builder;
    this.isSparse = isSparse;
    this.frames = [];
    // the matches of the open string, and whether a string is open that nobody builds
    this.stringMatches = NONE;
    this.stringStates = NONE;
    // how many open containers are matches
    this.depth = 0;
  }

  /** Return the segments of the value that began last. */
  segments() {
    return this.frames.map((frame) => frame.segment);
  }

  /** Begin a value: return the states inside of it. */
  #enter() {
    const { frames } = this;
    if (frames.length === 0) return this.subscriptions.map((subscription) => ({ subscription, depth: 0 }));
    const frame = frames[frames.length - 1];
    frame.count++;
    if (frame.states.length === 0) return NONE;
    const { segment } = frame;
    let states = NONE;
    for (const { subscription, depth } of frame.states) {
      if (!subscription.isDone && subscription.pattern.continues(depth, segment)) {
        if (states === NONE) states = [];
        states.push({ subscription, depth: depth + 1 });
      }
    }
    return states;
  }

  /** Report the matches that a value begins; return them. */
  #start(states) {
    let matches = NONE;
    for (const { subscription, depth } of states) {
      if (depth !== subscription.pattern.length) continue;
      if (matches === NONE) matches = [];
      const match = { subscription, segments: this.segments() };
      matches.push(match);
      this.sink.start(match);
    }
    return matches;
  }

  /** Report the end of matches; a pattern whose fixed part has ended cannot match again. */
  #finish(states, matches, value) {
    for (const match of matches) this.sink.end(match, value);
    for (const { subscription, depth } of states) {
      if (depth <= subscription.pattern.fixed) subscription.isDone = true;
    }
  }

  /** Mark patterns as done that need a segment in a value which cannot have it; null: a string. */
  #exclude(states, isArray) {
    for (const { subscription, depth } of states) {
      const { pattern } = subscription;
      if (depth < pattern.length && depth <= pattern.fixed && !pattern.fits(depth, isArray)) subscription.isDone = true;
    }
  }

  #isBuilding(matches) {
    return !this.isSparse || this.depth > 0 || matches.length > 0;
  }

  begin(isArray) {
    const states = this.#enter();
    const matches = this.#start(states);
    const isBuilding = this.#isBuilding(matches);
    this.#exclude(states, isArray);
    this.frames.push(new Frame(isArray, states, matches));
    if (isBuilding) this.builder.begin(isArray);
    if (matches.length > 0) this.depth++;
  }

  end() {
    const frame = this.frames.pop();
    const { matches } = frame;
    const value = this.#isBuilding(matches) ? this.builder.endOfContainer() : undefined;
    if (matches.length > 0) this.depth--;
    this.#finish(frame.states, matches, value);
  }

  key(text) {
    this.frames[this.frames.length - 1].key = text;
    if (!this.isSparse || this.depth > 0) this.builder.key(text);
  }

  string(piece, starts, ends) {
    if (starts) {
      this.stringStates = this.#enter();
      this.stringMatches = this.#start(this.stringStates);
      this.#exclude(this.stringStates, null);
    }
    const matches = this.stringMatches;
    const isBuilding = this.#isBuilding(matches);
    const value = isBuilding ? this.builder.stringSoFar(piece, starts, ends) : undefined;
    if (piece !== "") for (const match of matches) this.sink.delta(match, piece);
    if (ends) {
      const states = this.stringStates;
      this.stringMatches = this.stringStates = NONE;
      this.#finish(states, matches, value);
    }
  }

  #atom(value) {
    const states = this.#enter();
    const matches = this.#start(states);
    if (this.#isBuilding(matches)) this.builder.put(value);
    this.#finish(states, matches, value);
  }

  number(text) {
    this.#atom(Number(text));
  }

  literal(word, value) {
    this.#atom(value);
  }

  document() {}

  /** Return the path string of an error: of the open container or, `inValue`, of the value in it. */
  errorPath(inValue, begun) {
    const segments = this.frames.slice(0, -1).map((frame) => frame.segment);
    const last = this.frames[this.frames.length - 1];
    if (inValue && last !== undefined) segments.push(last.isArray ? last.count - begun : last.key);
    return formatPath("root", segments);
  }
}
