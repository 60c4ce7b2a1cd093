/**
 * Patterns that select values by their paths: `items[*].title`.
 *
 * The syntax is that of path strings, with `*` for any member or item, as a name or in brackets. A leading `$`
 * or `root` is the root. Keys in brackets may have single quotes; a key that is named `*` is written `["*"]`.
 */

import { readIndexOrKey, readSegments } from "./paths.js";

const HEAD = /^(?:\$|root)(?=[.[]|$)/;
// RFC 9535, section 2.3.1.1: single-quoted
const SINGLE = /\['((?:[^'\\\x00-\x1f]|\\(?:['\\/bfnrt]|u[\da-fA-F]{4}))*)'\]/y;

/** Stands for any key or index in a pattern that is given as an array of segments. */
export const ANY = Symbol("any");

export class Pattern {
  constructor(source) {
    this.source = source;
    this.segments = typeof source === "string" ? parsePattern(source) : checkSegments(source);
    // how many segments come before the first wildcard
    const wildcard = this.segments.indexOf(ANY);
    this.fixed = wildcard < 0 ? this.segments.length : wildcard;
  }

  get length() {
    return this.segments.length;
  }

  /** Report whether an array, an object or, with null, a string may hold the segment at a depth. */
  fits(depth, isArray) {
    const own = this.segments[depth];
    return isArray !== null && (own === ANY || (typeof own === "number") === isArray);
  }

  /** Report whether a key or index continues the path after `depth` segments. */
  continues(depth, segment) {
    const own = this.segments[depth];
    return own === ANY || own === segment;
  }
}

function checkSegments(segments) {
  const isSegment = (item) => item === ANY || typeof item === "string" || (Number.isSafeInteger(item) && item >= 0);
  if (!Array.isArray(segments) || !segments.every(isSegment)) {
    throw new TypeError("a pattern is a path string or an array of keys, indexes and ANY");
  }
  return [...segments];
}

const parsePattern = (path) =>
  readSegments(path, HEAD.exec(path)?.[0].length ?? 0, readBracket, (name) => (name === "*" ? ANY : name));

/** Parse a segment in brackets; return it and the index after it. */
function readBracket(path, at) {
  if (path.startsWith("[*]", at)) return [ANY, at + 3];
  SINGLE.lastIndex = at;
  const single = SINGLE.exec(path);
  if (single === null) return readIndexOrKey(path, at, at);
  // as a double-quoted string writes it
  const text = single[1].replace(/\\'|\\.|"/g, (part) => ({ "\\'": "'", '"': '\\"' })[part] ?? part);
  return [JSON.parse(`"${text}"`), SINGLE.lastIndex];
}
