/**
 * midstream for the browser: the wire form of updates, and raw JSON text, into values that grow.
 *
 * Three machines, each behaving as its Python namesake; one table of cases drives both
 * (tests/web_cases.json):
 *
 *     JsonFragmentRebuilder           updates in their wire form -> the value so far
 *     JsonValueAccumulator            text fragments -> the value so far
 *     ToolsAggregateMessageHandler    events -> the tool calls of a message, as they stand
 *
 * A value that was read is never changed afterwards; the next change copies the containers that are
 * still open and shares all others, so `===` tells what did not change. Treat values as read-only.
 *
 * Values are what JSON.parse makes of the text: ordinary objects (a key "__proto__" is an own
 * property like any other), numbers as doubles (beyond 2**53 inexact; `rawArgs` keeps the digits), and
 * of a repeated key the last value. Objects list keys such as "7" first, in ascending order, as all
 * objects of JavaScript do. Indexes, lines and columns of errors count characters, not UTF-16 units.
 */

// Errors

const WORDS = {
  expected_value: "expected a value",
  expected_key: "expected a key in double quotes, or '}'",
  expected_colon: "expected ':' after a key",
  expected_comma: "expected ',' or the end of the container",
  trailing_comma: "a comma with nothing after it",
  trailing_text: "text after the end of the document",
  truncated: "the text ends before the document does",
  invalid_literal: "not one of true, false, null",
  invalid_number: "invalid number",
  invalid_escape: "invalid escape in a string",
  control_character: "unescaped control character in a string",
  depth_limit: "containers nested deeper than max_depth",
  number_limit: "number longer than max_number",
  after_finish: "more input after the end was declared",
  invalid_path: "invalid path",
  unknown: "an error that is not explained",
  invalid_update: "not an update",
  misplaced_update: "the update does not go on from those before it",
  provider_error: "the provider gave the call up",
  invalid_event: "not an event of this format",
};
// codes that only the server can come upon, but tell of
const OTHER_CODES = [
  "invalid_utf8", "string_limit", "document_limit", "number_refused", "invalid_checkpoint",
  "unknown_format", "no_match", "invalid_value", "invalid_snapshot", "conflict", "event_limit",
];
const CODES = new Set([...Object.keys(WORDS), ...OTHER_CODES]);

/** An error as data, at a place of a text. */
function errorAt(code, index, line, column) {
  return Object.freeze({
    code, message: `${WORDS[code]} (line ${line}, column ${column})`, index, line, column,
  });
}

/** An error as data that has no place in a text; `index` counts what came before. */
function errorOf(code, index = 0, why = "") {
  const message = why ? `${WORDS[code]}: ${why}` : WORDS[code];
  return Object.freeze({ code, message, index, line: 1, column: index + 1 });
}

/** The one exception that bad input throws; `error` is the same as data. */
export class JsonStreamError extends Error {
  constructor(error, path = "") {
    super(error.message);
    this.name = "JsonStreamError";
    this.error = error;
    this.code = error.code;
    this.index = error.index;
    this.line = error.line;
    this.column = error.column;
    this.path = path;
  }
}

// What Python's default Limits set: section 9 of RFC 8259 allows such bounds.
const MAX_DEPTH = 1000;
const MAX_NUMBER = 4300;

// Text

const isHigh = (unit) => (unit & 0xfc00) === 0xd800;
const isLow = (unit) => (unit & 0xfc00) === 0xdc00;

/** Count the characters of a text; a pair of surrogates is one. */
function characters(text) {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) count--;
  }
  return count;
}

// Paths

