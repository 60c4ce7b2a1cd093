/**
 * midstream for JavaScript: the wire form of updates, and raw JSON text, into values that grow.
 *
 * Each class behaves as its Python namesake; one table of cases tests both
 * (tests/render/web_cases.json):
 *
 *     JsonValueAccumulator            text fragments -> the value so far
 *     JsonFragmentRebuilder           updates in their wire form -> the value so far
 *     ToolsAggregateMessageHandler    events -> the current tool calls of a message
 *     EventReader                     events of a server, in both forms -> messages
 *     JsonFragmentAccumulator         text fragments -> updates in their wire form
 *     JsonSelectAccumulator, select   text fragments -> the values that patterns select
 *
 * and without a namesake: JsonFieldAccumulator (listeners for fields), events (a request by fetch, as an
 * iterator that resumes), messages (its messages), createStore and field (for user interfaces), applyPatch.
 *
 * A value that was read is never changed afterwards; the next change copies the containers that are
 * still open and shares all others, so `===` shows what did not change. Treat values as read-only.
 *
 * Values equal those of JSON.parse: ordinary objects (a key "__proto__" is an own property like any
 * other), numbers as doubles (inexact beyond 2**53; `rawArgs` keeps the digits), and the last value of a
 * repeated key. Objects list keys such as "7" first, in ascending order, as all objects in JavaScript
 * do. Indexes, lines and columns of errors count characters, not UTF-16 units.
 *
 * Read lib/ in this order: modes, strings, numbers, grammar; builder, accumulator; updates; paths, wire, cursor,
 * rebuilder; patch; events, registry, call, tool-call, handler; patterns, matching, select, fields; client,
 * items, event-reader, store. The order of the exports keeps what is alike together, which compresses better.
 */

export { JsonValueAccumulator } from "./lib/accumulator.js";
export { JsonFieldAccumulator } from "./lib/fields.js";
export { JsonSelectAccumulator, select } from "./lib/select.js";
export { ANY } from "./lib/patterns.js";
export { JsonFragmentAccumulator } from "./lib/updates.js";
export { JsonFragmentRebuilder } from "./lib/rebuilder.js";
export { parsePath } from "./lib/paths.js";
export { applyPatch } from "./lib/patch.js";
export { JsonStreamError } from "./lib/errors.js";
export { ToolsAggregateMessageHandler } from "./lib/handler.js";
export { ToolCall } from "./lib/tool-call.js";
export { createStore, field } from "./lib/store.js";
export { EventReader, messages } from "./lib/event-reader.js";
export { ConnectionLost, ResponseError, events } from "./lib/client.js";
export { SseDecoder } from "./sse.js";
