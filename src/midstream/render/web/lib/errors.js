/** Errors as data, and the one exception of this package. Codes and messages are those of Python. */

const MESSAGES = {
  expected_value: "expected a value",
  expected_key: "expected a key in double quotes, or '}'",
  expected_colon: "expected ':' after a key",
  expected_comma: "expected ',' or the end of the container",
  trailing_comma: "trailing comma: expected another member or item after ','",
  trailing_text: "text after the end of the document",
  truncated: "the text ends before the document does",
  invalid_literal: "expected true, false or null",
  invalid_number: "invalid number",
  invalid_escape: "invalid escape in a string",
  control_character: "unescaped control character in a string",
  depth_limit: "containers nested deeper than max_depth",
  string_limit: "string longer than max_string",
  number_limit: "number longer than max_number",
  document_limit: "document longer than max_document",
  after_finish: "more input after the end of the input; call reset() to begin a new text",
  invalid_path: "invalid path",
};

// Of updates and events. A bundle that only parses text leaves these out.
const MORE_MESSAGES = {
  unknown: "unknown error",
  invalid_update: "not an update",
  invalid_patch: "the patch cannot be applied",
  misplaced_update: "the update does not follow from the updates before it",
  provider_error: "the provider reported an error",
  invalid_event: "not an event of this format",
};

// Codes that only the server detects. They reach the browser in Error updates.
const SERVER_CODES = [
  "invalid_utf8", "number_refused", "invalid_checkpoint", "unknown_format", "not_an_event_stream",
  "no_match", "invalid_value", "invalid_snapshot", "invalid_patch", "conflict", "event_limit",
];
const CODES = /* @__PURE__ */ (() =>
  new Set([...Object.keys(MESSAGES), ...Object.keys(MORE_MESSAGES), ...SERVER_CODES]))();

/** Return the code if this version knows it, else "unknown". */
export const knownCode = (code) => (CODES.has(code) ? code : "unknown");

/** Create an error as data, at a position in a text. */
export function errorAt(code, index, line, column) {
  return Object.freeze({
    code, message: `${MESSAGES[code]} (line ${line}, column ${column})`, index, line, column,
  });
}

/** Create an error as data that has no position in a text; `index` counts the items before it. */
export function errorOf(code, index = 0, detail = "") {
  const reason = MORE_MESSAGES[code] ?? MESSAGES[code];
  const message = detail ? `${reason}: ${detail}` : reason;
  return Object.freeze({ code, message, index, line: 1, column: index + 1 });
}

/** The one exception that bad input throws; `error` holds the same facts as data. */
export class JsonStreamError extends Error {
  constructor(error, path = "") {
    const { message, ...facts } = error;
    super(message);
    Object.assign(this, { name: "JsonStreamError", error, ...facts, path });
  }
}
