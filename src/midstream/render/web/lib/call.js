/** One tool call while it arrives: its text, and the reader of its arguments. */

import { JsonValueAccumulator } from "./accumulator.js";
import { JsonStreamError, errorAt, errorOf } from "./errors.js";
import { JsonFragmentRebuilder } from "./rebuilder.js";
import { NOT_BLANK, agree, countCharacters, trailingHighSurrogate } from "./text.js";
import { ToolCall } from "./tool-call.js";
import { isEnd } from "./wire.js";

/** Report whether updates contain parts of a value, and not only its end. */
function haveValues(updates) {
  return !(updates ?? []).every(isEnd);
}

const NO_REPAIRS = Object.freeze([]);

export class CallState {
  id = null;
  index = null;
  // all ids and indices that have identified it
  ids = new Set();
  indices = new Set();
  name = null;
  isOpen = true;
  // whether its name was repeated when its arguments could be complete
  isNamedAgain = false;
  // the text so far, its number of characters, and a high surrogate that waits for the low one
  text = "";
  #length = 0;
  #held = "";
  // how many characters of arguments were received or skipped by an offset
  #received = 0;
  // counts the changes of the value
  version = 0;
  source = null;
  hasValue = false;
  // what is missing for good: a lost piece, or updates that did not fit, without a text
  #gap = null;
  error = null;
  isComplete = false;
  isFreeText = false;
  // it ended where it may have been cut off; the next event decides
  isWaiting = false;
  finishReason = null;
  #snapshot = null;

  /** Report whether the arguments so far are a complete document. */
  couldBeComplete() {
    const { source } = this;
    // with a rebuilder, text after the document, such as a held surrogate, shows nowhere else
    return source !== null && source.isComplete && source.error === null && this.#held === "";
  }

  /** What the sender repaired in the arguments. */
  get repairs() {
    return this.source?.repairs ?? NO_REPAIRS;
  }

