/** midstream for JavaScript: the wire form of updates, and raw JSON text, into values that grow. */

/** What JSON.parse returns. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** The path of a value: keys and indexes, from the root down. */
export type Segments = Array<string | number>;

export type JsonFragmentKind =
  | "StartObject"
  | "EndObject"
  | "StartArray"
  | "EndArray"
  | "Key"
  | "StartString"
  | "PartialString"
  | "CompleteString"
  | "CompleteNumber"
  | "CompleteBoolean"
  | "CompleteNull"
  | "JsonComplete"
  | "Error";

/** An update in its wire form. Kinds may begin with a lower-case letter. */
export interface JsonFragment {
  path: string;
  kind: JsonFragmentKind | Uncapitalize<JsonFragmentKind>;
  textValue?: string | null;
  value?: string | number | boolean | null;
  error?: { code: string; index: number; line: number; column: number } | null;
}

/** An error as data. Index counts characters from 0, line and column from 1. */
export interface ParserError {
  readonly code: string;
  readonly message: string;
  readonly index: number;
  readonly line: number;
  readonly column: number;
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

/** Builds a value from text fragments, cut anywhere. */
export declare class JsonValueAccumulator {
  constructor(options?: { onError?: "raise" | "event"; limits?: Limits });
  /** The value so far, undefined before there is one; read-only, and never changed afterwards. */
  get value(): JsonValue | undefined;
  /** The segments of the innermost value that is still open, null if nothing is. */
  get openPath(): Segments | null;
  get isComplete(): boolean;
  get error(): ParserError | null;
  get position(): { index: number; line: number; column: number };
  /** Read a fragment; return whether the value changed. */
  addFragment(fragment: string): boolean;
  /** Declare the end of the input; a truncated text is an error. Return whether the value changed. */
  finish(): boolean;
}

/** Rebuilds a value from updates in their wire form. */
export declare class JsonFragmentRebuilder {
  /** `root`: the name of the root in the paths, by default the one in the first update. */
  constructor(options?: { root?: string | null });
  /** The value so far, undefined before there is one; read-only, and never changed afterwards. */
  get value(): JsonValue | undefined;
  /** The segments of the innermost value that is still open, null if there is none. */
  get openPath(): Segments | null;
  /** Whether JsonComplete was received. */
  get isComplete(): boolean;
  /** The error of the last Error update. */
  get error(): ParserError | null;
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

/** An event of a stream. Events of other types are ignored. */
export type StreamEvent =
  | ({ type?: "tool_call_update" } & ToolCallUpdate)
  | { type?: "tools_call_update"; tool_call_updates: ToolCallUpdate[]; message_id?: string | null }
  | {
      type: "tool_call_end";
      tool_call_id?: string | null;
      index?: number | string | null;
      failed?: boolean | null;
      message_id?: string | null;
      choice?: number | null;
    }
  | { type: "text_delta"; text: string; message_id?: string | null; choice?: number | null }
  | { type: "tool_result"; tool_call_id?: string | null; result?: unknown; message_id?: string | null }
  | {
      type: "message_end";
      reason?: string | null;
      is_truncated?: boolean | null;
      message_id?: string | null;
      choice?: number | null;
    };

/** A tool call as it stood at some moment; created by the handler, it does not change. */
export declare class ToolCall {
  private constructor();
  get id(): string | null;
  get index(): number | string | null;
  get name(): string | null;
  /** The arguments so far, undefined before there are any. */
  get args(): JsonValue | undefined;
  /** The text of the arguments, as received. */
  get rawArgs(): string;
  get isComplete(): boolean;
  /** What is wrong with it; code "truncated": it was cut off. */
  get error(): ParserError | null;
  /** The provider's word for why the message ended. */
  get finishReason(): string | null;
  /** The segments of the innermost value in `args` that was still open. */
  get openPath(): Segments | null;
  toJSON(): object;
}

/** Collects the tool calls of messages from their events. */
export declare class ToolsAggregateMessageHandler {
  constructor();
  /** The ids of the messages that are not complete yet. */
  get messageIds(): Array<string | null>;
  /** Add an event; return the calls of its message, or none if it does not concern calls. */
  addMessage(event: StreamEvent | unknown): ToolCall[];
  /** Return the calls of a message as they stand, in order of appearance. */
  calls(messageId?: string | null): ToolCall[];
  /** Declare a message complete, return its calls a last time, and forget it. */
  complete(messageId?: string | null): ToolCall[];
}
