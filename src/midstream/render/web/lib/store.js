/** One store for every framework: what a stream amounts to, notified at most once per frame. */

import { JsonValueAccumulator } from "./accumulator.js";
import { EventReader } from "./event-reader.js";
import { ToolsAggregateMessageHandler } from "./handler.js";
import { parsePath } from "./paths.js";

// a page that is hidden draws no frames, in milliseconds
const LONGEST_FRAME = 250;

/** Call a function with the next frame; after a while where none comes, as in Node or in a page that is hidden. */
function onNextFrame(callback) {
  const hasFrames = typeof requestAnimationFrame === "function" && !globalThis.document?.hidden;
  const draw = () => {
    clearTimeout(timer);
    if (hasFrames) cancelAnimationFrame(frame);
    callback();
  };
  const timer = setTimeout(draw, hasFrames ? LONGEST_FRAME : 16);
  const frame = hasFrames && requestAnimationFrame(draw);
}

/** The state of a stream: adds its items, and creates snapshots. */
class StreamState {
  #accumulator = new JsonValueAccumulator({ onError: "event" });
  #handler = new ToolsAggregateMessageHandler();
  #reader = new EventReader();
  #calls = [];
  #callsOf = new Map();
  // of the first choice
  #text = "";
  #refusal = "";
  #isTruncated = false;
  status = "streaming";
  error = null;

  /** Add a fragment of text, an event, or a Server-Sent Event with an event in its data. */
  add(item) {
    if (typeof item === "string") {
      this.#addText(item);
    } else if (typeof item?.data === "string") {
      for (const message of this.#reader.addEvent(item)) this.#addEvent(message);
    } else {
      this.#addEvent(item);
    }
  }

  #addText(text) {
    this.#text += text;
    this.#accumulator.addFragment(text);
  }