// White space as Python has it, which does not count U+FEFF among it.
const SPECIAL =
  /[\x00-\x20.[\]"'\\\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;
const INDEX = /\[(0|[1-9][0-9]{0,17})\]/y;
const TO_ESCAPE = /["\\\x00-\x1f]/g;
const SHORT_ESCAPES = {
  '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
};

/** Find the first character from `at` on that a plain name can't hold. */
function nameEnd(path, at) {
  SPECIAL.lastIndex = at;
  const match = SPECIAL.exec(path);
  return match === null ? path.length : match.index;
}

/**
 * Read a path string back into its segments: 'root.users[2]["e.mail"]' -> ["users", 2, "e.mail"].
 *
 * A path that does not begin with the root's name is read as one written without.
 */
export function parsePath(path, root = "root") {
  return splitPath(path, root)[1];
}

function splitPath(path, root) {
  const end = path.length;
  const behind = path[root.length];
  const rooted =
    root !== "" && path.startsWith(root) && (root.length === end || behind === "." || behind === "[");
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
        const [key, next] = quotedKey(path, at + 1);
        segments.push(key);
        at = next;
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

/** Read `"key"]`: the inside of a bracket. */
function quotedKey(path, at) {
  if (path[at] !== '"') throw invalidPath(path, at);
  let end = at + 1;
  while (end < path.length && path[end] !== '"') end += path[end] === "\\" ? 2 : 1;
  let key;
  try {
    key = JSON.parse(path.slice(at, end + 1));
  } catch {
    throw invalidPath(path, at);
  }
  if (path[end + 1] !== "]") throw invalidPath(path, end + 1);
  return [key, end + 2];
}

function invalidPath(path, at) {
  const index = characters(path.slice(0, at));
  return new JsonStreamError(errorAt("invalid_path", index, 1, index + 1));
}

/** Write a path below a place: `root.users[2]["e.mail"]`. */
function formatPath(root, segments) {
  let path = root;
  for (const segment of segments) {
    if (typeof segment === "number") path += `[${segment}]`;
    else if (segment === "" || nameEnd(segment, 0) < segment.length) path += `[${quoted(segment)}]`;
    else path += path === "" ? segment : `.${segment}`;
  }
  return path;
}

/** Write a key as a JSON string; a lone surrogate stays as it is, which JSON.stringify would escape. */
function quoted(key) {
  const escaped = (unit) =>
    SHORT_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${key.replace(TO_ESCAPE, escaped)}"`;
}

// Values

/**
 * Build a value from calls that nest. Reading it publishes it: from then on it belongs to the reader,
 * and the next change first copies the spine, the containers that are still open.
 */
class ValueBuilder {
  constructor() {
    this.root = undefined;
    // the innermost open container; all of them, and the key of each in the one around it
    this.current = null;
    this.inArray = false;
    this.spine = [];
    this.keys = [];
    this.keyOfValue = null;
    // the open string, put into its place when somebody looks
    this.inString = false;
    this.text = "";
    this.isStale = false;
    this.isPublished = false;
    this.hasChanged = false;
  }

  publish() {
    this.settle();
    this.isPublished = true;
    return this.root;
  }

  openPath() {
    if (this.spine.length === 0) return this.inString ? [] : null;
    return this.path(this.inString, 1);
  }

  path(withValue, begun) {
    const segments = [];
    for (let depth = 1; depth < this.spine.length; depth++) {
      const above = this.spine[depth - 1];
      segments.push(Array.isArray(above) ? above.length - 1 : this.keys[depth]);
    }
    if (withValue && this.spine.length > 0) {
      segments.push(this.inArray ? this.current.length - begun : this.keyOfValue);
    }
    return segments;
  }

  copySpine() {
    this.isPublished = false;
    let above = null;
    for (let depth = 0; depth < this.spine.length; depth++) {
      const container = this.spine[depth];
      const copy = Array.isArray(container) ? container.slice() : { ...container };
      this.spine[depth] = copy;
      this.place(above, this.keys[depth], copy);
      above = copy;
    }
    this.current = above;
  }

  /** Put a value in the place of the last one in an open container. */
  place(above, key, value) {
    if (above === null) this.root = value;
    else if (Array.isArray(above)) above[above.length - 1] = value;
    else setMember(above, key, value);
  }

  put(value) {
    if (this.inString) this.endString();
    if (this.isPublished) this.copySpine();
    this.hasChanged = true;
    if (this.inArray) this.current.push(value);
    else if (this.current === null) this.root = value;
    else setMember(this.current, this.keyOfValue, value);
  }

  settle() {
    if (!this.isStale) return;
    this.isStale = false;
    if (this.isPublished) this.copySpine();
    this.place(this.current, this.keyOfValue, this.text);
  }

  begin(container) {
    this.put(container);
    this.spine.push(container);
    this.keys.push(this.keyOfValue);
    this.current = container;
    this.inArray = Array.isArray(container);
  }

  end() {
    if (this.inString) this.endString();
    this.spine.pop();
    this.keyOfValue = this.keys.pop();
    this.current = this.spine.length > 0 ? this.spine[this.spine.length - 1] : null;
    this.inArray = Array.isArray(this.current);
  }

  key(text) {
    if (this.inString) this.endString();
    this.keyOfValue = text;
  }

  string(piece, starts, ends) {
    if (starts) {
      this.put(piece);
      this.text = piece;
      this.inString = true;
    } else if (piece !== "") {
      this.text += piece;
      this.isStale = true;
      this.hasChanged = true;
    }
    if (ends) this.endString();
  }

  /** Leave a string, at its end or where an error broke it off: what there is of it stays. */
  endString() {
    this.settle();
    this.text = "";
    this.inString = false;
  }
}

/** Set a member as plain data: assigned, "__proto__" would be the object's prototype. */
function setMember(object, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

// Text -> value

// Modes: what the grammar allows next. A value may begin ...
const START = 0;
const VALUE = 1;
const FIRST_ITEM = 2;
const NEXT_ITEM = 3;
// ... or a key, or only structure may follow ...
const FIRST_KEY = 4;
const NEXT_KEY = 5;
const COLON = 6;
const AFTER_ITEM = 7;
const AFTER_MEMBER = 8;
const AFTER_ROOT = 9;
// ... or the text stands inside a token
const STRING = 10;
const KEY = 11;
const NUMBER = 12;
const LITERAL = 13;
const FAILED = 14;

const LITERALS = { t: ["true", true], f: ["false", false], n: ["null", null] };
const SIMPLE_ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

// States of a number, named after what has just been read; from ZERO on it may end.
const NO_DIGIT = 0;
const MINUS = 1;
const POINT = 2;
const E = 3;
const SIGN = 4;
const ZERO = 5;
const INTEGER = 6;
const FRACTION = 7;
const EXPONENT = 8;
const STUCK = -1;

function numberStep(state, c) {
  if (c >= "0" && c <= "9") {
    if (state >= INTEGER) return state;
    if (state <= MINUS) return c === "0" ? ZERO : INTEGER;
    if (state === POINT) return FRACTION;
    return state === ZERO ? STUCK : EXPONENT;
  }
  if (c === ".") return state === ZERO || state === INTEGER ? POINT : STUCK;
  if (c === "e" || c === "E") return state >= ZERO && state <= FRACTION ? E : STUCK;
  if (c === "-") return state === NO_DIGIT ? MINUS : state === E ? SIGN : STUCK;
  if (c === "+") return state === E ? SIGN : STUCK;
  return STUCK;
}

const isNumberPart = (c) => (c >= "0" && c <= "9") || (c !== "" && ".-+eE".includes(c));

function hexDigit(c) {
  if (c >= "0" && c <= "9") return c.charCodeAt(0) - 48;
  const lower = c.toLowerCase();
  return lower >= "a" && lower <= "f" ? lower.charCodeAt(0) - 87 : -1;
}

/**
 * Turn text fragments, cut anywhere, into the value so far: RFC 8259, strictly, each character read once.
 *
 * Containers show at once, strings as they grow, numbers and literals when they are complete. With
 * `onError: "raise"` bad text throws JsonStreamError, with "event" it is in `error`.
 */
export class JsonValueAccumulator {
  #onError;
  #builder = new ValueBuilder();
  #error = null;
  #errorPath = "";
  #mode = START;
  // the mode behind the value under way, and those of the containers around
  #after = AFTER_ROOT;
  #stack = [];
  // units read before this fragment, how many of them were second halves of characters; lines
  #base = 0;
  #pairs = 0;
  #line = 1;
  #lineStart = 0;
  #isFinished = false;
  // the text of a key or number that is cut; what a literal is to be, and how much of it was read
  #token = "";
  #number = NO_DIGIT;
  #literal = LITERALS.n;
  #literalAt = 0;
  // the string: whether it has been announced, how many characters of an escape were read, its code, a
  // high surrogate that waits for the low one, and whether the last character was half a pair as it is
  #starts = false;
  #escapeAt = 0;
  #code = 0;
  #high = 0;
  #wasHigh = false;

  constructor({ onError = "raise" } = {}) {
    if (onError !== "raise" && onError !== "event") {
      throw new TypeError('onError is one of "raise", "event"');
    }
    this.#onError = onError;
  }

  /** The value so far, undefined before there is one. */
  get value() {
    return this.#builder.publish();
  }

  /** The way to the innermost value that is still open, null if nothing is. */
  get openPath() {
    return this.#builder.openPath();
  }

  /** Whether a whole document has been read. */
  get isComplete() {
    return this.#mode === AFTER_ROOT;
  }

  /** The error that ended the text, null if there is none. */
  get error() {
    return this.#error;
  }

  /** How far the text has been read: index, line and column. */
  get position() {
    const index = this.#base - this.#pairs;
    return { index, line: this.#line, column: index - this.#lineStart + 1 };
  }

  /** Read a fragment, and tell whether the value changed. */
  addFragment(fragment) {
    if (typeof fragment !== "string") throw new TypeError("a fragment is a string");
    this.#builder.hasChanged = false;
    if (this.#mode !== FAILED) {
      if (!this.#isFinished) this.#feed(fragment);
      else if (fragment !== "") this.#fail("after_finish", 0);
    }
    return this.#told();
  }

  /** Take the end of the input as the end of the text; a truncated text is an error. */
  finish() {
    this.#builder.hasChanged = false;
    if (this.#mode === NUMBER && this.#after === AFTER_ROOT && this.#number >= ZERO) {
      // a number has no end of its own
      this.#endNumber();
    }
    if (this.#mode !== FAILED && this.#mode !== AFTER_ROOT && !this.#isFinished) this.#fail("truncated", 0);
    this.#isFinished = true;
    return this.#told();
  }

  #told() {
    if (this.#mode === FAILED && this.#onError === "raise") {
      throw new JsonStreamError(this.#error, this.#errorPath);
    }
    return this.#builder.hasChanged;
  }

  #fail(code, i) {
    const builder = this.#builder;
    const mode = this.#mode;
    if (mode === STRING) {
      const held = this.#release();
      if (held !== "") builder.string(held, false, false);
    }
    builder.settle();
    const inValue = mode === STRING || mode <= NEXT_ITEM || mode === NUMBER || mode === LITERAL;
    this.#errorPath = formatPath("root", builder.path(inValue, mode === STRING ? 1 : 0));
    this.#base += i;
    const { index, line, column } = this.position;
    this.#error = errorAt(code, index, line, column);
    this.#mode = FAILED;
    this.#token = "";
    return i;
  }

  #feed(text) {
    let i = 0;
    while (i < text.length) {
      const mode = this.#mode;
      if (mode >= STRING) {
        if (mode === FAILED) return;
        if (mode === NUMBER) i = this.#readNumber(text, i);
        else if (mode === LITERAL) i = this.#readLiteral(text, i);
        else i = this.#readString(text, i);
        continue;
      }
      const c = text[i];
      if (c === " " || c === "\n" || c === "\r" || c === "\t") {
        i++;
        if (c === "\n") {
          this.#line++;
          this.#lineStart = this.#base + i - this.#pairs;
        }
      } else if (mode <= NEXT_ITEM) {
        i = this.#beginValue(text, i, c);
      } else if (mode <= NEXT_KEY) {
        if (c === '"') {
          this.#mode = KEY;
          this.#beginString();
          i++;
        } else if (c !== "}") i = this.#fail("expected_key", i);
        else if (mode === FIRST_KEY) i = this.#close(i);
        else i = this.#fail("trailing_comma", i);
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
    if (this.#mode !== FAILED) this.#base += text.length;
  }

  #beginValue(text, i, c) {
    const mode = this.#mode;
    if (c === '"') {
      this.#mode = STRING;
      this.#starts = true;
      this.#beginString();
      return this.#readString(text, i + 1);
    }
    if (c === "{" || c === "[") {
      if (this.#stack.length >= MAX_DEPTH) return this.#fail("depth_limit", i);
      this.#stack.push(this.#after);
      this.#mode = c === "{" ? FIRST_KEY : FIRST_ITEM;
      this.#after = c === "{" ? AFTER_MEMBER : AFTER_ITEM;
      this.#builder.begin(c === "{" ? {} : []);
      return i + 1;
    }
    if (c === "-" || (c >= "0" && c <= "9")) {
      this.#mode = NUMBER;
      this.#number = NO_DIGIT;
      return i;
    }
    if (c === "t" || c === "f" || c === "n") {
      this.#mode = LITERAL;
      this.#literal = LITERALS[c];
      this.#literalAt = 0;
      return i;
    }
    if (c === "]" && mode === FIRST_ITEM) return this.#close(i);
    // a byte order mark may be ignored
    if (c === "\ufeff" && mode === START && this.#base + i === 0) return i + 1;
    return this.#fail(c === "]" && mode === NEXT_ITEM ? "trailing_comma" : "expected_value", i);
  }

  #close(i) {
    this.#builder.end();
    this.#after = this.#stack.pop();
    this.#mode = this.#after;
    return i + 1;
  }

  #beginString() {
    this.#escapeAt = 0;
    this.#high = 0;
    this.#wasHigh = false;
  }

  #readString(text, i) {
    let piece = "";
    let closed = false;
    let failure = "";
    while (i < text.length && failure === "") {
      if (this.#escapeAt > 0) {
        const [done, decoded] = this.#readEscape(text[i]);
        if (!done) failure = "invalid_escape";
        else i++;
        piece += decoded;
        continue;
      }
      const end = this.#contentEnd(text, i);
      if (end > i) {
        piece += this.#release() + text.slice(i, end);
        i = end;
      } else if (text[i] === '"') {
        piece += this.#release();
        closed = true;
        i++;
        break;
      } else if (text[i] === "\\") {
        this.#wasHigh = false;
        this.#escapeAt = 1;
        i++;
      } else {
        failure = "control_character";
      }
    }
    if (failure !== "") piece += this.#release();
    if (this.#mode === KEY) {
      this.#token += piece;
      if (closed) {
        this.#builder.key(this.#token);
        this.#token = "";
        this.#mode = COLON;
        return i;
      }
    } else {
      if (closed || piece !== "" || this.#starts) {
        this.#builder.string(piece, this.#starts, closed);
        this.#starts = false;
      }
      if (closed) {
        this.#mode = this.#after;
        return i;
      }
    }
    return failure === "" ? i : this.#fail(failure, i);
  }

  /** Find the end of what stands for itself, and count the characters that take two units. */
  #contentEnd(text, i) {
    let wasHigh = this.#wasHigh;
    for (; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit === 34 || unit === 92 || unit < 32) break;
      if (wasHigh && isLow(unit)) this.#pairs++;
      wasHigh = isHigh(unit);
    }
    this.#wasHigh = wasHigh;
    return i;
  }

  /** Take one character behind a backslash: whether it may stand there, and what became certain. */
  #readEscape(c) {
    if (this.#escapeAt === 1) {
      if (c === "u") {
        this.#escapeAt = 2;
        this.#code = 0;
        return [true, ""];
      }
      const simple = Object.hasOwn(SIMPLE_ESCAPES, c) ? SIMPLE_ESCAPES[c] : undefined;
      if (simple === undefined) return [false, ""];
      this.#escapeAt = 0;
      return [true, this.#release() + simple];
    }
    const digit = hexDigit(c);
    if (digit < 0) return [false, ""];
    this.#code = this.#code * 16 + digit;
    this.#escapeAt++;
    if (this.#escapeAt < 6) return [true, ""];
    this.#escapeAt = 0;
    const decoded = this.#release();
    if (isHigh(this.#code)) {
      this.#high = this.#code;
      return [true, decoded];
    }
    return [true, decoded + String.fromCharCode(this.#code)];
  }

  /** Let a high surrogate go: its other half follows, or does not come. */
  #release() {
    if (this.#high === 0) return "";
    const half = String.fromCharCode(this.#high);
    this.#high = 0;
    return half;
  }

  #readNumber(text, i) {
    const start = i;
    let state = this.#number;
    for (; i < text.length; i++) {
      const step = numberStep(state, text[i]);
      if (step === STUCK) break;
      state = step;
    }
    const room = MAX_NUMBER - this.#token.length;
    if (i - start > room) return this.#fail("number_limit", start + room);
    this.#token += text.slice(start, i);
    this.#number = state;
    if (i < text.length) {
      if (state < ZERO || isNumberPart(text[i])) return this.#fail("invalid_number", i);
      this.#endNumber();
    }
    return i;
  }

  #endNumber() {
    this.#builder.put(Number(this.#token));
    this.#token = "";
    this.#mode = this.#after;
  }

  #readLiteral(text, i) {
    const [word, value] = this.#literal;
    for (; i < text.length && this.#literalAt < word.length; i++, this.#literalAt++) {
      if (text[i] !== word[this.#literalAt]) return this.#fail("invalid_literal", i);
    }
    if (this.#literalAt === word.length) {
      this.#builder.put(value);
      this.#mode = this.#after;
    }
    return i;
  }
}

// Updates -> value

const KINDS = new Map();
for (const kind of [
  "StartObject", "EndObject", "StartArray", "EndArray", "Key", "StartString", "PartialString",
  "CompleteString", "CompleteNumber", "CompleteBoolean", "CompleteNull", "JsonComplete", "Error",
]) {
  KINDS.set(kind, kind);
  // other senders lower the first letter
  KINDS.set(kind[0].toLowerCase() + kind.slice(1), kind);
}
const WITH_TEXT = new Set(["PartialString", "CompleteString", "Key"]);
const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

const isRecord = (data) => typeof data === "object" && data !== null && !Array.isArray(data);

function invalidUpdate(why, path = "") {
  return new JsonStreamError(errorOf("invalid_update", 0, why), path);
}

/** Check a wire form; give its path, its kind, and text and value as the kind has them. */
function readWire(data) {
  if (!isRecord(data)) throw invalidUpdate("neither an update nor a dict");
  const { path } = data;
  if (typeof path !== "string") throw invalidUpdate("no path");
  const kind = KINDS.get(data.kind);
  if (kind === undefined) throw invalidUpdate("no kind, or one that does not exist", path);
  let text = data.textValue ?? null;
  if (text === null && WITH_TEXT.has(kind)) text = data.value ?? null;
  if (text !== null) {
    if (typeof text !== "string") throw invalidUpdate("a text that is no string", path);
  } else if (WITH_TEXT.has(kind)) {
    throw invalidUpdate("no text", path);
  }
  const value = valueOf(kind, text, data);
  if (value === undefined) throw invalidUpdate(`no value of its kind, ${kind}`, path);
  return { path, kind, text, value };
}

/** Give the value that an update of this kind has, undefined if it has not. */
function valueOf(kind, text, data) {
  const value = data.value ?? null;
  switch (kind) {
    case "Key":
    case "CompleteString":
      return value === null || value === text ? text : undefined;
    case "CompleteNumber":
      if (value !== null && !Number.isFinite(value)) return undefined;
      if (text === null) return value ?? undefined;
      if (!WHOLE_NUMBER.test(text)) return undefined;
      // as long a number as Python's int() reads
      if (/^-?[0-9]+$/.test(text) && text.replace("-", "").length > MAX_NUMBER) return undefined;
      // the text is exact, whatever the number went through on its way
      return Number(text);
    case "CompleteNull":
      return value === null ? null : undefined;
    case "CompleteBoolean":
      if (value !== null) return typeof value === "boolean" ? value : undefined;
      return text === "true" ? true : text === "false" ? false : undefined;
    case "Error":
      return (data.error ?? null) === null ? null : toldError(data.error, text ?? "");
    default:
      return null;
  }
}

function toldError(error, message) {
  if (!isRecord(error) || !("code" in error) || typeof error.code === "object") return undefined;
  const place = [error.index, error.line, error.column].map(Number);
  if (!place.every(Number.isFinite)) return undefined;
  const [index, line, column] = place.map(Math.trunc);
  const code = CODES.has(error.code) ? error.code : "unknown";
  return Object.freeze({ code, message, index, line, column });
}

/** An open container, as it was after some update: never changed, so that one can go back to it. */
class Frame {
  constructor(above, segment, isArray, isExplicit, path = null, count = 0) {
    this.above = above;
    this.segment = segment;
    this.isArray = isArray;
    this.isExplicit = isExplicit;
    this.count = count;
    this.depth = above === null ? 1 : above.depth + 1;
    // how updates name it, as far as that is known
    this.path = path;
  }

  grown() {
    return new Frame(
      this.above, this.segment, this.isArray, this.isExplicit, this.path, this.count + 1,
    );
  }
}

/** List the segments from the root down to an open container. */
function segmentsTo(frame) {
  const segments = [];
  for (; frame !== null && frame.segment !== null; frame = frame.above) segments.push(frame.segment);
  return segments.reverse();
}

/** Give the segments that lead from the place `base` to `path`, null if none do. */
function stepsBetween(path, base) {
  if (!path.startsWith(base)) return null;
  const rest = path.slice(base.length);
  if (base === "" || rest === "") return splitPath(rest, "")[1];
  // below a named place comes a dot or a bracket; any name will do in front of it
  return rest[0] === "." || rest[0] === "[" ? splitPath(`-${rest}`, "-")[1] : null;
}

/** Tell the root's name from the first update. */
function rootName(kind, path) {
  const [name, segments] = splitPath(path, "root");
  // a stream that writes its containers begins with the one at the root
  if (kind === "StartObject" || kind === "StartArray") {
    return segments.length === 1 && segments[0] === path ? path : name;
  }
  return name;
}

/**
 * Put updates in their wire form together again to the value.
 *
 * Values are placed by their paths: Key and StartString updates may be absent, and containers only
 * implied. JsonComplete locks the value. Updates that can't be right throw JsonStreamError and change
 * nothing, nor do those given in the same call. `root` is the name of the root in the paths, by default
 * what the first update tells.
 */
export class JsonFragmentRebuilder {
  #root;
  #builder;
  #calls;
  // whether the update under way was found only by its segments
  #hasMoved = false;
  // All that an update moves. A call works on a copy, which takes the place of this one if all went well.
  #at;

  constructor({ root = null } = {}) {
    this.#root = root;
    this.reset();
  }

  /** Forget everything but the options. */
  reset() {
    this.#builder = new ValueBuilder();
    this.#calls = [];
    this.#at = {
      error: null,
      // the root's name once it is known, the open container, the key or index of its last value
      name: this.#root,
      frame: null,
      segment: null,
      // the key that is announced; whether the root value has ended, and JsonComplete come; how many
      // updates there were
      key: null,
      ended: false,
      done: false,
      seen: 0,
      // the open string, and half a surrogate pair that waits for the other
      inString: false,
      text: "",
      held: "",
    };
  }

  /** The value so far, undefined before there is one. */
  get value() {
    return this.#builder.publish();
  }

  /** The way to the innermost value that is still open, null if there is none. */
  get openPath() {
    return this.#builder.openPath();
  }

  /** Whether JsonComplete has come. */
  get isComplete() {
    return this.#at.done;
  }

  /** What the last Error update told, null if there was none. */
  get error() {
    return this.#at.error;
  }

  /** Take the next updates, all or none, and tell whether the value changed. */
  apply(updates) {
    const before = this.#at;
    this.#at = { ...before };
    try {
      for (const update of isRecord(updates) && !(Symbol.iterator in updates) ? [updates] : updates) {
        this.#take(readWire(update));
        this.#at.seen++;
      }
    } catch (error) {
      this.#at = before;
      this.#calls = [];
      throw error;
    }
    const builder = this.#builder;
    builder.hasChanged = false;
    for (const [call, argument, starts, ends] of this.#calls) {
      if (call === "string") builder.string(argument, starts, ends);
      else if (call === "key") builder.key(argument);
      else if (call === "begin") builder.begin(argument);
      else if (call === "end") builder.end();
      else builder.put(argument);
    }
    this.#calls = [];
    return builder.hasChanged;
  }

  #take(update) {
    const at = this.#at;
    const { path, kind, text, value } = update;
    if (kind === "Error") {
      this.#takeError(path, value);
      return;
    }
    if (at.done) throw this.#refuse("the document is complete");
    this.#hasMoved = false;
    const steps = this.#stepsTo(kind, path);
    switch (kind) {
      case "Key":
        this.#takeKey(steps, text);
        break;
      case "JsonComplete":
        this.#takeEndOfDocument(steps);
        break;
      case "EndObject":
      case "EndArray":
        this.#takeEnd(steps, kind === "EndArray");
        break;
      case "PartialString":
      case "CompleteString":
        if (!at.inString) {
          this.#begin(steps, kind === "PartialString");
          this.#openString();
        } else if (!this.#isLast(steps)) {
          throw this.#refuse("a string has not ended");
        }
        this.#takeText(text, kind === "CompleteString");
        break;
      case "StartObject":
      case "StartArray":
        if (steps.length === 0 && at.frame !== null) throw this.#refuse("a container is open at this place");
        this.#begin(steps, false);
        this.#push(kind === "StartArray", true, path);
        break;
      case "StartString":
        this.#begin(steps, false);
        this.#openString();
        break;
      default:
        this.#begin(steps, false);
        this.#calls.push(["put", value]);
        this.#endValue();
    }
    if (this.#hasMoved && kind !== "Key" && at.frame !== null) this.#learnPath(path);
  }

  // where an update is, seen from the open container

  /** Leave the implied containers that end here; give the steps from the one that stays open. */
  #stepsTo(kind, path) {
    const { frame } = this.#at;
    if (frame !== null && frame.path !== null) {
      const steps = stepsBetween(path, frame.path);
      if (steps !== null) return steps;
    }
    const segments = this.#segmentsOf(kind, path);
    this.#hasMoved = true;
    const own = segmentsTo(frame);
    for (let depth = own.length - 1; depth >= 0; depth--) {
      if (segments[depth] === own[depth]) continue;
      this.#leaveImplied(own.length - depth);
      own.length = depth;
    }
    return segments.slice(own.length);
  }

  /** Give the way to a place from the root, whose name the first update tells. */
  #segmentsOf(kind, path) {
    const at = this.#at;
    at.name ??= rootName(kind, path);
    const steps = stepsBetween(path, at.name);
    if (steps === null) throw this.#refuse("the path of another root", path);
    return steps;
  }

  /** Close containers that nothing but paths had opened. */
  #leaveImplied(count) {
    for (let i = 0; i < count; i++) {
      if (this.#at.frame === null || this.#at.frame.isExplicit) {
        throw this.#refuse("another place than that of an open value");
      }
      this.#pop();
    }
  }

  /** Keep the path of the open container as the sender writes it, where the value's shows it. */
  #learnPath(path) {
    const { frame, segment } = this.#at;
    if (frame.path !== null || segment === null) return;
    const written = formatPath("-", [segment]).slice(1);
    if (path.endsWith(written)) frame.path = path.slice(0, path.length - written.length);
  }

  #isLast(steps) {
    if (this.#at.frame === null) return steps.length === 0;
    return steps.length === 1 && steps[0] === this.#at.segment;
  }

  /** Move to where a value begins. */
  #begin(steps, unannounced) {
    const at = this.#at;
    if (at.inString) throw this.#refuse("a string has not ended");
    if (at.ended) throw this.#refuse("the root value has ended");
    const { frame } = at;
    if (frame === null && steps.length > 0) {
      this.#push(typeof steps[0] === "number", false, null);
    } else if (frame !== null && steps.length === 0) {
      // an open container's own place: once more a key whose container was only implied
      if (frame.isExplicit || frame.segment === null) {
        throw this.#refuse("a container is open at this place");
      }
      this.#pop();
      steps = [frame.segment];
    }
    for (let depth = 1; depth < steps.length; depth++) {
      this.#place(steps[depth - 1], false);
      this.#push(typeof steps[depth] === "number", false, null);
    }
    if (steps.length > 0) this.#place(steps[steps.length - 1], unannounced);
  }

  /** Begin a member of the open container. */
  #place(segment, unannounced) {
    const at = this.#at;
    if (at.frame.isArray) {
      if (segment !== at.frame.count) {
        throw this.#refuse(typeof segment === "number" ? "an item out of order" : "a key in an array");
      }
      at.frame = at.frame.grown();
    } else {
      if (typeof segment !== "string") throw this.#refuse("an index in an object");
      if (at.key !== null && at.key !== segment) throw this.#refuse("another key than the one announced");
      if (unannounced && at.key === null && at.segment === segment) {
        throw this.#refuse("a part of a string for a value that has ended");
      }
      this.#calls.push(["key", segment]);
    }
    at.segment = segment;
    at.key = null;
  }

  /** Open a container at the value that began last. */
  #push(isArray, isExplicit, path) {
    const at = this.#at;
    const frame = new Frame(at.frame, at.segment, isArray, isExplicit, path);
    if (frame.depth > MAX_DEPTH) throw new JsonStreamError(errorOf("depth_limit", at.seen));
    this.#calls.push(["begin", isArray ? [] : {}]);
    at.frame = frame;
    at.segment = null;
    at.key = null;
  }

  /** Close the open container. */
  #pop() {
    const at = this.#at;
    this.#calls.push(["end"]);
    at.segment = at.frame.segment;
    at.frame = at.frame.above;
    at.key = null;
    this.#endValue();
  }

  #endValue() {
    this.#at.ended = this.#at.frame === null;
  }

  // what an update tells

  #takeKey(steps, text) {
    const at = this.#at;
    if (at.frame === null || steps.length > 0) {
      // the object is implied
      this.#begin(steps, false);
      this.#push(false, false, null);
    }
    this.#checkNothingIsMissing();
    if (at.frame.isArray) throw this.#refuse("a key in an array");
    at.key = text;
  }

  #takeEnd(steps, isArray) {
    const { frame } = this.#at;
    if (frame === null || steps.length > 0 || frame.isArray !== isArray) {
      throw this.#refuse("the end of a container that is not open");
    }
    this.#checkNothingIsMissing();
    this.#pop();
  }

  #checkNothingIsMissing() {
    if (this.#at.inString) throw this.#refuse("a string has not ended");
    if (this.#at.key !== null) throw this.#refuse("a key without a value");
  }

  #takeEndOfDocument(steps) {
    const at = this.#at;
    const { frame } = at;
    if (frame !== null && frame.above === null && !frame.isExplicit && !at.inString) this.#pop();
    if (steps.length > 0 || !at.ended) throw this.#refuse("the root value has not ended");
    at.done = true;
  }

  #openString() {
    const at = this.#at;
    at.inString = true;
    at.text = "";
    at.held = "";
    this.#calls.push(["string", "", true, false]);
  }

  #takeText(text, ends) {
    const at = this.#at;
    if (ends) {
      if (!text.startsWith(at.text)) throw this.#refuse("a string that is not the sum of its parts");
      text = text.slice(at.text.length);
      at.inString = false;
      at.text = "";
    } else if (text !== "") {
      // a sender that counts UTF-16 units may cut a pair in two
      text = at.held + text;
      at.held = isHigh(text.charCodeAt(text.length - 1)) ? text[text.length - 1] : "";
      text = text.slice(0, text.length - at.held.length);
      at.text += text;
    }
    if (text !== "" || ends) this.#calls.push(["string", text, false, ends]);
    if (ends) this.#endValue();
  }

  /** Note an error; a string that it spoiled ends, and at the root another value may take its place. */
  #takeError(path, error) {
    const at = this.#at;
    splitPath(path, "root");
    at.error = error ?? errorOf("unknown");
    const isCut = at.error.code === "truncated";
    if (at.inString) {
      // it stays open for who looks, until something else follows
      this.#calls.push(["string", at.held, false, false]);
      at.held = "";
      at.inString = isCut;
    }
    if (!isCut) at.key = null;
  }

  /** Say why an update does not fit, and where the last one that did was. */
  #refuse(why, path = null) {
    const { frame, name, seen } = this.#at;
    const place = path ?? formatPath(name ?? "", segmentsTo(frame));
    return new JsonStreamError(errorOf("misplaced_update", seen, why), place);
  }
}

