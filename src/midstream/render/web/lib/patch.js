/** JSON Patch (RFC 6902) on values that share what did not change, with `append` for growing strings. */

import { JsonStreamError, errorOf } from "./errors.js";
import { setMember } from "./text.js";

const isContainer = (value) => typeof value === "object" && value !== null;

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
  // the containers that this call created, which it may change
  #own = new WeakSet();
  #operation = null;
  #index = 0;

  constructor(root) {
    this.root = root;
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
        return this.#replace(path, this.#given(value));
      case "append":
        return this.#append(path, value);
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
        if (!isEqual(this.#read(path), this.#given(value))) throw this.#failure("the value is another one");
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
    if (parent === null) this.root = value;
    else if (Array.isArray(parent)) parent.splice(this.#indexIn(parent, token, parent.length + 1), 0, value);
    else setMember(parent, token, value);
  }

  #remove(path) {
    const [parent, token] = this.#parent(path);
    if (parent === null) throw this.#failure("the root cannot be removed");
    this.#child(parent, token);
    if (Array.isArray(parent)) parent.splice(Number(token), 1);
    else delete parent[token];
  }

  #replace(path, value) {
    const [parent, token] = this.#parent(path);
    if (parent !== null) this.#child(parent, token);
    this.#set(parent, token, value);
  }

  #append(path, value) {
    const [parent, token] = this.#parent(path);
    const before = parent === null ? this.root : this.#child(parent, token);
    if (typeof before !== "string" || typeof value !== "string") throw this.#failure("only strings are appended");
    this.#set(parent, token, before + value);
  }

  #set(parent, token, value) {
    if (parent === null) this.root = value;
    else if (Array.isArray(parent)) parent[Number(token)] = value;
    else setMember(parent, token, value);
  }

  #read(path) {
    let value = this.root;
    for (const token of this.#tokens(path)) value = this.#child(value, token);
    return value;
  }

  /** Return the container that a path ends in, as one that may be changed, and the last token. */
  #parent(path) {
    const tokens = this.#tokens(path);
    if (tokens.length === 0) return [null, null];
    const last = tokens.pop();
    let container = this.#owned(this.root);
    this.root = container;
    for (const token of tokens) {
      const inner = this.#owned(this.#child(container, token));
      this.#set(container, token, inner);
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
    return path.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  }

  #failure(detail) {
    const { op, path } = Object(this.#operation);
    const name = `${String(op)} ${JSON.stringify(path) ?? "without a path"}`;
    return new JsonStreamError(errorOf("invalid_patch", this.#index, `${name}: ${detail}`), String(path ?? ""));
  }
}

/** Report whether two JSON values are equal. */
function isEqual(a, b) {
  const pairs = [[a, b]];
  for (const [x, y] of pairs) {
    if (x === y) continue;
    if (!isContainer(x) || !isContainer(y) || Array.isArray(x) !== Array.isArray(y)) return false;
    const keys = Object.keys(x);
    if (keys.length !== Object.keys(y).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(y, key)) return false;
      pairs.push([x[key], y[key]]);
    }
  }
  return true;
}
