/** The wire form of updates: checking it, and reading what it says. */

import { JsonStreamError, errorOf, knownCode } from "./errors.js";
import { MAX_NUMBER } from "./limits.js";
import { isRecord } from "./text.js";

const KINDS = new Map();
for (const kind of [
  "StartObject", "EndObject", "StartArray", "EndArray", "Key", "StartString", "PartialString",
  "CompleteString", "CompleteNumber", "CompleteBoolean", "CompleteNull", "JsonComplete", "Error", "Repair",
]) {
  KINDS.set(kind, kind);
  // some senders begin a kind with a lower-case letter
  KINDS.set(kind[0].toLowerCase() + kind.slice(1), kind);
}
const WITH_TEXT = new Set(["PartialString", "CompleteString", "Key"]);
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** Report whether an update ends a document, with success or an error. */
export const isEnd = (update) => ["Error", "JsonComplete"].includes(KINDS.get(update?.kind));

function invalidUpdate(detail, path = "") {
  return new JsonStreamError(errorOf("invalid_update", 0, detail), path);
}

/** Check a wire form; return its path, its kind (null: unknown), and text and value as the kind defines them. */
export function readUpdate(data) {
  if (!isRecord(data)) throw invalidUpdate("expected an update or a dict");
  const { path } = data;
  if (typeof path !== "string") throw invalidUpdate("path is missing or not a string");
  if (typeof data.kind !== "string") throw invalidUpdate("the kind is missing or not a string", path);
  const kind = KINDS.get(data.kind);
  // only newer versions know it
  if (kind === undefined) return { path, kind: null };
  let text = data.textValue ?? null;
  if (text === null && WITH_TEXT.has(kind)) text = data.value ?? null;
  if (text !== null) {
    if (typeof text !== "string") throw invalidUpdate("textValue is not a string", path);
  } else if (WITH_TEXT.has(kind) && kind !== "CompleteString") {
    throw invalidUpdate("textValue is missing", path);
  }
  const value = valueOf(kind, text, data);
  if (value !== undefined) return { path, kind, text, value };
  if (kind === "Repair") return { path, kind: null };
  throw invalidUpdate(`the value does not fit the kind ${kind}`, path);
}

/** Return the value of an update of this kind, undefined if it has none that fits. */
function valueOf(kind, text, data) {
  const value = data.value ?? null;
  switch (kind) {
    case "Key":
    case "CompleteString":
      return value === null || value === text ? text : undefined;
    case "CompleteNumber":
      return numberOf(text, value);
    case "CompleteNull":
      return value === null ? null : undefined;
    case "CompleteBoolean":
      if (value !== null) return typeof value === "boolean" ? value : undefined;
      return text === "true" ? true : text === "false" ? false : undefined;
    case "Error":
      return (data.error ?? null) === null ? null : errorFrom(data.error, text ?? "");
    case "Repair":
      return repairFrom(data, text ?? "");
    default:
      return null;
  }
}

function numberOf(text, value) {
  if (value !== null && !Number.isFinite(value)) return undefined;
  if (text === null) return value ?? undefined;
  if (!NUMBER.test(text)) return undefined;
  // Python's int() reads no longer integers
  if (/^-?[0-9]+$/.test(text) && text.replace("-", "").length > MAX_NUMBER) return undefined;
  // the text is exact, even if the number lost digits on its way
  return Number(text);
}

function errorFrom(error, message) {
  if (!isRecord(error) || !("code" in error) || typeof error.code === "object") return undefined;
  const place = placeFrom(error);
  return place && Object.freeze({ code: knownCode(error.code), message, ...place });
}

/** Read what was wrong in a text that was read leniently. Codes may be newer, and what has no place is ignored. */
function repairFrom({ path, repair, error }, message) {
  const about = repair ?? error;
  if (!isRecord(about) || typeof about.code !== "string") return undefined;
  const place = placeFrom(about);
  return place && Object.freeze({ code: about.code, message, ...place, path });
}

function placeFrom(about) {
  const place = [about.index, about.line, about.column].map(Number);
  if (!place.every(Number.isFinite)) return undefined;
  const [index, line, column] = place.map(Math.trunc);
  return { index, line, column };
}
