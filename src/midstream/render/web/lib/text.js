/** UTF-16 code units and characters: JavaScript indexes units, errors and limits count characters. */

export const isHighSurrogate = (unit) => (unit & 0xfc00) === 0xd800;
export const isLowSurrogate = (unit) => (unit & 0xfc00) === 0xdc00;

/** Return the number of characters in a text; a surrogate pair is one. */
export function countCharacters(text) {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (isLowSurrogate(text.charCodeAt(i)) && isHighSurrogate(text.charCodeAt(i - 1))) count--;
  }
  return count;
}

/** Return where a text from index `i` on exceeds a number of characters; `wasHigh`: a high surrogate is before it. */
export function endOfCharacters(text, i, count, wasHigh) {
  for (; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (!(wasHigh && isLowSurrogate(unit)) && count-- === 0) break;
    wasHigh = isHighSurrogate(unit);
  }
  return i;
}

/** Return the high surrogate that a text ends with, "" if it ends otherwise: the low one may follow. */
export function trailingHighSurrogate(text) {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text[text.length - 1] : "";
}

// Matches a character that is not white space, by the definition of Python's str.strip().
export const NOT_BLANK =
  /[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Report whether a value is a record: an object that is neither null nor an array. */
export const isRecord = (data) => isContainer(data) && !Array.isArray(data);

/** Set a member as plain data: an assignment to "__proto__" would set the prototype. */
export function setMember(object, key, value) {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Report whether a value is an object or an array. */
export const isContainer = (value) => typeof value === "object" && value !== null;

/** Report whether two JSON values are equal or, with `mayGrow`, whether the first may grow to become the second. */
export function agree(first, second, mayGrow) {
  // a work list instead of recursion: it grows while it is iterated
  const pairs = [[first, second]];
  for (const [a, b] of pairs) {
    if (a === b) continue;
    if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
      const keys = Object.keys(a);
      if (!mayGrow && keys.length !== Object.keys(b).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        pairs.push([a[key], b[key]]);
      }
    } else if (!(mayGrow && typeof a === "string" && typeof b === "string" && b.startsWith(a))) {
      return false;
    }
  }
  return true;
}