// Events

const isInteger = Number.isSafeInteger;
const isString = (value) => typeof value === "string";
const isBoolean = (value) => typeof value === "boolean";
const FIELDS = {
  tool_call_id: isString,
  index: (value) => isInteger(value) || isString(value),
  function_name: isString,
  function_args: isString,
  json_update_fragments: Array.isArray,
  message_id: isString,
  choice: isInteger,
  failed: isBoolean,
  is_free_text: isBoolean,
  args_offset: isInteger,
  is_truncated: isBoolean,
  text: isString,
  reason: isString,
  result: () => true,
  tool_call_updates: Array.isArray,
};
const TYPES = {
  __proto__: null,
  tool_call_update: [
    "tool_call_id", "index", "function_name", "function_args", "json_update_fragments", "message_id",
    "choice", "is_free_text", "args_offset",
  ],
  tools_call_update: ["tool_call_updates", "message_id"],
  tool_call_end: ["tool_call_id", "index", "failed", "message_id", "choice"],
  text_delta: ["text", "message_id", "choice"],
  tool_result: ["tool_call_id", "result", "message_id"],
  message_end: ["reason", "is_truncated", "message_id", "choice"],
};

function invalidEvent(why) {
  return new JsonStreamError(errorOf("invalid_event", 0, why));
}

