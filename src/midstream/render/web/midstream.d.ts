/** midstream for JavaScript: the wire form of updates, and raw JSON text, into values that grow. */

import type { SseEvent } from "./sse.js";

export { SseDecoder } from "./sse.js";
export type { SseEvent } from "./sse.js";

/** What JSON.parse returns. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** The path of a value: keys and indexes, from the root down. */
export type Segments = Array<string | number>;

/** A path string such as `users[2].email`, or its segments. */
export type Path = string | ReadonlyArray<string | number>;

/**
 * A value of type T while it arrives: any member may be missing, arrays may be shorter, and a string may be
 * a part of the final one, so a union of literals is a string.
 */
export type DeepPartial<T> = [JsonValue] extends [T]
  ? T
  : T extends string
    ? string
    : T extends number | boolean | null | undefined
      ? T
      : T extends ReadonlyArray<infer Item>
        ? Array<DeepPartial<Item>>
        : { [Key in keyof T]?: DeepPartial<T[Key]> };

export type JsonFragmentKind =
  | "StartObject" | "EndObject" | "StartArray" | "EndArray" | "Key"
  | "StartString" | "PartialString" | "CompleteString"
  | "CompleteNumber" | "CompleteBoolean" | "CompleteNull"
  | "JsonComplete" | "Error" | "Repair";

/** An update in its wire form. Kinds may begin with a lower-case letter. */
export interface JsonFragment {
  path: string;
  kind: JsonFragmentKind | Uncapitalize<JsonFragmentKind>;
  textValue?: string | null;
  value?: string | number | boolean | null;
  error?: { code: string; index: number; line: number; column: number } | null;
  /** Of a Repair: what was wrong, and where. */
  repair?: { code: string; index: number; line: number; column: number } | null;
}

