/** Where a stream of updates stands, and whether the next update can continue from there. */

import { JsonStreamError, errorOf } from "./errors.js";
import { MAX_DEPTH, MAX_REPAIRS } from "./limits.js";
import { formatPath, formatSegment, segmentsBetween, splitPath } from "./paths.js";
import { trailingHighSurrogate } from "./text.js";

/** Return the frame of a container with one more item. To spread the frame would be slower. */
const withOneMore = ({ parent, segment, isArray, isExplicit, path, depth, count }) => ({
  parent, segment, isArray, isExplicit, path, depth, count: count + 1,
});

/** List the segments from the root down to an open container. */
function segmentsTo(frame) {
  const segments = [];
  for (; frame !== null && frame.segment !== null; frame = frame.parent) segments.push(frame.segment);
  return segments.reverse();
}

/** Return the root's name by the first update. */
function rootName(kind, path) {
  const [name, segments] = splitPath(path, "root");
  // a stream that writes its containers begins with the one at the root
  if (kind === "StartObject" || kind === "StartArray") {
    return segments.length === 1 && segments[0] === path ? path : name;
  }
  return name;
}

/**
 * Checks updates against the open containers, and notes the visitor calls that they amount to.
 *
 * `calls` holds [method, argument, starts, ends] for each; they are made when a complete batch was accepted.
 */
export class Cursor {
  #root;
  // whether the update in hand was located by its segments, not by the path of the open container
  #wasSearched = false;
  // Everything that an update changes. A batch works on a copy, which replaces the original on success.
  #at;
  #before;

