/** Events: the messages of a stream as plain objects, checked. */

import { JsonStreamError, errorOf } from "./errors.js";
import { isRecord } from "./text.js";

const isInteger = Number.isSafeInteger;

// what fields may hold besides null, if they are not strings
const isBoolean = (value) => typeof value === "boolean";
const isString = (value) => typeof value === "string";
const FIELDS = {
  index: (value) => isInteger(value) || isString(value),
  json_update_fragments: Array.isArray,
  choice: isInteger,
  failed: isBoolean,
  is_free_text: isBoolean,
  args_offset: isInteger,
  is_truncated: isBoolean,
  result: () => true,
  tool_call_updates: Array.isArray,
  messages: Array.isArray,
  // in the compact form
  free_text: isBoolean,
  end: isBoolean,
  length: isInteger,
};
// what shows that a call which ended before it was not cut off
const CONTENT = ["text", "message_id", "choice"];
const TYPES = {
  __proto__: null,
  tool_call_update: [
    "tool_call_id", "index", "function_name", "function_args", "json_update_fragments", "message_id",
    "choice", "is_free_text", "args_offset",
  ],
  tools_call_update: ["tool_call_updates", "message_id"],
  tool_call_end: ["tool_call_id", "index", "failed", "message_id", "choice"],
  text_delta: CONTENT,
  reasoning_delta: CONTENT,
  refusal_delta: CONTENT,
  server_tool_update: CONTENT,
  server_tool_result: CONTENT,
  tool_result: ["tool_call_id", "result", "message_id"],
  message_end: ["reason", "is_truncated", "message_id", "choice"],
  stream_snapshot: ["messages"],
  usage: [],
  provider_error: [],
  other: [],
};
const REQUIRED = { __proto__: null, text_delta: "text", stream_snapshot: "messages" };

export function invalidEvent(detail) {
  return new JsonStreamError(errorOf("invalid_event", 0, detail));
}

/** Report whether events of a type are messages. */
export const isMessage = (type) => type in TYPES;

// One name for tool-call updates: the fields show whether an event holds one update or several.
const isUpdateName = (type) => type === "tools_call_update" || type === "tool_call_update";
const isCallUpdate = (item) =>
  isRecord(item) && !("tool_call_updates" in item) && (item.type === undefined || isUpdateName(item.type));

/**
 * Check an event and return it with all its fields, absent ones as null; null if it is of no concern for calls:
 * its type is unknown, or has no fields here.
 */
export function readEvent(event) {
  let { type } = event;
  if (typeof type !== "string" || isUpdateName(type)) {
    const isUpdate = typeof type === "string" || "function_args" in event || "function_name" in event;
    if ("tool_call_updates" in event) type = "tools_call_update";
    else type = isUpdate ? "tool_call_update" : "";
  }
  const names = TYPES[type];
  if (!names?.length) return null;
  const message = { type };
  for (const name of names) {
    message[name] = event[name] ?? null;
  }
  if (type === "tools_call_update") {
    const updates = message.tool_call_updates;
    if (!Array.isArray(updates) || !updates.every(isCallUpdate)) {
      throw invalidEvent("tool_call_updates is not a list of updates");
    }
    const id = message.message_id;
    message.tool_call_updates = updates.map((item) =>
      readEvent({ ...item, type: "tool_call_update", message_id: item.message_id || id }),
    );
  }
  for (const name of names) {
    checkField(message, name);
  }
  const required = REQUIRED[type];
  if (required !== undefined && message[required] === null) throw invalidEvent(`${required} is missing`);
  return message;
}

/** Return a field of an event, null if it is absent; throw if it has the wrong type. */
export function checkField(data, name) {
  const value = data[name] ?? null;
  if (value !== null && !(FIELDS[name] ?? isString)(value)) throw invalidEvent(`${name} has the wrong type`);
  return value;
}

/** List the calls of a stream_snapshot: [update, status, finish reason] of each. */
export function snapshotCalls({ messages }) {
  return messages.flatMap((message) => {
    if (!isRecord(message)) throw invalidEvent("messages is not a list of messages");
    const reason = checkField(message, "finish_reason");
    const calls = message.calls || [];
    if (!Array.isArray(calls) || !calls.every(isRecord)) throw invalidEvent("calls is not a list of calls");
    return calls.map((call) => {
      const { message_id, choice } = message;
      const place = { type: "tool_call_update", message_id, choice: call.choice ?? choice, args_offset: null };
      return [readEvent({ ...call, ...place }), checkField(call, "status"), reason];
    });
  });
}
