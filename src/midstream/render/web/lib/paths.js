/** Path strings such as `root.users[2]["e.mail"]`: parsing and formatting. */

import { JsonStreamError, errorAt } from "./errors.js";
import { countCharacters } from "./text.js";

// Characters that end a plain name. White space is Python's, which does not include U+FEFF.
const SPECIAL =
  /[\x00-\x20.[\]"'\\\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;
/** Matches an index in brackets. */
const INDEX = /\[(0|[1-9][0-9]{0,17})\]/y;

/** Return the index of the first character at or after `at` that a plain name cannot hold. */
function nameEnd(path, at) {
  SPECIAL.lastIndex = at;
  const match = SPECIAL.exec(path);
  return match === null ? path.length : match.index;
}

/**
 * Parse a path string into its segments: 'root.users[2]["e.mail"]' -> ["users", 2, "e.mail"].
 *
 * A path that does not begin with the name of the root is parsed as one written without it.
 */
export function parsePath(path, root = "root") {
  return splitPath(path, root)[1];
}

/** Parse a path string into the root's name ("" if the path does not state it) and its segments. */
export function splitPath(path, root) {
  const next = path[root.length];
  const rooted = root !== "" && path.startsWith(root) && (next === undefined || next === "." || next === "[");
  return rooted ? [root, readSegments(path, root.length)] : ["", readSegments(path, 0)];
}

/** Parse the segments of a path from index `at` on. Patterns read names and brackets in their own way. */
export function readSegments(path, at, readBracket = readIndexOrKey, readName = (name) => name) {
  const segments = [];
  while (at < path.length) {
    let segment;
    if (path[at] === "[") {
      [segment, at] = readBracket(path, at);
    } else {
      // only the first name of a path without a root has no dot before it
      const start = at === 0 ? 0 : at + 1;
      const end = nameEnd(path, start);
      if (end === start || (at > 0 && path[at] !== ".")) throw invalidPath(path, at);
      segment = readName(path.slice(start, end));
      at = end;
    }
    segments.push(segment);
  }
  return segments;
}

/**
 * Parse a segment in brackets; return it and the index after it. An error in a key is at its place, or at
 * `place`.
 */
export function readIndexOrKey(path, at, place) {
  INDEX.lastIndex = at;
  const index = INDEX.exec(path);
  return index === null ? parseQuotedKey(path, at + 1, place) : [Number(index[1]), INDEX.lastIndex];
}

/** Parse `"key"]`, the inside of a bracket; return the key and the index after the bracket. */
function parseQuotedKey(path, at, place) {
  if (path[at] !== '"') throw invalidPath(path, place ?? at);
  let end = at + 1;
  while (end < path.length && path[end] !== '"') end += path[end] === "\\" ? 2 : 1;
  let key;
  try {
    key = JSON.parse(path.slice(at, end + 1));
  } catch {
    throw invalidPath(path, place ?? at);
  }
  if (path[end + 1] !== "]") throw invalidPath(path, place ?? end + 1);
  return [key, end + 2];
}

export function invalidPath(path, at) {
  const index = countCharacters(path.slice(0, at));
  return new JsonStreamError(errorAt("invalid_path", index, 1, index + 1));
}

/** Format a path string: ("root", ["users", 2, "e.mail"]) -> 'root.users[2]["e.mail"]'. */
export function formatPath(root, segments) {
  let path = root;
  for (const segment of segments) path += formatSegment(segment, path === "");
  return path;
}

/** Format one segment as it continues a path; `isFirst`: nothing comes before it. */
export function formatSegment(segment, isFirst = false) {
  if (typeof segment === "number") return `[${segment}]`;
  if (segment === "" || nameEnd(segment, 0) < segment.length) return `[${quoted(segment)}]`;
  return isFirst ? segment : `.${segment}`;
}

/** Write a key as a JSON string. A lone surrogate stays as it is; JSON.stringify would escape it. */
function quoted(key) {
  return JSON.stringify(key).replace(/\\(?:u(d...)|.)/g, (escape, code) => (code ? String.fromCharCode(`0x${code}`) : escape));
}

/** Return the segments that lead from the path `base` to `path`, null if none do. */
export function segmentsBetween(path, base) {
  if (!path.startsWith(base)) return null;
  const rest = path.slice(base.length);
  if (base === "" || rest === "") return splitPath(rest, "")[1];
  // below a named place comes a dot or a bracket; any root name can stand in front of it
  return rest[0] === "." || rest[0] === "[" ? splitPath(`-${rest}`, "-")[1] : null;
}