/** An error as data. Index counts characters from 0, line and column from 1. */
export interface ParserError {
  readonly code: string;
  readonly message: string;
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/** What the sender repaired in a text that it read leniently, and the path of the value. */
export interface Repair extends ParserError {
  readonly path: string;
}

/** The one exception that bad input throws. */
export declare class JsonStreamError extends Error {
  constructor(error: ParserError, path?: string);
  readonly error: ParserError;
  readonly code: string;
  readonly index: number;
  readonly line: number;
  readonly column: number;
  /** The path of the value in which the error was found. */
  readonly path: string;
  /** From JsonFragmentAccumulator: the updates of the fragment before the error. */
  readonly updates?: JsonFragment[];
  /** From JsonSelectAccumulator: the matches of the fragment before the error. */
  readonly matches?: Match[];
  /** From JsonValueAccumulator: whether the fragment changed the value before the error. */
  readonly hasChanged?: boolean;
}

/** Limits on what a document may hold; null lifts a limit. Lengths count characters. */
export interface Limits {
  /** Open containers; 1000 by default. */
  maxDepth?: number | null;
  /** A decoded string or key; no limit by default. */
  maxString?: number | null;
  /** A number as written; 4300 by default. */
  maxNumber?: number | null;
  /** The document with the white space around it; no limit by default. */
  maxDocument?: number | null;
}

/** Parse a path string into its segments: `root.users[2]["e.mail"]` is `["users", 2, "e.mail"]`. */
export declare function parsePath(path: string, root?: string): Segments;

export interface AccumulatorOptions {
  /** "raise" (the default): invalid text throws JsonStreamError; "event": the error is in `error`. */
  onError?: "raise" | "event";
  limits?: Limits;
}

/** Builds a value from text fragments, cut anywhere. */
export declare class JsonValueAccumulator<T = JsonValue> {
  /** `live`: `value` is the growing value itself, not a snapshot; reading it costs nothing. */
  constructor(options?: AccumulatorOptions & { live?: boolean });
  /** The value so far, undefined before there is one; read-only, and never changed afterwards unless live. */
  get value(): DeepPartial<T> | undefined;
  /** The segments of the innermost value that is still open, null if nothing is. */
  get openPath(): Segments | null;
  get isComplete(): boolean;
  get error(): ParserError | null;
  get position(): Position;
  /** Read a fragment; return whether the value changed. */
  addFragment(fragment: string): boolean;
  /** Declare the end of the input; a truncated text is an error. Return whether the value changed. */
  finish(): boolean;
}

/** How far a text has been read: index from 0, line and column from 1, in characters. */
export interface Position {
  index: number;
  line: number;
  column: number;
}

/** What a field does while it arrives. Values that are not strings have no deltas. */
export interface FieldListener<V = unknown> {
  start?(segments: Segments): void;
  delta?(piece: string, segments: Segments): void;
  end?(value: V, segments: Segments): void;
}

/** A JsonValueAccumulator that reports the beginning, the growth and the end of chosen fields. */
export declare class JsonFieldAccumulator<T = JsonValue> extends JsonValueAccumulator<T> {
  /** Add a listener before the first fragment; return a function that removes it. */
  onField<V = unknown>(path: Pattern, listener: FieldListener<V>): () => void;
}

/** Reads text fragments and returns the updates that each of them determines. */
export declare class JsonFragmentAccumulator {
  /** `root`: the name of the root in the paths. */
  constructor(options?: AccumulatorOptions & { root?: string });
  get isComplete(): boolean;
  get error(): ParserError | null;
  get position(): Position;
  addFragment(fragment: string): JsonFragment[];
  finish(): JsonFragment[];
}

/** Stands for any key or index in a pattern of segments. */
export declare const ANY: unique symbol;

/** A path with wildcards: `items[*].title`, or its segments with ANY. */
export type Pattern = string | ReadonlyArray<string | number | typeof ANY>;

/** A value that a pattern selected. */
export interface Match<V = unknown> {
  readonly pattern: Pattern;
  readonly segments: Segments;
  readonly value: V;
  /** False for a value that is still open, with `partial: true`. */
  readonly isFinal: boolean;
}

export interface SelectOptions {
  /** Also return selected values that are still open. */
  partial?: boolean;
  limits?: Limits;
}

/** Reads text fragments and returns the values that patterns select; only those are built. */
export declare class JsonSelectAccumulator<V = unknown> {
  constructor(paths: string | ReadonlyArray<Pattern>, options?: SelectOptions);
  /** Whether nothing more can match. */
  get isDone(): boolean;
  get isComplete(): boolean;
  addFragment(fragment: string): Array<Match<V>>;
  finish(): Array<Match<V>>;
}

/** Iterate over the values that patterns select; end as soon as nothing more can match. */
export declare function select<V = unknown>(
  fragments: Iterable<string> | AsyncIterable<string>,
  paths: string | ReadonlyArray<Pattern>,
  options?: SelectOptions & { limit?: number },
): AsyncGenerator<Match<V>, void, undefined>;

/** An operation of JSON Patch (RFC 6902), or `append`, which extends a string. */
export type PatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "append"; path: string; value: string }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/** Apply operations to a value; the result shares every container that none of them touched. */
export declare function applyPatch<T = unknown>(value: unknown, operations: ReadonlyArray<PatchOperation>): T;

export interface EventsOptions extends Omit<RequestInit, "signal"> {
  signal?: AbortSignal;
  /** Another function than the global fetch. */
  fetch?: typeof fetch;
  /** The id from which to resume. */
  lastEventId?: string;
  /** How many attempts in a row may fail; 5 by default. */
  tries?: number;
  /** Called before each wait for another attempt. */
  onReconnect?(state: { failures: number; lastEventId: string }): void;
}

/** Request an event stream, and iterate over its events; resume after a lost connection. */
export declare function events(
  url: string | URL,
  options?: EventsOptions,
): AsyncGenerator<SseEvent, void, undefined>;

/** Converts the Server-Sent Events of a stream, in the form full or compact, into messages. */
export declare class EventReader {
  constructor();
  /** The form that the stream announced, null before that. */
  readonly form: string | null;
  /** Whether the last event of the stream has arrived. */
  readonly isComplete: boolean;
  /** Return the messages of an event; none if it is not known, or arrived before. */
  addEvent(event: SseEvent): StreamEvent[];
  /** Return the messages that follow from the end of the connection: what was open is cut off. */
  finish(): StreamEvent[];
}

