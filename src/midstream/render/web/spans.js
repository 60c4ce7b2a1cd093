/** Where a value lies in the text of its document. */

const BLANK = /[ \t\n\r]*/y;
const ATOM = /[^\s,:[\]{}"]*/y;

/** Return the index after the matches of a sticky pattern. */
function skip(pattern, text, at) {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

function stringEnd(text, at) {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return Math.min(end + 1, text.length);
}

/** Return the index after a value; the text may end, or become invalid, inside of it. */
function valueEnd(text, at) {
  let depth = 0;
  while (at < text.length) {
    const c = text[at];
    if (c === '"') at = stringEnd(text, at);
    else if (c === "{" || c === "[") {
      depth++;
      at++;
    } else if (c === "}" || c === "]") {
      depth--;
      at++;
    } else if (depth > 0 && (c === "," || c === ":" || c === " " || c === "\n" || c === "\t" || c === "\r")) at++;
    else at = Math.max(skip(ATOM, text, at), at + 1);
    if (depth <= 0) break;
  }
  return at;
}

/** Return [start, end] of the value that segments lead to; of a repeated key, the last one. Null: none. */
export function spanOf(text, segments) {
  let start = skip(BLANK, text, 0);
  for (const segment of segments) {
    start = typeof segment === "number" ? itemStart(text, start, segment) : memberStart(text, start, segment);
    if (start < 0) return null;
  }
  return [start, valueEnd(text, start)];
}

function itemStart(text, at, index) {
  if (text[at] !== "[") return -1;
  at = skip(BLANK, text, at + 1);
  for (let i = 0; i < index; i++) {
    at = skip(BLANK, text, valueEnd(text, at));
    if (text[at] !== ",") return -1;
    at = skip(BLANK, text, at + 1);
  }
  return at < text.length && text[at] !== "]" ? at : -1;
}

function memberStart(text, at, key) {
  if (text[at] !== "{") return -1;
  let found = -1;
  at = skip(BLANK, text, at + 1);
  while (text[at] === '"') {
    const end = stringEnd(text, at);
    const isKey = keyOf(text.slice(at, end)) === key;
    at = skip(BLANK, text, end);
    if (text[at] !== ":") break;
    at = skip(BLANK, text, at + 1);
    if (isKey && at < text.length) found = at;
    at = skip(BLANK, text, valueEnd(text, at));
    if (text[at] !== ",") break;
    at = skip(BLANK, text, at + 1);
  }
  return found;
}

function keyOf(literal) {
  try {
    return JSON.parse(literal);
  } catch {
    return null;
  }
}
