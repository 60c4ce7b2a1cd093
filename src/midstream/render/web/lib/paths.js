/** Path strings such as `root.users[2]["e.mail"]`: parsing and formatting. */

import { JsonStreamError, errorAt } from "./errors.js";
import { countCharacters } from "./text.js";

// Characters that end a plain name. White space is Python's, which does not include U+FEFF.
const SPECIAL =
  /[\x00-\x20.[\]"'\\\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;
/** Matches an index in brackets. */
export const INDEX = /\[(0|[1-9][0-9]{0,17})\]/y;

/** Return the index of the first character at or after `at` that a plain name cannot hold. */
export function nameEnd(path, at) {
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
  const end = path.length;
  const next = path[root.length];
  const rooted = root !== "" && path.startsWith(root) && (root.length === end || next === "." || next === "[");
  let at = rooted ? root.length : 0;
  const segments = [];
  while (at < end) {
    if (path[at] === "[") {
      INDEX.lastIndex = at;
      const index = INDEX.exec(path);
      if (index !== null) {
        segments.push(Number(index[1]));
        at = INDEX.lastIndex;
      } else {
        const [key, after] = parseQuotedKey(path, at + 1);
        segments.push(key);
        at = after;
      }
    } else {
      // the first name of a path without a root has no dot before it
      const dotted = path[at] === ".";
      const start = dotted && (rooted || at > 0) ? at + 1 : at;
      const stop = nameEnd(path, start);
      if (stop === start || (!dotted && at > 0)) throw invalidPath(path, at);
      segments.push(path.slice(start, stop));
      at = stop;
    }
  }
  return [rooted ? root : "", segments];
}

/**
 * Parse `"key"]`, the inside of a bracket; return the key and the index after the bracket. An error is at its
 * place, or at `place`.
 */
export function parseQuotedKey(path, at, place = null) {
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