/** Request a stream as `events` does, in the compact form, and iterate over its messages. */
export declare function messages(
  url: string | URL,
  options?: EventsOptions,
): AsyncGenerator<StreamEvent, void, undefined>;

/** The server answered with a status that is not a success, or not with an event stream. */
export declare class ResponseError extends Error {
  constructor(message: string, response: Response);
  readonly status: number;
  readonly response: Response;
}

/** The connection was lost and could not be restored. */
export declare class ConnectionLost extends Error {
  constructor(cause?: unknown);
}

/** Something to subscribe to: Svelte's store contract, and what useSyncExternalStore expects. */
export interface Store<S> {
  /** Call a listener with the current snapshot and each new one; return a function that unsubscribes. */
  subscribe(listener: (snapshot: S) => void): () => void;
  /** Return the snapshot: the same object between notifications. */
  getSnapshot(): S;
}

/** What a stream amounts to. */
export interface StreamSnapshot<T = JsonValue> {
  readonly status: "streaming" | "complete" | "failed" | "stopped";
  /** The text of the answer. */
  readonly text: string;
  /** The value of the text so far, if it is JSON. */
  readonly value: DeepPartial<T> | undefined;
  readonly openPath: Segments | null;
  /** Whether the value is complete. */
  readonly isComplete: boolean;
  readonly valueError: ParserError | null;
  readonly calls: ReadonlyArray<ToolCall>;
  /** An error of the stream: from the server, or an exception. */
  readonly error: Error | { code: string; message: string } | null;
}

export interface StreamStore<T = JsonValue> extends Store<StreamSnapshot<T>> {
  /** Leave the source, and keep what has arrived. */
  stop(): void;
  /** Resolves when the stream is over, however it ended. */
  readonly done: Promise<void>;
}

/** Create a store that follows a stream of text fragments, of events, or of Server-Sent Events. */
export declare function createStore<T = JsonValue>(
  source:
    | Iterable<string | StreamEvent | SseEvent>
    | AsyncIterable<string | StreamEvent | SseEvent>,
  options?: { schedule?: (publish: () => void) => void },
): StreamStore<T>;

/** A field of a value: final when it is complete. */
export interface Field<V = unknown> {
  readonly value: V | undefined;
  readonly isComplete: boolean;
}

/** Create a store for one field of the value, or of the arguments of the call at this position or name. */
export declare function field<V = unknown>(
  store: Store<StreamSnapshot<any>>,
  path: Path,
  options?: { call?: number | string | null },
): Store<Field<V>>;

/** Rebuilds a value from updates in their wire form. */
export declare class JsonFragmentRebuilder<T = JsonValue> {
  /** `root`: the name of the root in the paths, by default the one in the first update. */
  constructor(options?: { root?: string | null });
  /** The value so far, undefined before there is one; read-only, and never changed afterwards. */
  get value(): DeepPartial<T> | undefined;
  /** The segments of the innermost value that is still open, null if there is none. */
  get openPath(): Segments | null;
  /** Whether JsonComplete was received. */
  get isComplete(): boolean;
  /** The error of the last Error update. */
  get error(): ParserError | null;
  /** What the sender repaired, in the order of the text; the first 1,000 are kept. */
  get repairs(): ReadonlyArray<Repair>;
  /** Apply the next updates, all or none; return whether the value changed. */
  apply(updates: Iterable<JsonFragment> | JsonFragment): boolean;
  /** Forget everything but the options. */
  reset(): void;
}

/** A piece of a tool call: its beginning, its name, or more of its arguments. */
export interface ToolCallUpdate {
  tool_call_id?: string | null;
  index?: number | string | null;
  function_name?: string | null;
  function_args?: string | null;
  json_update_fragments?: JsonFragment[] | null;
  message_id?: string | null;
  choice?: number | null;
  is_free_text?: boolean | null;
  /** How many characters of arguments came before this piece, so that a lost piece is noticed. */
  args_offset?: number | null;
}

/** How many tokens a message took, as far as the provider says. */
export interface Usage {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cached_tokens?: number | null;
  reasoning_tokens?: number | null;
  /** What the provider sent. */
  raw?: unknown;
}

