/** Strings and their escapes (RFC 8259, section 7), cut anywhere. */

import { isHighSurrogate, isLowSurrogate } from "./text.js";

const SIMPLE_ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
// what `escapeAt` means: outside of escapes, after the backslash, and after all four digits
const OUTSIDE = 0;
const FIRST = 1;
const COMPLETE = 6;

const HEX_DIGIT = /[\da-f]/i;

/** Decodes one string at a time. After `read`, `piece`, `isClosed` and `failure` hold the outcome. */
export class StringReader {
  piece = "";
  isClosed = false;
  failure = "";
  // surrogate pairs read so far, in all strings: each takes two units and is one character
  pairs = 0;
  // how many characters the string may still have
  room = 0;
  // how many characters of an escape were read, and its code so far
  escapeAt = OUTSIDE;
  code = 0;
  // an escaped high surrogate that waits for the low one, and whether the last unit was a raw one
  high = 0;
  wasHigh = false;

  begin(room) {
    this.room = room;
    this.escapeAt = OUTSIDE;
    this.high = 0;
    this.wasHigh = false;
  }

  /** Read text[i:n]; return the index where reading stopped. */
  read(text, i, n) {
    let piece = "";
    this.isClosed = false;
    this.failure = "";
    while (i < n) {
      if (this.escapeAt !== OUTSIDE) {
        piece += this.#readEscape(text[i]);
        if (this.failure !== "") break;
        i++;
        continue;
      }
      const end = this.#contentEnd(text, i, n);
      if (end > i) {
        piece += this.release() + text.slice(i, end);
        i = end;
        if (this.failure !== "") break;
        continue;
      }
      if (this.failure !== "") break;
      const unit = text.charCodeAt(i);
      if (unit === QUOTE) {
        piece += this.release();
        this.isClosed = true;
        i++;
        break;
      }
      if (unit !== BACKSLASH) {
        this.failure = "control_character";
        break;
      }
      this.wasHigh = false;
      this.escapeAt = FIRST;
      i++;
    }
    this.piece = this.failure === "" ? piece : piece + this.release();
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
    if (j - i - pairs > this.room) return this.#limitEnd(text, i);
    this.room -= j - i - pairs;
    this.pairs += pairs;
    this.wasHigh = wasHigh;
    return j;
  }

  /** Return where the string exceeds its limit: after `room` more characters. */
  #limitEnd(text, i) {
    this.failure = "string_limit";
    for (; ; i++) {
      const unit = text.charCodeAt(i);
      if (this.wasHigh && isLowSurrogate(unit)) this.pairs++;
      else if (this.room === 0) return i;
      else this.room--;
      this.wasHigh = isHighSurrogate(unit);
    }
  }

  /** Read one character of an escape; return the text that it determines. */
  #readEscape(c) {
    if (this.escapeAt === FIRST) {
      if (c === "u") {
        this.escapeAt++;
        this.code = 0;
        return "";
      }
      if (!(c in SIMPLE_ESCAPES)) return this.#fail("invalid_escape");
      const before = this.release();
      if (this.room === 0) return before + this.#fail("string_limit");
      this.room--;
      this.escapeAt = OUTSIDE;
      return before + SIMPLE_ESCAPES[c];
    }
    if (!HEX_DIGIT.test(c)) return this.#fail("invalid_escape");
    const code = this.code * 16 + parseInt(c, 16);
    if (this.escapeAt + 1 < COMPLETE) {
      this.code = code;
      this.escapeAt++;
      return "";
    }
    const isPair = this.high !== 0 && isLowSurrogate(code);
    const before = this.release();
    if (!isPair) {
      if (this.room === 0) return before + this.#fail("string_limit");
      this.room--;
    }
    this.escapeAt = OUTSIDE;
    if (isHighSurrogate(code)) {
      this.high = code;
      return before;
    }
    return before + String.fromCharCode(code);
  }

  #fail(code) {
    this.failure = code;
    return "";
  }

  /** Return the held high surrogate: the low one followed, or did not come. */
  release() {
    if (this.high === 0) return "";
    const surrogate = String.fromCharCode(this.high);
    this.high = 0;
    return surrogate;
  }
}