  #addEvent(event) {
    if (event.type === "error" || event.type === "provider_error") {
      this.error ??= { code: event.error_type ?? event.code ?? "unknown", message: event.message ?? "" };
      return;
    }
    if (event.type === "stream_snapshot") {
      this.#restore(event);
      return;
    }
    if (!event.choice) this.#addContent(event);
    const calls = this.#handler.addMessage(event);
    if (calls.length > 0) this.#callsOf.set(event.message_id ?? null, calls);
  }

  #addContent({ type, text, is_truncated: isTruncated }) {
    if (type === "text_delta" && typeof text === "string") this.#addText(text);
    if (type === "refusal_delta" && typeof text === "string") this.#refusal += text;
    if (type === "message_end") this.#isTruncated ||= isTruncated === true;
  }

  /** Begin again from a snapshot of the stream. */
  #restore(event) {
    this.#handler.addMessage(event);
    this.#callsOf = new Map(this.#handler.messageIds.map((id) => [id, this.#handler.calls(id)]));
    this.#accumulator = new JsonValueAccumulator({ onError: "event" });
    this.#text = this.#refusal = "";
    for (const { choice, text, refusal, error } of event.messages) {
      if (error) this.#addEvent({ ...error, type: "provider_error" });
      if (choice) continue;
      this.#addContent({ type: "text_delta", text });
      this.#addContent({ type: "refusal_delta", text: refusal });
    }
  }

  end(status, error = null) {
    // what the server did not end was cut off
    for (const message of this.#reader.finish()) this.#addEvent(message);
    for (const id of this.#handler.messageIds) this.#callsOf.set(id, this.#handler.complete(id));
    if (status === "complete" && !this.#isTruncated) this.#accumulator.finish();
    this.error ??= error;
    if (this.#refusal !== "") this.error ??= { code: "refused", message: this.#refusal };
    this.status = this.error !== null && status === "complete" ? "failed" : status;
  }

  snapshot() {
    const { value, openPath, isComplete, error } = this.#accumulator;
    const calls = [...this.#callsOf.values()].flat();
    const isSame = calls.length === this.#calls.length && calls.every((call, i) => call === this.#calls[i]);
    if (!isSame) this.#calls = calls;
    // prose is not a value
    const isJson = error === null || error.code === "truncated" || typeof value === "object";
    return Object.freeze({
      status: this.status,
      text: this.#text,
      value: isJson ? value : undefined,
      openPath,
      isComplete: isComplete && !this.#isTruncated && this.status !== "streaming",
      valueError: isJson ? error : null,
      calls: this.#calls,
      error: this.error,
    });
  }
}

/**
 * Create a store that follows a stream.
 *
 * The source is an iterable, sync or async, of text fragments, of events, or of Server-Sent Events as
 * `events()` yields them. `subscribe(listener)` calls the listener with the current snapshot, then with
 * each new one, at most once per frame; it returns a function that unsubscribes. `getSnapshot()` returns the
 * same object between notifications. `stop()` leaves the source and keeps what has arrived.
 */
export function createStore(source, { schedule = onNextFrame } = {}) {
  // each in an array of its own, because the same function may be added twice
  const listeners = new Set();
  const state = new StreamState();
  let snapshot = state.snapshot();
  let isScheduled = false;
  let isOver = false;
  let iterator = null;

  const publish = () => {
    isScheduled = false;
    snapshot = state.snapshot();
    for (const [listener] of [...listeners]) listener(snapshot);
  };
  const changed = () => {
    if (isScheduled) return;
    isScheduled = true;
    schedule(() => {
      if (isScheduled) publish();
    });
  };
  const end = (status, error) => {
    if (isOver) return;
    isOver = true;
    state.end(status, error);
    publish();
  };
  const leave = (status, error) => {
    end(status, error);
    // a source that failed by itself is closed; one whose item was refused is not
    Promise.resolve(iterator?.return?.()).catch(() => {});
  };
  const run = async () => {
    try {
      iterator = (source[Symbol.asyncIterator] ?? source[Symbol.iterator]).call(source);
      while (!isOver) {
        const { done, value } = await iterator.next();
        if (isOver) return;
        if (done) break;
        state.add(value);
        changed();
      }
      end("complete");
    } catch (error) {
      leave("failed", error);
    }
  };
  const done = run();

  return {
    subscribe(listener) {
      const added = [listener];
      listeners.add(added);
      listener(snapshot);
      return () => listeners.delete(added);
    },
    getSnapshot: () => snapshot,
    stop() {
      if (!isOver) leave("stopped");
    },
    /** Resolves when the stream is over, however it ended. */
    done,
  };
}

/**
 * Create a store for one field of the value, or of the arguments of a call: {value, isComplete}.
 *
 * `call` selects a call by its position or its name. The snapshot is the same object until one of the two
 * changes, so only the components of this field update.
 */
export function field(store, path, { call = null } = {}) {
  const segments = typeof path === "string" ? parsePath(path) : [...path];
  let shown = Object.freeze({ value: undefined, isComplete: false });
  const getSnapshot = () => {
    const next = fieldOf(store.getSnapshot(), segments, call);
    if (next.value !== shown.value || next.isComplete !== shown.isComplete) shown = Object.freeze(next);
    return shown;
  };
  return {
    getSnapshot,
    subscribe(listener) {
      let last = null;
      return store.subscribe(() => {
        const next = getSnapshot();
        if (next === last) return;
        last = next;
        listener(next);
      });
    },
  };
}

function fieldOf(snapshot, segments, call) {
  const isNamed = (each, at) => at === call || each.name === call;
  const root = call === null ? snapshot : snapshot.calls.find(isNamed);
  let value = call === null ? root.value : root?.args;
  for (const segment of segments) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) {
      return { value: undefined, isComplete: false };
    }
    value = value[segment];
  }
  if (value === undefined || root.isComplete) return { value, isComplete: value !== undefined };
  // a value is final unless the path to the open value leads through it
  const { openPath } = root;
  const hasError = (call === null ? root.valueError : root.error) !== null;
  const isOpen = openPath === null
    ? segments.length === 0 || hasError
    : segments.every((segment, i) => segment === openPath[i]);
  return { value, isComplete: !isOpen };
}