/** An error that the provider reported, or with `error_type` "lost_event" the loss of a part of the stream. */
export interface ProviderError {
  error_type?: string | null;
  message?: string | null;
  status?: number | null;
  /** In seconds. */
  retry_after?: number | null;
  is_retryable?: boolean | null;
}

/** A message and choice of a stream_snapshot. */
export interface SnapshotMessage {
  message_id?: string | null;
  choice?: number | null;
  text?: string | null;
  reasoning?: string | null;
  refusal?: string | null;
  usage?: Usage | null;
  finish_reason?: string | null;
  error?: ProviderError | null;
  calls?: Array<
    ToolCallUpdate & { status?: "open" | "complete" | "truncated" | "invalid" | "failed" | (string & {}) | null }
  > | null;
}

/** The message that an event belongs to. */
interface OfMessage {
  message_id?: string | null;
}

/** The message that an event belongs to, and which of its alternative answers; 0 if it is absent. */
interface OfChoice extends OfMessage {
  choice?: number | null;
}

/** A message of a stream. Fields with their default are absent; messages of other types are ignored. */
export type StreamEvent =
  | ({ type?: "tools_call_update" | "tool_call_update" } & ToolCallUpdate)
  | ({ type?: "tools_call_update"; tool_call_updates: ToolCallUpdate[] } & OfMessage)
  | ({
      type: "tool_call_end";
      tool_call_id?: string | null;
      index?: number | string | null;
      failed?: boolean | null;
    } & OfChoice)
  | ({ type: "text_delta"; text: string } & OfChoice)
  | ({ type: "reasoning_delta"; text?: string | null; kind?: string | null; signature?: string | null } & OfChoice)
  | ({ type: "refusal_delta"; text?: string | null } & OfChoice)
  | ({ type: "tool_result"; tool_call_id?: string | null; result?: unknown } & OfMessage)
  | ({
      type: "server_tool_update";
      tool_call_id?: string | null;
      name?: string | null;
      input?: string | null;
      index?: number | string | null;
    } & OfChoice)
  | ({ type: "server_tool_result"; tool_call_id?: string | null; name?: string | null; result?: unknown } & OfChoice)
  | ({ type: "usage" } & Usage & OfMessage)
  | ({ type: "provider_error" } & ProviderError & OfMessage)
  | ({ type: "other"; part_type?: string | null; data?: unknown } & OfChoice)
  | ({
      type: "message_end";
      reason?: string | null;
      is_truncated?: boolean | null;
      usage?: Usage | null;
    } & OfChoice)
  | { type: "stream_snapshot"; messages: SnapshotMessage[]; stream?: string | null };

/** A tool call as it stood at some moment; created by the handler, it does not change. */
export declare class ToolCall {
  private constructor();
  readonly id: string | null;
  readonly index: number | string | null;
  readonly name: string | null;
  /** The arguments so far, undefined before there are any. */
  get args(): JsonValue | undefined;
  /** The text of the arguments, as received. */
  get rawArgs(): string;
  readonly isComplete: boolean;
  /** What is wrong with it; code "truncated": it was cut off. */
  readonly error: ParserError | null;
  /** The provider's word for why the message ended. */
  readonly finishReason: string | null;
  /** What the sender repaired in the arguments, in the order of the text. */
  readonly repairs: ReadonlyArray<Repair>;
  /** Whether the arguments were not valid JSON, and the sender repaired them. */
  get isRepaired(): boolean;
  /** The segments of the innermost value in `args` that was still open. */
  get openPath(): Segments | null;
  toJSON(): object;
}

/** Collects the tool calls of messages from their events. */
export declare class ToolsAggregateMessageHandler {
  constructor();
  /** The ids of the messages that are not complete yet. */
  get messageIds(): Array<string | null>;
  /**
   * Add an event; return the calls of its message, or none if it does not concern calls. The calls of a
   * `stream_snapshot` replace all others, and are returned.
   */
  addMessage(event: StreamEvent | unknown): ToolCall[];
  /** Return the current calls of a message, in order of appearance. */
  calls(messageId?: string | null): ToolCall[];
  /** Declare a message complete, return its calls a last time, and forget it. */
  complete(messageId?: string | null): ToolCall[];
}
