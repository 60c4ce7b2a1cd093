/** The grammar of RFC 8259: text fragments, cut anywhere, into calls on a visitor. */

import { JsonStreamError, errorAt } from "./errors.js";
import { readLimits } from "./limits.js";
import {
  AFTER_ITEM, AFTER_MEMBER, AFTER_ROOT, COLON, FAILED, FIRST_ITEM, FIRST_KEY, KEY, LITERAL, NEXT_ITEM, NEXT_KEY,
  NUMBER, START, STRING, VALUE,
} from "./modes.js";
import { NO_DIGIT, STUCK, ZERO, isNumberPart, numberStep } from "./numbers.js";
import { StringReader } from "./strings.js";
import { endOfCharacters } from "./text.js";

const LITERALS = { t: ["true", true], f: ["false", false], n: ["null", null] };

/**
 * What the accumulators have in common: reading text, each character once.
 *
 * A visitor has `begin(isArray)`, `end()`, `key(text)`, `string(piece, starts, ends)`, `number(text)`,
 * `literal(word, value)`, and `errorPath(inValue, begun)`; `document()` and `failed(error, path)`, which is
 * called if errors are not thrown, may be absent. `take()` returns what the last fragment determined. An
 * exception has it, too, as `visitor.takes`.
 */
export class TextReader {
  #visitor;
  #limits;
  #raises;
  #mode = START;
  // the mode after the value that is open, and those after the containers around it
  #after = AFTER_ROOT;
  #stack = [];
  // units read before this fragment; line number, and the character that the line starts with
  #base = 0;
  #line = 1;
  #lineStart = 0;
  #isFinished = false;
  #strings = new StringReader();
  // whether the open string has not been reported yet
  #starts = false;
  // the text of a key or number so far, the state of the number, the expected literal and its part read
  #token = "";
  #number = NO_DIGIT;
  #expected = LITERALS.n;
  #literalAt = 0;
  // the error that ended the text, and the path of the value that it is in
  #error = null;
  #errorPath = "";

  constructor(visitor, { onError = "raise", limits }) {
    if (onError !== "raise" && onError !== "event") {
      throw new TypeError('onError is one of "raise", "event"');
    }
    this.#raises = onError === "raise";
    this.#visitor = visitor;
    this.#limits = readLimits(limits);
  }

  /** Whether a complete document has been read. */
  get isComplete() {
    return this.#mode === AFTER_ROOT;
  }

  /** The error that ended the text, null if there is none. */
  get error() {
    return this.#error;
  }

