import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonStreamError, applyPatch } from "./library.mjs";

// RFC 6902, appendix A, and what it leaves to be guessed
const GOOD = [
  [{ foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
  [{ foo: ["a", "b"] }, [{ op: "add", path: "/foo/1", value: "x" }], { foo: ["a", "x", "b"] }],
  [{ foo: 1, bar: 2 }, [{ op: "remove", path: "/foo" }], { bar: 2 }],
  [{ foo: ["a", "b", "c"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["a", "c"] }],
  [{ foo: 1 }, [{ op: "replace", path: "/foo", value: [2] }], { foo: [2] }],
  [{ a: { b: 1 }, c: {} }, [{ op: "move", from: "/a/b", path: "/c/d" }], { a: {}, c: { d: 1 } }],
  [{ a: ["x", "y", "z"] }, [{ op: "move", from: "/a/1", path: "/a/2" }], { a: ["x", "z", "y"] }],
  [{ a: [1] }, [{ op: "copy", from: "/a", path: "/b" }, { op: "add", path: "/b/-", value: 2 }], { a: [1], b: [1, 2] }],
  [{ a: ["b", 2, { c: null }] }, [{ op: "test", path: "/a", value: ["b", 2, { c: null }] }], { a: ["b", 2, { c: null }] }],
  [{ "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
  [{ foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["x"] }], { foo: ["bar", ["x"]] }],
  [undefined, [{ op: "add", path: "", value: {} }, { op: "add", path: "/", value: null }], { "": null }],
  [{ a: "x" }, [{ op: "append", path: "/a", value: "y" }, { op: "append", path: "/a", value: "" }], { a: "xy" }],
  ["x", [{ op: "append", path: "", value: "y" }], "xy"],
  [{ a: 1 }, [{ op: "unknown to nobody" }].slice(1), { a: 1 }],
  [{ a: 1 }, [{ op: "move", from: "/a", path: "/a" }, { op: "move", from: "", path: "" }], { a: 1 }],
  // what was copied is another value from then on, also if this patch had changed it before
  [{ a: [] }, [
    { op: "add", path: "/a/-", value: 1 }, { op: "copy", from: "/a", path: "/b" }, { op: "add", path: "/b/-", value: 2 },
    { op: "add", path: "/a/-", value: 3 },
  ], { a: [1, 3], b: [1, 2] }],
  [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }, { op: "copy", from: "", path: "/c" }], { a: 1, b: 2, c: { a: 1, b: 2 } }],
];
const BAD = [
  [{ a: 1 }, { op: "replace", path: "/b", value: 1 }, "there is no such value"],
  [{ a: 1 }, { op: "remove", path: "/b" }, "there is no such value"],
  [{ a: [1] }, { op: "add", path: "/a/2", value: 1 }, "there is no such index"],
  [{ a: [1] }, { op: "add", path: "/a/01", value: 1 }, "there is no such index"],
  [{ a: [1] }, { op: "replace", path: "/a/-", value: 1 }, "there is no such index"],
  [{ a: 1 }, { op: "add", path: "/a/b", value: 1 }, "the path leads through a value that is no container"],
  [{ a: 1 }, { op: "test", path: "/a", value: "1" }, "the value is another one"],
  [{ a: 1 }, { op: "append", path: "/a", value: "1" }, "only strings are appended"],
  [{ a: {} }, { op: "move", from: "/a", path: "/a/b" }, "a value cannot move into itself"],
  [{}, { op: "remove", path: "" }, "the root cannot be removed"],
  [{}, { op: "toString", path: "" }, "the operation is unknown"],
  [{}, { op: "add", path: "a", value: 1 }, "the path is no JSON Pointer"],
  [{}, { op: "add", path: "/a" }, "it has no value"],
  [{}, { op: "remove", path: "/toString" }, "there is no such value"],
];

function frozen(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

test("operations apply, and the given value does not change", () => {
  for (const [before, operations, after] of GOOD) {
    assert.deepEqual(applyPatch(frozen(before), frozen(operations)), after);
  }
});

test("an operation that does not fit names itself, its path and its position", () => {
  for (const [before, operation, why] of BAD) {
    const operations = frozen([{ op: "test", path: "", value: before }, operation]);
    assert.throws(() => applyPatch(frozen(before), operations), (error) => {
      assert.ok(error instanceof JsonStreamError, String(error));
      assert.equal(error.index, 1);
      assert.ok(error.message.endsWith(`${operation.op} ${JSON.stringify(operation.path)}: ${why}`), error.message);
      return true;
    });
  }
});

test("what no operation touched is the same object, and a key __proto__ is data", () => {
  const before = frozen({ a: { b: [1] }, c: { d: [{}] } });
  const after = applyPatch(before, [{ op: "add", path: "/c/d/0/__proto__", value: { x: 1 } }]);
  assert.equal(after.a, before.a);
  assert.notEqual(after.c.d[0], before.c.d[0]);
  assert.deepEqual(Object.keys(after.c.d[0]), ["__proto__"]);
  assert.equal({}.x, undefined);
});
