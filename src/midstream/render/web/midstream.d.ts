/** midstream for the browser: the wire form of updates, and raw JSON text, into values that grow. */

/** What JSON.parse gives. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** The way to a value: keys and indexes, from the root down. */
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

/** An update in its wire form. Kinds are read with a small first letter, too. */
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
  /** Where it was found. */
  readonly path: string;
}

/** Read a path string back into its segments: `root.users[2]["e.mail"]` is `["users", 2, "e.mail"]`. */
export declare function parsePath(path: string, root?: string): Segments;

/** Turn text fragments, cut anywhere, into the value so far. */
export declare class JsonValueAccumulator {
  constructor(options?: { onError?: "raise" | "event" });
  /** The value so far, undefined before there is one; read-only, and never changed afterwards. */
  get value(): JsonValue | undefined;
  /** The way to the innermost value that is still open, null if nothing is. */
  get openPath(): Segments | null;
  get isComplete(): boolean;
  get error(): ParserError | null;
  get position(): { index: number; line: number; column: number };
  /** Read a fragment, and tell whether the value changed. */
  addFragment(fragment: string): boolean;
  /** Take the end of the input as the end of the text; a truncated text is an error. */
  finish(): boolean;
}

/** Put updates in their wire form together again to the value. */
export declare class JsonFragmentRebuilder {
  /** `root`: the name of the root in the paths, by default what the first update tells. */
  constructor(options?: { root?: string | null });
  /** The value so far, undefined before there is one; read-only, and never changed afterwards. */
  get value(): JsonValue | undefined;
  /** The way to the innermost value that is still open, null if there is none. */
  get openPath(): Segments | null;
  /** Whether JsonComplete has come. */
  get isComplete(): boolean;
  /** What the last Error update told. */
  get error(): ParserError | null;
  /** Take the next updates, all or none, and tell whether the value changed. */
  apply(updates: Iterable<JsonFragment> | JsonFragment): boolean;
  /** Forget everything but the options. */
  reset(): void;
}

/** Something of a tool call: that it begins, its name, a further piece of its arguments. */
export interface ToolCallUpdate {
  tool_call_id?: string | null;
  index?: number | string | null;
  function_name?: string | null;
  function_args?: string | null;
  json_update_fragments?: JsonFragment[] | null;
  message_id?: string | null;
  choice?: number | null;
  is_free_text?: boolean | null;
  /** How many characters of arguments came before this piece, so that a lost one is missed. */
  args_offset?: number | null;
}

/** What a stream says. Events of other types are passed over. */
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

/** A tool call as it stood at some moment; made by the handler, it does not change any more. */
export declare class ToolCall {
  private constructor();
  get id(): string | null;
  get index(): number | string | null;
  get name(): string | null;
  /** The arguments as far as they had arrived, undefined if nothing had. */
  get args(): JsonValue | undefined;
  /** The text of the arguments, as it came. */
  get rawArgs(): string;
  get isComplete(): boolean;
  /** What is wrong with it; a code of "truncated": it was cut off. */
  get error(): ParserError | null;
  /** The provider's word for why the message ended. */
  get finishReason(): string | null;
  /** The way to the innermost value in `args` that was still open. */
  get openPath(): Segments | null;
  toJSON(): object;
}

/** Collect the tool calls of messages from their events. */
export declare class ToolsAggregateMessageHandler {
  constructor();
  /** The messages that are not yet complete. */
  get messageIds(): Array<string | null>;
  /** Take an event, and give the calls of the message it belongs to; of others, no calls. */
  addMessage(event: StreamEvent | unknown): ToolCall[];
  /** Give the calls of a message as they stand, in order of appearance. */
  calls(messageId?: string | null): ToolCall[];
  /** Take a message as over, give its calls a last time, and forget it. */
  complete(messageId?: string | null): ToolCall[];
}
