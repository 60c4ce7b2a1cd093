import assert from "node:assert/strict";
import { test } from "node:test";
import { createStore, field } from "./library.mjs";

/** Frames that the test draws. */
function screen() {
  const frames = [];
  return {
    schedule: (publish) => frames.push(publish),
    draw: () => frames.splice(0).forEach((publish) => publish()),
    waiting: () => frames.length,
  };
}

/** A source that the test fills. */
function pipe() {
  const items = [];
  const waiting = [];
  const settle = () => {
    while (items.length > 0 && waiting.length > 0) waiting.shift()(items.shift());
  };
  return {
    async push(...values) {
      items.push(...values.map((value) => Promise.resolve({ done: false, value })));
      settle();
      for (let i = 0; i < 20; i++) await null;
    },
    async end() {
      items.push(Promise.resolve({ done: true, value: undefined }));
      settle();
      for (let i = 0; i < 20; i++) await null;
    },
    async fail(error) {
      items.push(Promise.reject(error));
      settle();
      for (let i = 0; i < 20; i++) await null;
    },
    returned: 0,
    [Symbol.asyncIterator]() {
      return {
        next: () => new Promise((resolve) => { waiting.push(resolve); settle(); }),
        return: async () => { this.returned++; return { done: true, value: undefined }; },
      };
    },
  };
}

test("subscribers hear at most once per frame, and the end at once", async () => {
  const { schedule, draw, waiting } = screen();
  const source = pipe();
  const store = createStore(source, { schedule });
  const seen = [];
  const unsubscribe = store.subscribe(({ status, value }) => seen.push([status, value]));
  // Svelte's contract: the first call comes with the subscription
  assert.deepEqual(seen, [["streaming", undefined]]);
  await source.push('{"a": "x', "y", "z");
  assert.equal(waiting(), 1);
  assert.equal(seen.length, 1);
  const before = store.getSnapshot();
  assert.equal(store.getSnapshot(), before);
  draw();
  assert.deepEqual(seen.at(-1), ["streaming", { a: "xyz" }]);
  assert.notEqual(store.getSnapshot(), before);
  await source.push('"}');
  await source.end();
  await store.done;
  assert.deepEqual(seen.at(-1), ["complete", { a: "xyz" }]);
  assert.equal(store.getSnapshot().isComplete, true);
  const count = seen.length;
  draw();
  unsubscribe();
  assert.equal(seen.length, count);
});

test("a page that is hidden before its next frame hears of the stream, once for each change", { timeout: 20_000 }, async (t) => {
  const frames = [];
  globalThis.requestAnimationFrame = (callback) => frames.push(callback);
  globalThis.cancelAnimationFrame = (frame) => { frames[frame - 1] = () => {}; };
  t.after(() => { delete globalThis.requestAnimationFrame; delete globalThis.cancelAnimationFrame; });
  const source = pipe();
  const store = createStore(source);
  const seen = [];
  const heard = new Promise((resolve) => store.subscribe(({ text }) => { seen.push(text); if (text === "[1") resolve(); }));
  await source.push("[", "1");
  await heard;
  // the frame comes after all, when the page is seen again
  frames.forEach((draw) => draw());
  assert.deepEqual(seen, ["", "[1"]);
  store.stop();
});

test("stop leaves the source and keeps what arrived", async () => {
  const source = pipe();
  const store = createStore(source, { schedule: (publish) => publish() });
  await source.push('["x');
  store.stop();
  const { status, value, isComplete } = store.getSnapshot();
  assert.deepEqual([status, value, isComplete], ["stopped", ["x"], false]);
  assert.equal(source.returned, 1);
  await source.push('y"]');
  assert.deepEqual(store.getSnapshot().value, ["x"]);
});

test("events become calls and text; events that are unknown change nothing", async () => {
  const store = createStore([
    { type: "stream_start", data: "{}", id: "" },
    { type: "tools_call_update", data: '{"tool_call_updates": [{"tool_call_id": "c", "function_name": "plan", "function_args": "{\\"days\\": [\\"Mo"}]}', id: "" },
    { type: "something_new", data: '{"x": 1}', id: "" },
    { type: "text_delta", text: "Hello" },
    { type: "tool_call_update", tool_call_id: "c", function_args: 'n"]}' },
    { type: "message_end", reason: "stop" },
    { type: "stream_end", data: "{}", id: "" },
  ]);
  const days = field(store, "days[0]", { call: "plan" });
  const title = field(store, "title", { call: 0 });
  await store.done;
  const { status, text, value, calls, error } = store.getSnapshot();
  assert.deepEqual([status, text, value, error], ["complete", "Hello", undefined, null]);
  assert.deepEqual(calls.map(({ name, args, isComplete }) => [name, args, isComplete]), [["plan", { days: ["Mon"] }, true]]);
  assert.deepEqual(days.getSnapshot(), { value: "Mon", isComplete: true });
  assert.deepEqual(title.getSnapshot(), { value: undefined, isComplete: false });
});