  constructor(root) {
    this.#root = root;
    this.calls = [];
    this.#at = {
      error: null,
      repairs: Object.freeze([]),
      // the root's name once it is known, the open container, the key or index of its last value. Frames of
      // containers are never changed, so that a batch can be undone, but for `path`: the path by which updates
      // name the container, once that is known
      name: this.#root,
      frame: null,
      segment: null,
      // the announced key; whether the root value has ended, and JsonComplete was received; how many
      // updates were accepted
      key: null,
      ended: false,
      done: false,
      seen: 0,
      // the open string, and a high surrogate that waits for the low one
      inString: false,
      text: "",
      held: "",
    };
  }

  get isDone() {
    return this.#at.done;
  }

  get error() {
    return this.#at.error;
  }

  get repairs() {
    return this.#at.repairs;
  }

  beginBatch() {
    this.calls = [];
    this.#before = this.#at;
    this.#at = { ...this.#at };
  }

  undoBatch() {
    this.calls = [];
    this.#at = this.#before;
  }

  /** Accept the next update, or throw; ignore one of an unknown kind. */
  accept(update) {
    if (update.kind === null) return;
    this.#accept(update);
    this.#at.seen++;
  }

  #accept({ path, kind, text, value }) {
    const at = this.#at;
    if (kind === "Error") {
      this.#acceptError(path, value);
      return;
    }
    if (kind === "Repair") {
      if (at.repairs.length < MAX_REPAIRS) at.repairs = Object.freeze([...at.repairs, value]);
      return;
    }
    if (at.done) throw this.#refusal("the document is already complete");
    this.#wasSearched = false;
    const steps = this.#stepsTo(kind, path);
    switch (kind) {
      case "Key":
        this.#acceptKey(steps, text);
        break;
      case "JsonComplete":
        this.#acceptEndOfDocument(steps);
        break;
      case "EndObject":
      case "EndArray":
        this.#acceptEnd(steps, kind === "EndArray");
        break;
      case "PartialString":
      case "CompleteString":
        if (!at.inString) {
          if (text === null) {
            throw this.#refusal("a CompleteString without text, and none of its parts has arrived");
          }
          this.#begin(steps, kind === "PartialString");
          this.#openString();
        } else if (!this.#isLast(steps)) {
          throw this.#refusal("the open string has not ended");
        }
        // without a text of its own, a CompleteString ends the parts that have arrived
        this.#acceptText(text ?? at.text + at.held, kind === "CompleteString");
        break;
      case "StartObject":
      case "StartArray":
        if (steps.length === 0 && at.frame !== null) throw this.#refusal("a container is already open at this path");
        this.#begin(steps, false);
        this.#push(kind === "StartArray", true, path);
        break;
      case "StartString":
        this.#begin(steps, false);
        this.#openString();
        break;
      default:
        this.#begin(steps, false);
        this.calls.push(["put", value]);
        this.#endValue();
    }
    if (this.#wasSearched && kind !== "Key" && at.frame !== null) this.#learnPath(path);
  }

  // the place of an update, relative to the open container

  /** Leave the implied containers that end here; return the segments from the container that stays open. */
  #stepsTo(kind, path) {
    const { frame } = this.#at;
    if (frame !== null && frame.path !== null) {
      const steps = segmentsBetween(path, frame.path);
      if (steps !== null) return steps;
    }
    const segments = this.#segmentsOf(kind, path);
    this.#wasSearched = true;
    const own = segmentsTo(frame);
    for (let depth = own.length - 1; depth >= 0; depth--) {
      if (segments[depth] === own[depth]) continue;
      this.#leaveImplied(own.length - depth);
      own.length = depth;
    }
    return segments.slice(own.length);
  }

  /** Return the segments of a place from the root, whose name the first update states. */
  #segmentsOf(kind, path) {
    const at = this.#at;
    at.name ??= rootName(kind, path);
    const steps = segmentsBetween(path, at.name);
    if (steps === null) throw this.#refusal("the path belongs to another root", path);
    return steps;
  }

  /** Close containers that only paths had opened. */
  #leaveImplied(count) {
    for (let i = 0; i < count; i++) {
      if (this.#at.frame === null || this.#at.frame.isExplicit) {
        throw this.#refusal("the path is outside of the open containers");
      }
      this.#pop();
    }
  }

  /** Keep the path of the open container as the sender writes it, where the path of a value in it shows it. */
  #learnPath(path) {
    const { frame, segment } = this.#at;
    if (frame.path !== null || segment === null) return;
    const written = formatSegment(segment);
    if (path.endsWith(written)) frame.path = path.slice(0, path.length - written.length);
  }

  #isLast(steps) {
    if (this.#at.frame === null) return steps.length === 0;
    return steps.length === 1 && steps[0] === this.#at.segment;
  }

  /** Move to the place where a value begins. */
  #begin(steps, unannounced) {
    const at = this.#at;
    if (at.inString) throw this.#refusal("the open string has not ended");
    if (at.ended) throw this.#refusal("the root value has already ended");
    const { frame } = at;
    if (frame !== null && steps.length === 0) {
      // the place of the open container itself: a repeated key whose container was only implied
      if (frame.isExplicit || frame.segment === null) {
        throw this.#refusal("a container is already open at this path");
      }
      this.#pop();
      steps = [frame.segment];
    }
    for (const [depth, step] of steps.entries()) {
      // containers that only the path states
      if (depth > 0 || at.frame === null) this.#push(typeof step === "number", false, null);
      this.#place(step, unannounced && depth === steps.length - 1);
    }
  }

  /** Begin a member of the open container. */
  #place(segment, unannounced) {
    const at = this.#at;
    if (at.frame.isArray) {
      if (segment !== at.frame.count) {
        const found = typeof segment === "number" ? "" : ", found a key";
        throw this.#refusal(`expected index ${at.frame.count} of the open array${found}`);
      }
      at.frame = withOneMore(at.frame);
    } else {
      if (typeof segment !== "string") throw this.#refusal("expected a key of the open object, found an index");
      if (at.key !== null && at.key !== segment) throw this.#refusal("the path does not have the key of the last Key update");
      if (unannounced && at.key === null && at.segment === segment) {
        throw this.#refusal("a PartialString for a value that has already ended");
      }
      this.calls.push(["key", segment]);
    }
    at.segment = segment;
    at.key = null;
  }

  /** Open a container at the value that began last. */
  #push(isArray, isExplicit, path) {
    const at = this.#at;
    const { frame: parent, segment } = at;
    const depth = parent === null ? 1 : parent.depth + 1;
    if (depth > MAX_DEPTH) throw new JsonStreamError(errorOf("depth_limit", at.seen));
    this.calls.push(["begin", isArray]);
    at.frame = { parent, segment, isArray, isExplicit, path, depth, count: 0 };
    at.segment = at.key = null;
  }

  /** Close the open container. */
  #pop() {
    const at = this.#at;
    this.calls.push(["end"]);
    at.segment = at.frame.segment;
    at.frame = at.frame.parent;
    at.key = null;
    this.#endValue();
  }

  #endValue() {
    this.#at.ended = this.#at.frame === null;
  }

  // the content of an update

  #acceptKey(steps, text) {
    const at = this.#at;
    if (at.frame === null || steps.length > 0) {
      // the object is implied
      this.#begin(steps, false);
      this.#push(false, false, null);
    }
    this.#checkNothingIsMissing();
    if (at.frame.isArray) throw this.#refusal("expected an item or the end of the open array, found a key");
    at.key = text;
  }

  #acceptEnd(steps, isArray) {
    const { frame } = this.#at;
    if (frame === null || steps.length > 0 || frame.isArray !== isArray) {
      throw this.#refusal("the end of a container that is not open");
    }
    this.#checkNothingIsMissing();
    this.#pop();
  }

  #checkNothingIsMissing() {
    if (this.#at.inString) throw this.#refusal("the open string has not ended");
    if (this.#at.key !== null) throw this.#refusal("a Key update without a value");
  }

  #acceptEndOfDocument(steps) {
    const at = this.#at;
    const { frame } = at;
    if (frame !== null && frame.parent === null && !frame.isExplicit && !at.inString) this.#pop();
    if (steps.length > 0 || !at.ended) throw this.#refusal("JsonComplete before the root value has ended");
    at.done = true;
  }

  #openString() {
    const at = this.#at;
    at.inString = true;
    at.text = "";
    at.held = "";
    this.calls.push(["string", "", true, false]);
  }

  #acceptText(text, ends) {
    const at = this.#at;
    if (ends) {
      if (!text.startsWith(at.text)) throw this.#refusal("the CompleteString differs from its joined PartialStrings");
      text = text.slice(at.text.length);
      at.inString = false;
      at.text = "";
    } else if (text !== "") {
      // a sender that counts UTF-16 units may split a surrogate pair
      text = at.held + text;
      at.held = trailingHighSurrogate(text);
      text = text.slice(0, text.length - at.held.length);
      at.text += text;
    }
    if (text !== "" || ends) this.calls.push(["string", text, false, ends]);
    if (ends) this.#endValue();
  }

  /** Keep an error; a string that it damaged ends, and at the root another value may replace it. */
  #acceptError(path, error) {
    const at = this.#at;
    splitPath(path, "root");
    at.error = error ?? errorOf("unknown");
    const isTruncated = at.error.code === "truncated";
    if (at.inString) {
      // readers see it as open until something else follows
      this.calls.push(["string", at.held, false, false]);
      at.held = "";
      at.inString = isTruncated;
    }
    if (!isTruncated) at.key = null;
  }

  /** Return the exception for an update that does not fit, with the place of the last one that did. */
  #refusal(detail, path = null) {
    const { frame, name, seen } = this.#at;
    const place = path ?? formatPath(name ?? "", segmentsTo(frame));
    return new JsonStreamError(errorOf("misplaced_update", seen, detail), place);
  }
}
