/**
 * midstream for JavaScript: the wire form of updates, and raw JSON text, into values that grow.
 *
 * Each class behaves as its Python namesake; one table of cases tests both
 * (tests/render/web_cases.json):
 *
 *     JsonValueAccumulator            text fragments -> the value so far
 *     JsonFragmentRebuilder           updates in their wire form -> the value so far
 *     ToolsAggregateMessageHandler    events -> the tool calls of a message, as they stand
 *
 * A value that was read is never changed afterwards; the next change copies the containers that are
 * still open and shares all others, so `===` shows what did not change. Treat values as read-only.
 *
 * Values equal those of JSON.parse: ordinary objects (a key "__proto__" is an own property like any
 * other), numbers as doubles (inexact beyond 2**53; `rawArgs` keeps the digits), and the last value of a
 * repeated key. Objects list keys such as "7" first, in ascending order, as all objects in JavaScript
 * do. Indexes, lines and columns of errors count characters, not UTF-16 units.
 *
 * Read lib/ in this order: grammar (with strings, numbers), builder, accumulator; paths, wire, cursor,
 * rebuilder; events, registry, call, tool-call, handler.
 */

export { JsonValueAccumulator } from "./lib/accumulator.js";
export { JsonStreamError } from "./lib/errors.js";
export { ToolsAggregateMessageHandler } from "./lib/handler.js";
export { parsePath } from "./lib/paths.js";
export { JsonFragmentRebuilder } from "./lib/rebuilder.js";
export { ToolCall } from "./lib/tool-call.js";
