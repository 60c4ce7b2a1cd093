import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonFragmentRebuilder, JsonStreamError, ToolsAggregateMessageHandler } from "./library.mjs";

// the updates of {a: 'x',} as a lenient reader writes them
const repair = (code, index, path) => ({
  path, kind: "Repair", textValue: `${code} was repaired`, repair: { code, index, line: 1, column: index + 1 },
});
const PIECES = [
  ["{a: ", [{ path: "root", kind: "StartObject" }, repair("unquoted_key", 1, "root"), { path: "root", kind: "Key", textValue: "a" }]],
  ["'x", [{ path: "root.a", kind: "StartString" }, repair("single_quotes", 4, "root.a"), { path: "root.a", kind: "PartialString", textValue: "x" }]],
  ["',}", [
    { path: "root.a", kind: "CompleteString" }, repair("trailing_comma", 7, "root"), { path: "root", kind: "EndObject" },
    { path: "root", kind: "JsonComplete" },
  ]],
];
const CODES = ["unquoted_key", "single_quotes", "trailing_comma"];

test("a rebuilder keeps repairs, which change nothing, also after the end", () => {
  const rebuilder = new JsonFragmentRebuilder();
  assert.deepEqual(rebuilder.repairs, []);
  for (const [, updates] of PIECES) rebuilder.apply(updates);
  const { repairs } = rebuilder;
  assert.deepEqual(rebuilder.value, { a: "x" });
  assert.deepEqual(repairs.map(({ code }) => code), CODES);
  assert.deepEqual({ ...repairs[1] }, {
    code: "single_quotes", message: "single_quotes was repaired", index: 4, line: 1, column: 5, path: "root.a",
  });
  assert.equal(rebuilder.apply(repair("extra_closer", 9, "root")), false);
  assert.equal(rebuilder.isComplete, true);
  assert.equal(rebuilder.error, null);
  assert.equal(rebuilder.repairs.length, 4);
  assert.equal(repairs.length, 3);
  assert.ok(Object.isFrozen(repairs) && Object.isFrozen(repairs[0]));
});

test("the repairs of a batch that is refused are forgotten, and one without a place is ignored", () => {
  const rebuilder = new JsonFragmentRebuilder();
  assert.throws(() => rebuilder.apply([repair("comment", 0, "root"), { path: "root", kind: "EndObject" }]), JsonStreamError);
  assert.deepEqual(rebuilder.repairs, []);
  for (const wrong of [{}, { repair: { code: 1, index: 0, line: 1, column: 1 } }, { repair: { code: "x" } }]) {
    assert.equal(rebuilder.apply({ path: "root", kind: "Repair", ...wrong }), false);
    assert.deepEqual(rebuilder.repairs, []);
  }
});

test("no more than 1,000 repairs are kept", () => {
  const rebuilder = new JsonFragmentRebuilder();
  for (let n = 0; n < 1001; n++) rebuilder.apply(repair("comment", n, "root"));
  const { repairs } = rebuilder;
  assert.deepEqual([repairs.length, repairs[0].index, repairs[999].index], [1000, 0, 999]);
  rebuilder.apply(repair("comment", 1001, "root"));
  assert.equal(rebuilder.repairs, repairs);
});

test("kinds with a lower-case letter, and kinds that are not known", () => {
  const rebuilder = new JsonFragmentRebuilder();
  rebuilder.apply([{ ...repair("comment", 0, "root"), kind: "repair" }, { path: "root", kind: "Future" }]);
  assert.equal(rebuilder.repairs.length, 1);
});

for (const place of ["text and updates", "updates alone"]) {
  test(`a repaired call is complete, and says what was repaired: ${place}`, () => {
    const handler = new ToolsAggregateMessageHandler();
    const seen = [];
    for (const [text, updates] of PIECES) {
      const function_args = place === "updates alone" ? null : text;
      seen.push(...handler.addMessage({
        type: "tools_call_update", index: 0, function_name: "f", function_args, json_update_fragments: updates, message_id: "m",
      }));
    }
    handler.addMessage({ type: "message_end", reason: "stop", message_id: "m" });
    const [call] = handler.complete("m");
    assert.deepEqual([call.isComplete, call.error, call.args], [true, null, { a: "x" }]);
    assert.equal(call.isRepaired, true);
    assert.deepEqual(call.repairs.map(({ code }) => code), CODES);
    assert.deepEqual(call.toJSON().repairs, call.repairs);
    // earlier calls did not change, although their text is not JSON
    assert.deepEqual(seen.map(({ args }) => args), [{}, { a: "x" }, { a: "x" }]);
    assert.deepEqual(seen.map(({ repairs }) => repairs.length), [1, 2, 3]);
  });
}

test("a call that was cut off is truncated, repaired or not", () => {
  const handler = new ToolsAggregateMessageHandler();
  for (const [function_args, json_update_fragments] of PIECES.slice(0, 2)) {
    handler.addMessage({ type: "tools_call_update", index: 0, function_args, json_update_fragments });
  }
  const [call] = handler.complete();
  assert.deepEqual([call.isComplete, call.error.code, call.isRepaired], [false, "truncated", true]);
});

test("a call is frozen, and its fields are its own", () => {
  const handler = new ToolsAggregateMessageHandler();
  const update = { type: "tool_call_update", tool_call_id: "c", index: 0, function_name: "f", function_args: '{"a": 1' };
  const [call] = handler.addMessage(update);
  assert.throws(() => { call.name = "g"; }, TypeError);
  handler.addMessage({ type: "tool_call_update", index: 0, function_args: "2}" });
  assert.deepEqual([call.id, call.index, call.name, call.isComplete, call.rawArgs], ["c", 0, "f", false, '{"a": 1']);
  assert.deepEqual([call.args, call.openPath], [{}, []]);
  assert.deepEqual({ ...call, repairs: [] }, {
    id: "c", index: 0, name: "f", isComplete: false, error: null, finishReason: null, repairs: [],
  });
  assert.deepEqual(JSON.parse(JSON.stringify(call)), { ...call, args: {}, rawArgs: '{"a": 1', openPath: [] });
});

test("a call without repairs says so", () => {
  const handler = new ToolsAggregateMessageHandler();
  const [call] = handler.addMessage({ type: "tools_call_update", index: 0, function_args: "{}" });
  assert.deepEqual([call.isRepaired, call.repairs], [false, []]);
});