  /** How far the text has been read: index, line and column, in characters. */
  get position() {
    const index = this.#base - this.#strings.pairs;
    return { index, line: this.#line, column: index - this.#lineStart + 1 };
  }

  /** Read a fragment; return what it determines. */
  addFragment(fragment) {
    if (typeof fragment !== "string") throw new TypeError("a fragment is a string");
    // a selection may be done before its text ends
    if (this.#mode !== FAILED && !this.isDone) {
      if (!this.#isFinished) this.#feed(fragment);
      else if (fragment !== "") this.#fail("after_finish", 0);
    }
    return this.#outcome();
  }

  /** Declare the end of the input; a truncated text is an error. Return what the end determines. */
  finish() {
    if (this.#mode === NUMBER && this.#after === AFTER_ROOT && this.#number >= ZERO) {
      // only the end of the input ends a number at the root
      this.#endNumber();
    }
    const isOpen = this.#mode !== FAILED && this.#mode !== AFTER_ROOT && !this.isDone;
    if (isOpen && !this.#isFinished) this.#fail("truncated", 0);
    this.#isFinished = true;
    return this.#outcome();
  }

  #outcome() {
    const found = this.#visitor.take();
    // what follows the last possible match is not judged
    if (this.#error === null || !this.#raises || this.isDone) return found;
    throw Object.assign(new JsonStreamError(this.#error, this.#errorPath), { [this.#visitor.takes]: found });
  }

  #fail(code, i) {
    const mode = this.#mode;
    const visitor = this.#visitor;
    if (mode === STRING) {
      const held = this.#strings.release();
      if (held !== "") visitor.string(held, false, false);
    }
    const inValue = mode === STRING || mode <= NEXT_ITEM || mode === NUMBER || mode === LITERAL;
    this.#errorPath = visitor.errorPath(inValue, mode === STRING ? 1 : 0);
    this.#base += i;
    const { index, line, column } = this.position;
    this.#error = errorAt(code, index, line, column);
    this.#mode = FAILED;
    this.#token = "";
    if (!this.#raises) visitor.failed?.(this.#error, this.#errorPath);
    return i;
  }

  #feed(text) {
    const n = this.#allowedEnd(text);
    let i = 0;
    while (i < n) {
      const mode = this.#mode;
      if (mode >= STRING) {
        if (mode === FAILED) return;
        if (mode === NUMBER) i = this.#readNumber(text, i, n);
        else if (mode === LITERAL) i = this.#readLiteral(text, i, n);
        else i = this.#readString(text, i, n);
        continue;
      }
      const c = text[i];
      if (c === " " || c === "\n" || c === "\r" || c === "\t") {
        i++;
        if (c === "\n") {
          this.#line++;
          this.#lineStart = this.#base + i - this.#strings.pairs;
        }
      } else if (mode <= NEXT_ITEM) {
        i = this.#beginValue(text, i, n, c);
      } else if (mode <= NEXT_KEY) {
        i = this.#beginKey(i, c);
      } else if (mode === COLON) {
        if (c === ":") {
          this.#mode = VALUE;
          i++;
        } else i = this.#fail("expected_colon", i);
      } else if (mode === AFTER_ROOT) {
        i = this.#fail("trailing_text", i);
      } else if (c === ",") {
        this.#mode = mode === AFTER_ITEM ? NEXT_ITEM : NEXT_KEY;
        i++;
      } else if (c === (mode === AFTER_ITEM ? "]" : "}")) {
        i = this.#close(i);
      } else {
        i = this.#fail("expected_comma", i);
      }
    }
    if (this.#mode === FAILED) return;
    if (n < text.length) this.#fail("document_limit", n);
    else this.#base += n;
  }

  /** Return how many units of a fragment the document's limit allows. */
  #allowedEnd(text) {
    const room = this.#limits.maxDocument - (this.#base - this.#strings.pairs);
    return text.length <= room ? text.length : endOfCharacters(text, 0, room, this.#strings.wasHigh);
  }

  #beginKey(i, c) {
    if (c === '"') {
      this.#mode = KEY;
      this.#strings.begin(this.#limits.maxString);
      return i + 1;
    }
    if (c !== "}") return this.#fail("expected_key", i);
    return this.#mode === FIRST_KEY ? this.#close(i) : this.#fail("trailing_comma", i);
  }

  #beginValue(text, i, n, c) {
    const mode = this.#mode;
    if (c === '"') {
      this.#mode = STRING;
      this.#starts = true;
      this.#strings.begin(this.#limits.maxString);
      return this.#readString(text, i + 1, n);
    }
    if (c === "{" || c === "[") {
      if (this.#stack.length >= this.#limits.maxDepth) return this.#fail("depth_limit", i);
      this.#stack.push(this.#after);
      this.#mode = c === "{" ? FIRST_KEY : FIRST_ITEM;
      this.#after = c === "{" ? AFTER_MEMBER : AFTER_ITEM;
      this.#visitor.begin(c === "[");
      return i + 1;
    }
    if (c === "-" || (c >= "0" && c <= "9")) {
      this.#mode = NUMBER;
      this.#number = NO_DIGIT;
      return i;
    }
    if (c in LITERALS) {
      this.#mode = LITERAL;
      this.#expected = LITERALS[c];
      this.#literalAt = 0;
      return i;
    }
    if (c === "]" && mode === FIRST_ITEM) return this.#close(i);
    // section 8.1: a parser may ignore a byte order mark
    if (c === "\ufeff" && mode === START && this.#base + i === 0) return i + 1;
    return this.#fail(c === "]" && mode === NEXT_ITEM ? "trailing_comma" : "expected_value", i);
  }

  #close(i) {
    this.#visitor.end();
    this.#after = this.#stack.pop();
    this.#endValue();
    return i + 1;
  }

  #endValue() {
    this.#mode = this.#after;
    if (this.#mode === AFTER_ROOT) this.#visitor.document?.();
  }

  #readString(text, i, n) {
    const strings = this.#strings;
    i = strings.read(text, i, n);
    let { piece } = strings;
    const { isClosed, failure } = strings;
    // at the document's limit nothing can follow an escaped high surrogate
    if (n < text.length && i === n && !isClosed) piece += strings.release();
    if (this.#mode === KEY) {
      this.#token += piece;
      if (isClosed) {
        this.#visitor.key(this.#token);
        this.#token = "";
        this.#mode = COLON;
      }
    } else {
      if (isClosed || piece !== "" || this.#starts) {
        this.#visitor.string(piece, this.#starts, isClosed);
        this.#starts = false;
      }
      if (isClosed) this.#endValue();
    }
    return failure === "" ? i : this.#fail(failure, i);
  }

  #readNumber(text, i, n) {
    const start = i;
    let state = this.#number;
    for (; i < n; i++) {
      const step = numberStep(state, text[i]);
      if (step === STUCK) break;
      state = step;
    }
    const room = this.#limits.maxNumber - this.#token.length;
    if (i - start > room) return this.#fail("number_limit", start + room);
    this.#token += text.slice(start, i);
    this.#number = state;
    if (i < n) {
      if (state < ZERO || isNumberPart(text[i])) return this.#fail("invalid_number", i);
      this.#endNumber();
    }
    return i;
  }

  #endNumber() {
    const token = this.#token;
    this.#token = "";
    this.#visitor.number(token);
    this.#endValue();
  }

  #readLiteral(text, i, n) {
    const [word, value] = this.#expected;
    for (; i < n && this.#literalAt < word.length; i++, this.#literalAt++) {
      if (text[i] !== word[this.#literalAt]) return this.#fail("invalid_literal", i);
    }
    if (this.#literalAt === word.length) {
      this.#visitor.literal(word, value);
      this.#endValue();
    }
    return i;
  }
}
