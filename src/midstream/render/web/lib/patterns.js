/**
 * Patterns that select values by their paths: `items[*].title`.
 *
 * The syntax is that of path strings, with `[*]` or `.*` for any member or item. A leading `$` or `root` is
 * the root. A key that is named `*` is written `["*"]`.
 */

import { JsonStreamError, errorAt } from "./errors.js";
import { parsePath } from "./paths.js";

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

function parsePattern(text) {
  const isRooted = text[0] === "$" && (text.length === 1 || text[1] === "." || text[1] === "[");
  const path = isRooted ? `root${text.slice(1)}` : text;
  const segments = [];
  // the parts between wildcards are ordinary paths
  let from = 0;
  for (let at = 0; at < path.length; ) {
    if (path[at] === "[" && path[at + 1] === '"') {
      at = keyEnd(path, at + 1);
    } else if (path.startsWith("[*]", at) || isDotWildcard(path, at)) {
      segments.push(...partOf(path, from, at), ANY);
      at += path[at] === "[" ? 3 : 2;
      from = at;
    } else if (path[at] === "*") {
      throw invalidPattern(at);
    } else at++;
  }
  segments.push(...partOf(path, from, path.length));
  return segments;
}

/** Parse path[from:to]; after a wildcard it must continue with a dot or a bracket. */
function partOf(path, from, to) {
  const part = path.slice(from, to);
  if (from === 0) return parsePath(part);
  if (part === "") return [];
  if (part[0] !== "." && part[0] !== "[") throw invalidPattern(from);
  return parsePath(`root${part}`);
}

function isDotWildcard(path, at) {
  if (path[at] !== "." || path[at + 1] !== "*") return false;
  const next = path[at + 2];
  return next === undefined || next === "." || next === "[";
}

function keyEnd(path, at) {
  let end = at + 1;
  while (end < path.length && path[end] !== '"') end += path[end] === "\\" ? 2 : 1;
  return end + 1;
}

function invalidPattern(at) {
  return new JsonStreamError(errorAt("invalid_path", at, 1, at + 1));
}
