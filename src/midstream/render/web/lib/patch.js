/** JSON Patch (RFC 6902) on values that share what did not change, with `append` for growing strings. */

import { JsonStreamError, errorOf } from "./errors.js";
import { agree, isContainer, setMember } from "./text.js";

/**
 * Apply patch operations to a value, and return the new value.
 *
 * The given value is not changed; the result shares every container that no operation touched. Besides the
 * operations of RFC 6902 there is {"op": "append", "path", "value"}, which extends a string. An operation
 * that does not fit throws JsonStreamError, and nothing is applied.
 */
export function applyPatch(value, operations) {
  const patcher = new Patcher(value);
  for (const [index, operation] of operations.entries()) patcher.apply(operation, index);
  return patcher.root;
}

class Patcher {
  // the document is a member of this object, so that it has a parent, too: "/a" has the tokens "" and "a"
  #holder;
  // the containers that this call created, which it may change
  #own = new WeakSet();
  #operation = null;
  #index = 0;

  constructor(root) {
    this.#holder = { "": root };
  }

  get root() {
    return this.#holder[""];
  }

  apply(operation, index) {
    this.#operation = operation;
    this.#index = index;
    if (!isContainer(operation)) throw this.#failure("it is not an object");
    const { op, path, from, value } = operation;
    switch (op) {
      case "add":
        return this.#add(path, this.#given(value));
      case "remove":
        return this.#remove(path);
      case "replace":
        return this.#change(path, this.#given(value));
      case "append":
        return this.#change(path, value, true);
      case "move": {
        if (typeof from === "string" && `${path}`.startsWith(`${from}/`)) {
          throw this.#failure("a value cannot move into itself");
        }
        const moved = this.#read(from);
        if (from === path) return undefined;
        this.#remove(from);
        return this.#add(path, moved);
      }
      case "copy": {
        const copied = this.#read(from);
        // two places have it now, so neither may change it
        this.#own = new WeakSet();
        return this.#add(path, copied);
      }
      case "test":
        if (!agree(this.#read(path), this.#given(value), false)) throw this.#failure("the value is another one");
        return undefined;
      default:
        throw this.#failure("the operation is unknown");
    }
  }

  #given(value) {
    if (value === undefined) throw this.#failure("it has no value");
    return value;
  }

  #add(path, value) {
    const [parent, token] = this.#parent(path);
    if (Array.isArray(parent)) parent.splice(this.#indexIn(parent, token, parent.length + 1), 0, value);
    else setMember(parent, token, value);
  }

  #remove(path) {
    const [parent, token] = this.#parent(path);
    if (parent === this.#holder) throw this.#failure("the root cannot be removed");
    this.#child(parent, token);
    if (Array.isArray(parent)) parent.splice(token, 1);
    else delete parent[token];
  }

  /** Replace a value or, with `appends`, extend it. */
  #change(path, value, appends = false) {
    const [parent, token] = this.#parent(path);
    const before = this.#child(parent, token);
    if (appends && (typeof before !== "string" || typeof value !== "string")) {
      throw this.#failure("only strings are appended");
    }
    setMember(parent, token, appends ? before + value : value);
  }

  #read(path) {
    return this.#tokens(path).reduce((value, token) => this.#child(value, token), this.#holder);
  }

  /** Return the container that a path ends in, as one that may be changed, and the last token. */
  #parent(path) {
    const tokens = this.#tokens(path);
    const last = tokens.pop();
    let container = this.#holder;
    for (const token of tokens) {
      const inner = this.#owned(this.#child(container, token));
      setMember(container, token, inner);
      container = inner;
    }
    return [container, last];
  }

  /** Return a container that this call may change: the same one, or a copy. */
  #owned(container) {
    if (!isContainer(container)) throw this.#failure("the path leads through a value that is no container");
    if (this.#own.has(container)) return container;
    const copy = Array.isArray(container) ? container.slice() : { ...container };
    this.#own.add(copy);
    return copy;
  }

  #child(container, token) {
    if (Array.isArray(container)) return container[this.#indexIn(container, token, container.length)];
    if (!isContainer(container) || !Object.hasOwn(container, token)) throw this.#failure("there is no such value");
    return container[token];
  }

  #indexIn(array, token, count) {
    if (token === "-" && count > array.length) return array.length;
    const index = /^(?:0|[1-9][0-9]*)$/.test(token) ? Number(token) : count;
    if (index >= count) throw this.#failure("there is no such index");
    return index;
  }

  #tokens(path) {
    if (typeof path !== "string" || (path !== "" && path[0] !== "/")) throw this.#failure("the path is no JSON Pointer");
    const tokens = path.split("/");
    if (!path.includes("~")) return tokens;
    return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  }

  #failure(detail) {
    const { op, path } = Object(this.#operation);
    const name = `${String(op)} ${JSON.stringify(path) ?? "without a path"}`;
    return new JsonStreamError(errorOf("invalid_patch", this.#index, `${name}: ${detail}`), String(path ?? ""));
  }
}
