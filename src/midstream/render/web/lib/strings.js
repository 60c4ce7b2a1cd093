/** Strings and their escapes (RFC 8259, section 7), cut anywhere. */

import { BACKSLASH, COMPLETE, FIRST, OUTSIDE, QUOTE, SPACE } from "./modes.js";
import { endOfCharacters, isHighSurrogate, isLowSurrogate } from "./text.js";

const SIMPLE_ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const HEX_DIGIT = /[\da-f]/i;

/** Decodes one string at a time. After `read`, `piece`, `isClosed` and `failure` hold the outcome. */
export class StringReader {
  piece = "";
  isClosed = false;
  failure = "";
  // surrogate pairs read so far, in all strings: each takes two units and is one character
  pairs = 0;
  // whether the last unit was a raw high surrogate
  wasHigh = false;
  // how many characters the string may still have
  #room = 0;
  // how many characters of an escape were read, and its code so far
  #escapeAt = OUTSIDE;
  #code = 0;
  // an escaped high surrogate that waits for the low one
  #high = "";

  begin(room) {
    this.#room = room;
    this.#escapeAt = OUTSIDE;
    this.#high = "";
    this.wasHigh = false;
  }

  /** Read text[i:n]; return the index where reading stopped. */
  read(text, i, n) {
    let piece = "";
    this.isClosed = false;
    this.failure = "";
    while (i < n) {
      if (this.#escapeAt !== OUTSIDE) {
        piece += this.#readEscape(text[i]);
        if (this.failure !== "") break;
        i++;
        continue;
      }
      const end = this.#contentEnd(text, i, n);
      if (end > i) piece += this.release() + text.slice(i, end);
      i = end;
      if (i === n || this.failure !== "") break;
      const unit = text.charCodeAt(i);
      if (unit < SPACE) {
        this.failure = "control_character";
        break;
      }
      i++;
      if (unit === QUOTE) {
        this.isClosed = true;
        break;
      }
      this.wasHigh = false;
      this.#escapeAt = FIRST;
    }
    this.piece = this.isClosed || this.failure !== "" ? piece + this.release() : piece;
    return i;
  }

  /** Return the end of the characters that stand for themselves, and count the pairs among them. */
  #contentEnd(text, i, n) {
    let { wasHigh } = this;
    let pairs = 0;
    let j = i;
    for (; j < n; j++) {
      const unit = text.charCodeAt(j);
      if (unit === QUOTE || unit === BACKSLASH || unit < SPACE) break;
      if (unit >= 0xd800) {
        if (wasHigh && isLowSurrogate(unit)) pairs++;
        wasHigh = isHighSurrogate(unit);
      } else {
        wasHigh = false;
      }
    }
    if (j - i - pairs > this.#room) {
      this.failure = "string_limit";
      j = endOfCharacters(text, i, this.#room, this.wasHigh);
      pairs = j - i - this.#room;
    }
    this.#room -= j - i - pairs;
    this.pairs += pairs;
    this.wasHigh = wasHigh;
    return j;
  }

  /** Read one character of an escape; return the text that it determines. */
  #readEscape(c) {
    let text = SIMPLE_ESCAPES[c];
    if (this.#escapeAt === FIRST && c === "u") {
      this.#escapeAt++;
      this.#code = 0;
      return "";
    }
    if (this.#escapeAt === FIRST ? text === undefined : !HEX_DIGIT.test(c)) return this.#fail("invalid_escape");
    let isPair = false;
    if (this.#escapeAt > FIRST) {
      this.#code = this.#code * 16 + parseInt(c, 16);
      if (++this.#escapeAt < COMPLETE) return "";
      text = String.fromCharCode(this.#code);
      isPair = this.#high !== "" && isLowSurrogate(this.#code);
    }
    const before = this.release();
    if (!isPair && this.#room-- === 0) return before + this.#fail("string_limit");
    this.#escapeAt = OUTSIDE;
    if (!isHighSurrogate(text.charCodeAt(0))) return before + text;
    this.#high = text;
    return before;
  }

  #fail(code) {
    this.failure = code;
    return "";
  }

  /** Return the held high surrogate: the low one followed, or did not come. */
  release() {
    const surrogate = this.#high;
    if (surrogate !== "") this.#high = "";
    return surrogate;
  }
}