  /** Add a piece of the call; return whether it had content. */
  add(update) {
    if (!this.isOpen) return false;
    const arrived = countCharacters(update.function_args ?? "");
    let offset = update.args_offset ?? null;
    if (arrived === 0) {
      // a piece without text or updates states the length of the arguments
      if (offset !== null && offset > this.#received && update.json_update_fragments === null) {
        this.#fail(null, "a piece of the arguments is missing");
      }
      // a sender of updates alone has no text to count
      offset = null;
    }
    if (offset !== null && offset !== this.#received) {
      // a repetition, as happens after a lost connection
      if (offset + arrived <= this.#received) return false;
      this.#fail(null, "a piece of the arguments is missing");
    }
    this.#received = arrived + (offset ?? this.#received);
    // once a text was read as JSON, this statement comes too late
    this.isFreeText ||= (update.is_free_text ?? false) && this.source === null;
    const text = this.#held + (update.function_args ?? "");
    this.#held = trailingHighSurrogate(text);
    const piece = text.slice(0, text.length - this.#held.length);
    const updates = update.json_update_fragments;
    const hadText = this.#length > 0;
    if (piece !== "") {
      this.text += piece;
      this.#length += countCharacters(piece);
    }
    if (!this.isFreeText) this.#read(piece, updates, hadText);
    // the end of a document is not content
    return Boolean(update.function_args) || (this.#length === 0 && haveValues(updates));
  }

  /** Pass a piece to the source: its updates while all pieces have fitting ones, else its text. */
  #read(piece, updates, hadText) {
    // what follows a gap would only resemble the arguments
    if (this.#gap !== null) return;
    if (this.source instanceof JsonValueAccumulator) {
      if (piece !== "") this.#change(this.source.addFragment(piece));
      else if (haveValues(updates)) this.#fail();
    } else if (updates === null) {
      if (piece !== "") this.#switchToText(hadText || this.source === null);
    } else if (updates.length > 0 || piece !== "") {
      try {
        this.source ??= new JsonFragmentRebuilder();
        this.#change(this.source.apply(updates));
      } catch (error) {
        if (!(error instanceof JsonStreamError)) throw error;
        if (this.#length > 0) this.#switchToText(piece !== "" || hadText);
        else this.#fail(error.error);
      }
    }
  }

  /** Continue with the raw text: there are no updates, or they have a gap or do not fit. */
  #switchToText(isEverything) {
    if (!isEverything) this.#fail();
    this.source = new JsonValueAccumulator({ onError: "event" });
    this.#change(this.source.addFragment(this.text));
  }

  #change(hasChanged) {
    this.version++;
    this.hasValue ||= hasChanged;
    this.error = this.#gap ?? this.source.error;
  }

  #fail(error = null, detail = "some pieces are text alone, others updates alone") {
    this.#gap ??= error ?? errorOf("misplaced_update", 0, detail);
    this.error = this.#gap;
  }

  /** End the call as the provider said, or wait: an empty text or a number may have been cut off. */
  endIfCertain() {
    const { source } = this;
    const isInDoubt = source === null || (!source.isComplete && source.openPath === null);
    if (!this.isOpen) return;
    if (isInDoubt && this.error === null) {
      this.isOpen = false;
      this.isWaiting = true;
    } else {
      this.end(true, false);
    }
  }

  /** End the call: `isStated` by the provider, else by the end of the stream; `isTruncated`: cut off. */
  end(isStated, isTruncated) {
    if (!this.isOpen && !this.isWaiting) return;
    this.isOpen = false;
    this.isWaiting = false;
    if (this.#held !== "") {
      this.text += this.#held;
      this.#length++;
      if (this.source instanceof JsonValueAccumulator) this.#change(this.source.addFragment(this.#held));
      this.#held = "";
    }
    this.isComplete = this.#hasCompleteArguments(isStated) && !isTruncated;
    if (!this.isComplete) this.error ??= errorAt("truncated", ...this.#endOfText());
  }

  /** Report whether the arguments are complete at their end; text and updates must both say so. */
  #hasCompleteArguments(isStated) {
    if (this.error !== null) return false;
    // no arguments at all stand for an empty object
    if (this.isFreeText || !(this.hasValue || NOT_BLANK.test(this.text))) return isStated;
    // a number at the root has no end of its own
    let isCertain = isStated || this.couldBeComplete();
    if (this.source instanceof JsonValueAccumulator) {
      if (!this.couldBeComplete()) this.#change(this.source.finish());
    } else if (this.#length > 0 && this.repairs.length === 0) {
      const text = new JsonValueAccumulator({ onError: "event" });
      text.addFragment(this.text);
      isCertain ||= text.isComplete;
      text.finish();
      this.#compare(text);
    }
    return isCertain && this.couldBeComplete() && this.error === null;
  }

  /** Prefer the text where the updates stop earlier; report where the two contradict each other. */
  #compare(text) {
    const { value } = text;
    const shown = this.hasValue ? this.source.value : value;
    if (this.hasValue && text.error !== null) {
      this.error = text.error;
    } else if (!agree(shown, value, true) || (this.couldBeComplete() && !agree(value, shown, true))) {
      this.#fail(null, "the text and the updates differ");
    } else if (!this.couldBeComplete()) {
      this.source = text;
      this.#change(value !== undefined);
    }
  }

  /** Return the index, line and column of the end of the text. */
  #endOfText() {
    const lines = this.text.split("\n");
    return [this.#length, lines.length, countCharacters(lines[lines.length - 1]) + 1];
  }

  /** End the call as one that the provider abandoned, unless it was complete before. */
  fail() {
    if (!this.isOpen && !this.isWaiting) return;
    this.end(true, false);
    this.isComplete = false;
    this.error ??= errorOf("provider_error");
  }

  /**
   * End the call as a snapshot says that it ended; with an unknown status it is open. Invalid arguments may
   * still grow, so they end nothing.
   */
  restore(status, finishReason) {
    if (status === "failed") this.fail();
    else if (status === "complete" || status === "truncated") this.end(true, status === "truncated");
    else if (status === "invalid" && this.error === null) {
      this.#fail(errorOf("unknown", 0, "the sender found the arguments invalid"));
    }
    this.finishReason = finishReason;
  }

  /** Return the current snapshot of the call; the same object while nothing changes. */
  view() {
    if (!this.#snapshot?.isSnapshotOf(this)) this.#snapshot = new ToolCall(this);
    return this.#snapshot;
  }
}