const isPlainUpdate = (item) => isRecord(item) && (item.type === undefined || item.type === "tool_call_update");

/** Read an event; null if it is something else than a message. What it leaves open is null. */
function readEvent(event) {
  let type = event.type;
  if (typeof type !== "string") {
    if ("tool_call_updates" in event) type = "tools_call_update";
    else type = "function_args" in event || "function_name" in event ? "tool_call_update" : "";
  }
  const names = TYPES[type];
  if (names === undefined) return null;
  const message = { type };
  for (const name of names) {
    message[name] = event[name] ?? null;
  }
  if (type === "tools_call_update") {
    const updates = message.tool_call_updates;
    if (!Array.isArray(updates) || !updates.every(isPlainUpdate)) {
      throw invalidEvent("tool_call_updates is no list of updates");
    }
    const id = message.message_id;
    message.tool_call_updates = updates.map((item) =>
      readEvent({ ...item, type: "tool_call_update", message_id: item.message_id || id }),
    );
  }
  for (const name of names) {
    if (message[name] !== null && !FIELDS[name](message[name])) {
      throw invalidEvent(`${name} is of another type`);
    }
  }
  if (type === "text_delta" && message.text === null) throw invalidEvent("no text");
  return message;
}

// Which call a piece belongs to

// what str.strip() of Python does not take away
const NOT_BLANK = /[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** The calls of one message and choice, in order of appearance. */
class CallTable {
  #byId = new Map();
  #atIndex = new Map();
  #latest = null;
  #new;

  constructor(newCall) {
    this.#new = newCall;
    this.calls = [];
  }

  /** Give the call that an update belongs to, a new one if it begins one. */
  find(update) {
    const id = update.tool_call_id || null;
    const { index } = update;
    let name = update.function_name || null;
    const isBlank = !NOT_BLANK.test(update.function_args ?? "");
    let call = this.#known(id, index, name, isBlank);
    // it says nothing of where the next piece belongs
    if (call !== null && name === null && !update.function_args && tellsEnd(update)) return call;
    if (call === null) {
      call = this.#new();
      this.calls.push(call);
      if (name === null && id === null && index !== null && this.#atIndex.has(index)) {
        // its name came with an empty piece, which seemed to repeat that of the call before
        name = this.#atIndex.get(index).name;
      }
    }
    if (!call.isOpen) return call;
    call.isNamedAgain ||= name !== null && isBlank && call.isWhole();
    if (id !== null) {
      // an id that changes under way is another name of the same call
      this.#byId.set(id, call);
      call.id ??= id;
    }
    if (index !== null) {
      this.#atIndex.set(index, call);
      call.index ??= index;
    }
    call.name = name ?? call.name;
    this.#latest = call;
    return call;
  }

  /** Find the call that goes on. */
  #known(id, index, name, isBlank) {
    let call = (id !== null && this.#byId.get(id)) || null;
    if (call !== null && (call.isOpen || name === null || (isBlank && name === call.name))) return call;
    const latest = this.#latest;
    if (index === null) {
      // where ids are all there is, another one is another call
      call = id !== null && latest !== null && latest.id !== null ? null : latest;
    } else {
      call = this.#atIndex.get(index) ?? null;
      if (call === null && id === null && name === null && latest !== null && latest.index === null) {
        call = latest;
      }
    }
    if (call === null) return null;
    const isBare = id === null && name === null;
    // a piece without a name behind the end of its call is late, and begins no other
    if (!call.isOpen) return isBare ? call : null;
    if (name === null || call.name === null) {
      if (isBare && call.isNamedAgain && !isBlank) return null;
      // nothing says that a call begins, unless an id and a name join one that has its id
      return name !== null && id !== null && call.id !== null ? null : call;
    }
    if (name !== call.name || (id !== null && call.id !== null)) return null;
    // the same name again: repeated with every piece, or a second call of the same tool
    return call.isWhole() && !isBlank ? null : call;
  }

  /** Tell whether there is a call of this id. */
  knows(id) {
    return id !== null && this.#byId.has(id);
  }

  /** Give the call that has this id or, without one, is open at this index; else the latest. */
  named(id, index) {
    if (id !== null && this.#byId.has(id)) return this.#byId.get(id);
    if (index !== null) return this.#atIndex.get(index) ?? null;
    return id === null ? this.#latest : null;
  }

  /** The ids of all calls. */
  get ids() {
    return [...this.#byId.keys()];
  }
}

/** Which choice of each message the calls of an id are in: an id is sure, a choice is often not told. */
class CallPlaces {
  #choices = new Map();

  /** Give the choice that has the call of this id; where none has, the one that was told. */
  choice(id, messageId, told) {
    return this.#choices.get(id)?.get(messageId) ?? told;
  }

  /** Give the messages that have a call of this id, and the choice in each. */
  of(id) {
    return this.#choices.get(id) ?? [];
  }

  /** Know that the call of this id is there. */
  add(id, messageId, choice) {
    let found = this.#choices.get(id);
    if (found === undefined) this.#choices.set(id, (found = new Map()));
    if (!found.has(messageId)) found.set(messageId, choice);
  }

  /** Forget the calls of these ids in a message. */
  discard(ids, messageId) {
    for (const id of ids) {
      const found = this.#choices.get(id);
      if (found?.delete(messageId) && found.size === 0) this.#choices.delete(id);
    }
  }
}

const ENDS = new Set(["Error", "JsonComplete", "error", "jsonComplete"]);

/** Tell whether a fragment is the end of a document, good or bad. */
const isEnd = (fragment) => ENDS.has(fragment?.kind);

const tellsEnd = (update) => isEnd(update.json_update_fragments?.at(-1));

// Tool calls

const UNREAD = Symbol("unread");

/**
 * A tool call as it stood at some moment; it does not change any more.
 *
 * `args` is undefined while there is nothing, `rawArgs` the text that came, `error` what is wrong with
 * it (a code of "truncated": it was cut off), `finishReason` the provider's word for why the message
 * ended. What `openPath` does not lead through is final, even in a call that is not.
 */
export class ToolCall {
  #fields;
  #state;
  #version;
  #length;
  #args = UNREAD;
  #openPath = null;
  #rawArgs = UNREAD;

  /** @internal Made by the handler. */
  constructor(state) {
    const { id, index, name, isComplete, error, finishReason } = state;
    this.#fields = { id, index, name, isComplete, error, finishReason };
    this.#state = state;
    this.#version = state.version;
    this.#length = state.text.length;
    if (!state.hasValue) {
      this.#args = isComplete && !state.isFreeText ? {} : undefined;
    } else if (state.source instanceof JsonFragmentRebuilder && (this.#length === 0 || state.source.error)) {
      // what the text alone would not show later
      this.#read();
    }
  }

  /** @internal Tell whether a call still stands like this. */
  isSnapshotOf(state) {
    const fields = this.#fields;
    return (
      this.#version === state.version &&
      this.#length === state.text.length &&
      Object.keys(fields).every((name) => fields[name] === state[name])
    );
  }

  get id() {
    return this.#fields.id;
  }

  get index() {
    return this.#fields.index;
  }

  get name() {
    return this.#fields.name;
  }

  get isComplete() {
    return this.#fields.isComplete;
  }

  get error() {
    return this.#fields.error;
  }

  get finishReason() {
    return this.#fields.finishReason;
  }

  get args() {
    if (this.#args === UNREAD) this.#read();
    return this.#args;
  }

  get openPath() {
    if (this.#args === UNREAD) this.#read();
    return this.#openPath;
  }

  get rawArgs() {
    if (this.#rawArgs === UNREAD) this.#rawArgs = this.#state.text.slice(0, this.#length);
    return this.#rawArgs;
  }

  /** Read the arguments when somebody looks: at once from the call, later from the text of then. */
  #read() {
    let { source } = this.#state;
    if (this.#state.version !== this.#version) {
      source = new JsonValueAccumulator({ onError: "event" });
      source.addFragment(this.rawArgs);
    }
    this.#args = source.value;
    this.#openPath = source.openPath;
  }

  /** All of it as plain data. */
  toJSON() {
    const { args, rawArgs, openPath } = this;
    return { ...this.#fields, args, rawArgs, openPath };
  }
}

/** Tell whether fragments are part of a value, and not only its end. */
function tellValues(fragments) {
  return !(fragments ?? []).every(isEnd);
}

/** Tell whether a value, however deep, may grow to another one. */
function isPart(shown, whole) {
  // no recursion: the list grows while it is gone through
  const pairs = [[shown, whole]];
  for (const [a, b] of pairs) {
    if (isBranch(a) && isBranch(b) && Array.isArray(a) === Array.isArray(b)) {
      for (const key of Object.keys(a)) {
        if (!Object.hasOwn(b, key)) return false;
        pairs.push([a[key], b[key]]);
      }
    } else if (typeof a === "string" && typeof b === "string") {
      if (!b.startsWith(a)) return false;
    } else if (a !== b) return false;
  }
  return true;
}

const isBranch = (value) => typeof value === "object" && value !== null;

/** A call under way: its text, and what reads it. */
class CallState {
  constructor() {
    this.id = null;
    this.index = null;
    this.name = null;
    this.isOpen = true;
    // whether its name came once more when its arguments were whole
    this.isNamedAgain = false;
    // all text; how many characters that is; half a surrogate pair that waits for the other
    this.text = "";
    this.length = 0;
    this.half = "";
    // characters of arguments that came, or were before what came
    this.received = 0;
    // counts the changes of what the source would show
    this.version = 0;
    this.source = null;
    this.hasValue = false;
    // what is missing for good: a piece that was lost, or fragments that did not fit, without text
    this.gap = null;
    this.error = null;
    this.isComplete = false;
    this.isFreeText = false;
    // it ended where it may have been cut off; what comes next will tell
    this.waits = false;
    this.finishReason = null;
    this.snapshot = null;
  }

  isWhole() {
    const { source } = this;
    // a rebuilder has been complete even if there was more, as half a pair is, too
    return source !== null && source.isComplete && source.error === null && this.half === "";
  }

  /** Take a piece of the call, and tell whether it had anything to say of the arguments. */
  add(update) {
    if (!this.isOpen) return false;
    const arrived = characters(update.function_args ?? "");
    // who sends fragments alone has no text to count
    const offset = arrived > 0 ? (update.args_offset ?? null) : null;
    if (offset !== null && offset !== this.received) {
      // it came before, as happens when a connection was lost
      if (offset + arrived <= this.received) return false;
      this.#miss(null, "a piece of the arguments is missing");
    }
    this.received = arrived + (offset ?? this.received);
    // told behind a text that has been read as JSON, it comes too late
    this.isFreeText ||= (update.is_free_text ?? false) && this.source === null;
    const text = this.half + (update.function_args ?? "");
    this.half = isHigh(text.charCodeAt(text.length - 1)) ? text[text.length - 1] : "";
    const piece = text.slice(0, text.length - this.half.length);
    const fragments = update.json_update_fragments;
    const hadText = this.length > 0;
    if (piece !== "") {
      this.text += piece;
      this.length += characters(piece);
    }
    if (!this.isFreeText) this.#read(piece, fragments, hadText);
    // that a call has ended is told by whoever ends it, and is no content
    return Boolean(update.function_args) || (this.length === 0 && tellValues(fragments));
  }

  /** Show a piece to the source: fragments while all pieces have them and they fit, else the text. */
  #read(piece, fragments, hadText) {
    // what there is behind a gap would only look like the arguments
    if (this.gap !== null) return;
    if (this.source instanceof JsonValueAccumulator) {
      if (piece !== "") this.#change(this.source.addFragment(piece));
      else if (tellValues(fragments)) this.#miss();
    } else if (fragments === null) {
      if (piece !== "") this.#turnToText(hadText || this.source === null);
    } else if (fragments.length > 0 || piece !== "") {
      try {
        this.source ??= new JsonFragmentRebuilder();
        this.#change(this.source.apply(fragments));
      } catch (error) {
        if (!(error instanceof JsonStreamError)) throw error;
        if (this.length > 0) this.#turnToText(piece !== "" || hadText);
        else this.#miss(error.error);
      }
    }
  }

  /** Go on with the raw text: there are no fragments, or they have a gap or don't fit. */
  #turnToText(isAll) {
    if (!isAll) this.#miss();
    this.source = new JsonValueAccumulator({ onError: "event" });
    this.#change(this.source.addFragment(this.text));
  }

  #change(hasChanged) {
    this.version++;
    this.hasValue ||= hasChanged;
    this.error = this.gap ?? this.source.error;
  }

  #miss(error = null, why = "text and fragments take turns") {
    this.gap ??= error ?? errorOf("misplaced_update", 0, why);
    this.error = this.gap;
  }

  /** End the call as the provider told, or wait: nothing or a number may have been cut off. */
  endIfCertain() {
    const { source } = this;
    const isInDoubt = source === null || (!source.isComplete && source.openPath === null);
    if (this.isOpen && isInDoubt && this.error === null) {
      this.isOpen = false;
      this.waits = true;
    } else {
      this.end(true, false);
    }
  }

  /** End the call: the provider told so, or the stream is over. */
  end(wasTold, wasCut) {
    if (!this.isOpen && !this.waits) return;
    this.isOpen = false;
    this.waits = false;
    if (this.half !== "") {
      this.text += this.half;
      this.length++;
      if (this.source instanceof JsonValueAccumulator) this.#change(this.source.addFragment(this.half));
      this.half = "";
    }
    this.isComplete = this.#isAll(wasTold) && !wasCut;
    if (!this.isComplete) this.error ??= errorAt("truncated", ...this.#place());
  }

  /** Tell whether the arguments are whole at their end; of text and fragments, both must say so. */
  #isAll(wasTold) {
    if (this.error !== null) return false;
    // no arguments at all stand for an empty object
    if (this.isFreeText || !(this.hasValue || NOT_BLANK.test(this.text))) return wasTold;
    // a number at the root has no end of its own
    let isCertain = wasTold || this.isWhole();
    if (this.source instanceof JsonValueAccumulator) {
      if (!this.isWhole()) this.#change(this.source.finish());
    } else if (this.length > 0) {
      const text = new JsonValueAccumulator({ onError: "event" });
      text.addFragment(this.text);
      isCertain ||= text.isComplete;
      text.finish();
      this.#compare(text);
    }
    return isCertain && this.isWhole() && this.error === null;
  }

  /** Let the text have the last word where fragments told less, but not where they told otherwise. */
  #compare(text) {
    const { value } = text;
    const shown = this.hasValue ? this.source.value : value;
    if (this.hasValue && text.error !== null) {
      this.error = text.error;
    } else if (!isPart(shown, value) || (this.isWhole() && !isPart(value, shown))) {
      this.#miss(null, "text and fragments differ");
    } else if (!this.isWhole()) {
      this.source = text;
      this.#change(value !== undefined);
    }
  }

  /** Give the end of the text: index, line and column. */
  #place() {
    const lines = this.text.split("\n");
    return [this.length, lines.length, characters(lines[lines.length - 1]) + 1];
  }

  /** End the call as one that the provider gave up, unless it was complete before. */
  fail() {
    if (!this.isOpen && !this.waits) return;
    this.end(true, false);
    this.isComplete = false;
    this.error ??= errorOf("provider_error");
  }

  /** Give the call as it stands; the same object while nothing changes. */
  view() {
    if (!this.snapshot?.isSnapshotOf(this)) this.snapshot = new ToolCall(this);
    return this.snapshot;
  }
}

/** The calls of a message, over all its choices in order of appearance. */
class Message {
  #id;
  #places;

  constructor(id, places) {
    this.#id = id;
    this.#places = places;
    this.tables = new Map();
    this.calls = [];
    // per choice, the call that the last content belonged to, null if it was text
    this.last = new Map();
  }

  #newCall() {
    const call = new CallState();
    this.calls.push(call);
    return call;
  }

  /** Give the choice that an update or an end means: a known id tells it, too. */
  #choiceOf(told) {
    return this.#places.choice(told.tool_call_id, this.#id, told.choice ?? 0);
  }

  /** Take an update of one of the calls. */
  add(update) {
    const count = this.calls.length;
    const choice = this.#choiceOf(update);
    if (!this.tables.has(choice)) this.tables.set(choice, new CallTable(() => this.#newCall()));
    const call = this.tables.get(choice).find(update);
    const id = update.tool_call_id;
    if (this.tables.get(choice).knows(id)) this.#places.add(id, this.#id, choice);
    if (call.add(update) || this.calls.length > count) this.goOn(choice, call);
  }

  /** Know that content came: what ended before it was not cut off. */
  goOn(choice, call) {
    const last = this.last.get(choice) ?? null;
    if (last !== null && last !== call && last.waits) last.end(true, false);
    this.last.set(choice, call);
  }

  /** End one of the calls. */
  endCall(end) {
    const call = this.tables.get(this.#choiceOf(end))?.named(end.tool_call_id, end.index) ?? null;
    if (call === null) return;
    if (end.failed) call.fail();
    else call.endIfCertain();
  }

  /** End all calls of a choice, or of all. */
  end(end) {
    for (const [choice, table] of this.tables) {
      if (end.choice !== null && end.choice !== choice) continue;
      for (const call of table.calls) {
        call.end(true, Boolean(end.is_truncated) && call === this.last.get(choice));
        call.finishReason ??= end.reason;
      }
    }
  }

  /** Take the end of the stream as the end of what is still open. */
  close() {
    for (const call of this.calls) call.end(call.waits, false);
    for (const table of this.tables.values()) this.#places.discard(table.ids, this.#id);
  }

  views() {
    return this.calls.map((call) => call.view());
  }
}

/**
 * Collect the tool calls of messages from their events.
 *
 * `addMessage` takes an event and gives the calls of the message concerned as they stand; `calls` gives
 * them any time, `complete` a last time. Bad arguments are the call's `error`; nothing is thrown because
 * of them, but an event that is malformed itself throws JsonStreamError.
 */
export class ToolsAggregateMessageHandler {
  #messages = new Map();
  #places = new CallPlaces();
  // the message that the last update belonged to
  #latest = null;

  /** The messages that are not yet complete. */
  get messageIds() {
    return [...this.#messages.keys()];
  }

  /** Take an event, and give the calls of the message it belongs to; of others, no calls. */
  addMessage(event) {
    const message = isRecord(event) ? readEvent(event) : null;
    if (message === null) return [];
    const id = message.message_id;
    switch (message.type) {
      case "tool_call_update":
        return this.#add(id, [message]);
      case "tools_call_update":
        return this.#add(id, message.tool_call_updates);
      case "tool_call_end":
        return this.#tell(id, (of) => of.endCall(message));
      case "tool_result":
        return this.#lock(message);
      case "text_delta":
        return this.#tell(id, (of) => of.goOn(message.choice ?? 0, null));
      default:
        return this.#tell(id, (of) => of.end(message));
    }
  }

  /**
   * Give the calls of a message as they stand, in order of appearance.
   *
   * Who names no message means the latest, where all messages have names.
   */
  calls(messageId = null) {
    return this.#messages.get(this.#named(messageId))?.views() ?? [];
  }

  /** Take a message as over, give its calls a last time, and forget it. */
  complete(messageId = null) {
    const id = this.#named(messageId);
    const message = this.#messages.get(id);
    if (message === undefined) return [];
    this.#messages.delete(id);
    message.close();
    return message.views();
  }

  #named(messageId) {
    const isLatest = messageId === null && !this.#messages.has(null) && this.#messages.has(this.#latest);
    return isLatest ? this.#latest : messageId;
  }

  #add(messageId, updates) {
    for (const update of updates) {
      const id = update.message_id || messageId;
      this.#latest = id;
      let message = this.#messages.get(id);
      if (message === undefined) {
        message = new Message(id, this.#places);
        this.#messages.set(id, message);
      }
      message.add(update);
    }
    return this.calls(messageId);
  }

  #tell(messageId, what) {
    const id = this.#named(messageId);
    const message = this.#messages.get(id);
    if (message !== undefined) what(message);
    return this.calls(id);
  }

  /** End the call that a result belongs to, whatever message it is in. */
  #lock(result) {
    for (const [id, choice] of this.#places.of(result.tool_call_id)) {
      this.#messages.get(id).tables.get(choice).named(result.tool_call_id, null)?.end(true, false);
      return this.calls(id);
    }
    return [];
  }
}
