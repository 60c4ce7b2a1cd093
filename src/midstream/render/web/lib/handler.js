/** Events into the current tool calls of each message. */

import { CallState } from "./call.js";
import { readEvent, snapshotCalls } from "./events.js";
import { CallTable } from "./registry.js";
import { isRecord } from "./text.js";

/** For each id the tables of messages and choices that hold a call of it, in order of appearance. */
class Places extends Map {
  add(id, table) {
    if (!this.has(id)) this.set(id, new Set());
    this.get(id).add(table);
  }

  of(id) {
    return [...(this.get(id) ?? [])];
  }

  /** Forget the calls of a table. */
  discard(table) {
    for (const id of table.ids) {
      this.get(id).delete(table);
      if (this.get(id).size === 0) this.delete(id);
    }
  }
}

/** The calls of a message, over all its choices, in order of appearance. */
class Message {
  #places;
  tables = new Map();
  calls = [];
  // per choice, the call that the last content belonged to, null if it was text
  last = new Map();

  constructor(places) {
    this.#places = places;
  }

  newCall() {
    const call = new CallState();
    this.calls.push(call);
    return call;
  }

  /** Return the choice of an update: the stated one, unless it states only an id known in another. */
  #choiceOf(update) {
    const { tool_call_id: id, index } = update;
    const choice = update.choice ?? 0;
    if (!id || index !== null || choice !== 0 || update.function_name) return choice;
    const choices = this.#choicesWith(id);
    return choices.includes(0) ? 0 : (choices[0] ?? 0);
  }

  /** Return the choices that hold a call of an id, in order of appearance. */
  #choicesWith(id) {
    return this.#places.of(id).filter(({ message }) => message === this).map(({ choice }) => choice);
  }

  /** Return the choice of the call that an end means: the stated one, unless only another has its id. */
  #choiceOfEnd(event) {
    const choice = event.choice ?? 0;
    if (!event.tool_call_id || this.tables.get(choice)?.knows(event.tool_call_id)) return choice;
    return this.#choicesWith(event.tool_call_id)[0] ?? choice;
  }

  /** Add an update of one of the calls; return the call. */
  add(update) {
    const count = this.calls.length;
    const choice = this.#choiceOf(update);
    if (!this.tables.has(choice)) this.tables.set(choice, new CallTable(this, choice));
    const table = this.tables.get(choice);
    const call = table.find(update);
    const id = update.tool_call_id;
    if (table.knows(id)) this.#places.add(id, table);
    if (call.add(update) || this.calls.length > count) this.continueWith(choice, call);
    return call;
  }

  /** Note that content arrived: the call that waited before it was not cut off. */
  continueWith(choice, call) {
    const last = this.last.get(choice) ?? null;
    if (last !== null && last !== call && last.isWaiting) last.end(true, false);
    this.last.set(choice, call);
  }

  /** End one of the calls. */
  endCall(event) {
    const call = this.tables.get(this.#choiceOfEnd(event))?.named(event.tool_call_id, event.index) ?? null;
    if (call === null) return;
    if (event.failed) call.fail();
    else call.endIfCertain();
  }

  /** End all calls of a choice, or of all choices. */
  end(event) {
    for (const [choice, table] of this.tables) {
      if (event.choice !== null && event.choice !== choice) continue;
      for (const call of table.calls) {
        call.end(true, Boolean(event.is_truncated) && call === this.last.get(choice));
        call.finishReason ??= event.reason;
      }
    }
  }

  /** End everything that is still open, at the end of the stream. */
  close() {
    for (const call of this.calls) call.end(call.isWaiting, false);
    for (const table of this.tables.values()) this.#places.discard(table);
  }

  views() {
    return this.calls.map((call) => call.view());
  }
}

/**
 * Collects the tool calls of messages from their events.
 *
 * `addMessage` adds an event and returns the current calls of its message; `calls` returns them at any time,
 * `complete` a last time. The calls of a stream_snapshot replace all others. Invalid arguments are the `error`
 * of their call and throw nothing; a malformed event throws JsonStreamError.
 */
export class ToolsAggregateMessageHandler {
  #messages = new Map();
  #places = new Places();
  // the message that the last update belonged to
  #latest = null;

  /** The ids of the messages that are not complete yet. */
  get messageIds() {
    return [...this.#messages.keys()];
  }

  /** Add an event; return the calls of its message, or none if it does not concern calls. */
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
        return this.#apply(id, (target) => target.endCall(message));
      case "tool_result":
        return this.#endByResult(message);
      case "stream_snapshot":
        return this.#restore(message);
      case "message_end":
        return this.#apply(id, (target) => target.end(message));
      default:
        // other content
        return this.#apply(id, (target) => target.continueWith(message.choice ?? 0, null));
    }
  }

  /**
   * Return the current calls of a message, in order of appearance.
   *
   * Without an id, this is the latest message, provided that all messages have ids.
   */
  calls(messageId = null) {
    return this.#messages.get(this.#named(messageId))?.views() ?? [];
  }

  /** Declare a message complete, return its calls a last time, and forget it. */
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
    for (const update of updates) this.#addUpdate(update.message_id || messageId, update);
    return this.calls(messageId);
  }

  #addUpdate(id, update) {
    this.#latest = id;
    let message = this.#messages.get(id);
    if (message === undefined) {
      message = new Message(this.#places);
      this.#messages.set(id, message);
    }
    return message.add(update);
  }

  /** Replace all calls by those of a snapshot, and return them; an invalid one changes nothing. */
  #restore(snapshot) {
    const calls = snapshotCalls(snapshot);
    this.#messages = new Map();
    this.#places = new Places();
    this.#latest = null;
    for (const [update, status, reason] of calls) {
      this.#addUpdate(update.message_id, update).restore(status, reason);
    }
    return [...this.#messages.values()].flatMap((message) => message.views());
  }

  #apply(messageId, change) {
    const id = this.#named(messageId);
    const message = this.#messages.get(id);
    if (message !== undefined) change(message);
    return this.calls(id);
  }

  /** End the call that a result belongs to, in whichever message it is. */
  #endByResult(result) {
    const [table] = this.#places.of(result.tool_call_id);
    if (table === undefined) return [];
    table.first(result.tool_call_id).end(true, false);
    return table.message.views();
  }
}