test("a field is heard of only when it changes, and is complete when it is final", async () => {
  const source = pipe();
  const store = createStore(source, { schedule: (publish) => publish() });
  const seen = { a: [], b: [], root: [] };
  for (const [name, path] of Object.entries({ a: "a", b: ["b", 0], root: [] })) {
    field(store, path).subscribe((shown) => seen[name].push([JSON.stringify(shown.value), shown.isComplete]));
  }
  for (const fragment of ['{"a": "x', 'y"', ', "b": [1', ', "z', '"]', "}"]) await source.push(fragment);
  await source.end();
  assert.deepEqual(seen.a, [[undefined, false], ['"x"', false], ['"xy"', true]]);
  assert.deepEqual(seen.b, [[undefined, false], ["1", true]]);
  assert.deepEqual(seen.root.at(-1), ['{"a":"xy","b":[1,"z"]}', true]);
  assert.ok(seen.root.slice(0, -1).every(([, isComplete]) => !isComplete));
});

test("errors of the server, of the source and of the text are distinguished", async () => {
  const reported = createStore([{ type: "error", data: '{"code": "event_limit", "message": "too long"}', id: "" }]);
  await reported.done;
  assert.deepEqual([reported.getSnapshot().status, reported.getSnapshot().error], ["failed", { code: "event_limit", message: "too long" }]);
  const source = pipe();
  const broken = createStore(source);
  await source.push('{"a": 1,');
  await source.fail(new RangeError("gone"));
  await broken.done;
  assert.deepEqual([broken.getSnapshot().status, broken.getSnapshot().value], ["failed", { a: 1 }]);
  assert.equal(broken.getSnapshot().error.message, "gone");
  const cut = createStore(['{"a": "b']);
  await cut.done;
  assert.deepEqual([cut.getSnapshot().isComplete, cut.getSnapshot().valueError.code], [false, "truncated"]);
  assert.deepEqual(field(cut, "a").getSnapshot(), { value: "b", isComplete: false });
  const limited = createStore([{ type: "text_delta", text: "12" }, { type: "message_end", reason: "length", is_truncated: true }]);
  await limited.done;
  assert.deepEqual([limited.getSnapshot().isComplete, limited.getSnapshot().value], [false, undefined]);
});

test("a snapshot of the stream replaces what came before, and what follows continues it", async () => {
  const call = { tool_call_id: "c", index: 0, function_name: "f", function_args: '{"a": "x', status: "open" };
  const messages = [
    { message_id: "m", text: '{"t": "Hel', calls: [call] },
    { message_id: "n", text: "", finish_reason: "stop", calls: [{ ...call, tool_call_id: "d", status: "truncated" }] },
  ];
  const source = [
    { type: "text_delta", text: "[1", message_id: "m" },
    { function_args: "[", tool_call_id: "old", message_id: "m" },
    { type: "stream_snapshot", data: JSON.stringify({ type: "stream_snapshot", messages }), id: "s-9" },
    { type: "text_delta", text: 'lo"}', message_id: "m" },
    { function_args: 'y"}', index: 0, message_id: "m", args_offset: 8 },
    { type: "message_end", message_id: "m" },
  ];
  const store = createStore(source);
  await store.done;
  const { text, value, isComplete, calls, status } = store.getSnapshot();
  assert.deepEqual({ text, value, isComplete, status }, {
    text: '{"t": "Hello"}', value: { t: "Hello" }, isComplete: true, status: "complete",
  });
  assert.deepEqual(calls.map(({ id, args, isComplete: done, error }) => [id, args, done, error?.code]), [
    ["c", { a: "xy" }, true, undefined],
    ["d", { a: "x" }, false, "truncated"],
  ]);
});

test("an error in a snapshot of the stream is the error of the stream", async () => {
  const error = { error_type: "overloaded", message: "try later", status: 529 };
  const store = createStore([{ type: "stream_snapshot", messages: [{ text: "x", error: null }, { choice: 1, error }] }]);
  await store.done;
  const { status, error: found } = store.getSnapshot();
  assert.deepEqual([status, found], ["failed", { code: "overloaded", message: "try later" }]);
});

test("the text is that of the first choice, and a refusal is the error of the stream", async () => {
  const store = createStore([
    { type: "text_delta", text: '{"a": ', choice: 0 },
    { type: "text_delta", text: "another answer", choice: 1 },
    { type: "refusal_delta", text: "no", choice: 1 },
    { type: "text_delta", text: "1}" },
    { type: "message_end", reason: "length", is_truncated: true, choice: 1 },
  ]);
  await store.done;
  const { value, isComplete, status } = store.getSnapshot();
  assert.deepEqual([value, isComplete, status], [{ a: 1 }, true, "complete"]);

  const messages = [{ text: "x", refusal: "I can" }, { text: "y", refusal: "z", choice: 1 }];
  for (const first of [{ type: "refusal_delta", text: "I can" }, { type: "stream_snapshot", messages }]) {
    const refused = createStore([first, { type: "refusal_delta", text: "'t." }, { type: "message_end", reason: "stop" }]);
    await refused.done;
    const { status: ending, error, text } = refused.getSnapshot();
    assert.deepEqual([ending, error, text], ["failed", { code: "refused", message: "I can't." }, "messages" in first ? "x" : ""]);
  }
});
