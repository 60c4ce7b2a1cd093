import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { ConnectionLost, ResponseError, ToolsAggregateMessageHandler, createStore, events, messages } from "./library.mjs";

let server;
let url;
let answers = [];
let requests = [];

before(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      requests.push({ url: request.url, method: request.method, headers: request.headers, body });
      (answers.shift() ?? ((_, refused) => refused.writeHead(500).end()))(request, response);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => server.close());
beforeEach(() => {
  answers = [];
  requests = [];
});

const START = { "content-type": "text/event-stream" };
const sending = (...parts) => (_, response) => {
  response.writeHead(200, START);
  for (const part of parts) response.write(part);
  response.end();
};
/** Send something, then cut the connection. */
const cutAfter = (...parts) => (_, response) => {
  response.writeHead(200, START);
  response.write(parts.join(""), () => setTimeout(() => response.destroy(), 20));
};
const RETRY = "retry: 1\n\n";
const event = (id, data = id) => `id: ${id}\ndata: ${data}\n\n`;
const END = "event: stream_end\ndata: {}\n\n";

async function collect(options) {
  const found = [];
  for await (const { type, data } of events(url, options)) found.push(type === "message" ? data : type);
  return found;
}

test("events of a POST with headers, cut inside characters", async () => {
  const bytes = Buffer.from(`data: zwölf 😀\n\nevent: x\ndata: [DONE]\n\ndata: never\n\n`);
  answers = [(_, response) => {
    response.writeHead(200, START);
    for (const byte of bytes) response.write(Buffer.from([byte]));
    response.end();
  }];
  const found = await collect({ method: "POST", body: "question", headers: { authorization: "Bearer x" } });
  assert.deepEqual(found, ["zwölf 😀", "x"]);
  assert.equal(requests.length, 1);
  assert.equal(requests[0].body, "question");
  assert.equal(requests[0].headers.authorization, "Bearer x");
  assert.equal(requests[0].headers.accept, "text/event-stream");
});

test("a lost connection is resumed by Last-Event-ID, also for a POST", async () => {
  answers = [cutAfter(RETRY, event("a-1"), event("a-2")), cutAfter(), sending(event("a-3"), END)];
  const waits = [];
  const found = await collect({ method: "POST", body: "q", onReconnect: (state) => waits.push(state) });
  assert.deepEqual(found, ["a-1", "a-2", "a-3", "stream_end"]);
  assert.deepEqual(requests.map(({ headers }) => headers["last-event-id"]), [undefined, "a-2", "a-2"]);
  assert.deepEqual(requests.map(({ body }) => body), ["q", "q", "q"]);
  assert.deepEqual(waits.map(({ failures }) => failures), [0, 1]);
});

test("a numbered stream that ends without its last event is resumed, until 204", async () => {
  answers = [sending(RETRY, event("1")), (_, response) => response.writeHead(204).end()];
  assert.deepEqual(await collect(), ["1"]);
  assert.equal(requests.length, 2);
});

test("a POST without an id is never sent twice", async () => {
  answers = [cutAfter("data: 1\n\n"), sending("data: 2\n\n")];
  await assert.rejects(collect({ method: "POST", body: "q" }), ConnectionLost);
  assert.equal(requests.length, 1);
  answers = [(request) => request.socket.destroy(), sending("data: 2\n\n")];
  await assert.rejects(collect({ method: "POST", body: "q" }), ConnectionLost);
  assert.equal(requests.length, 2);
});

test("a stream without ids ends with its response", async () => {
  answers = [sending("data: 1\n\n", "data: 2\n\n")];
  assert.deepEqual(await collect(), ["1", "2"]);
  assert.equal(requests.length, 1);
});

test("attempts end after the given number", async () => {
  answers = [cutAfter(RETRY, event("1")), cutAfter(), cutAfter(), cutAfter()];
  await assert.rejects(collect({ tries: 2 }), ConnectionLost);
  assert.equal(requests.length, 3);
});

test("a refusal is an error with its status and the server's message", async () => {
  answers = [(_, response) => response.writeHead(503).end('{"message": "too many streams"}')];
  await assert.rejects(collect(), (error) => {
    assert.ok(error instanceof ResponseError);
    assert.deepEqual([error.status, error.message], [503, "too many streams"]);
    return true;
  });
  answers = [(_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>login</p>")];
  await assert.rejects(collect(), /text\/html, not with an event stream/);
  // as providers write it
  answers = [(_, response) => response.writeHead(401).end('{"error": {"type": "auth", "message": "no such key"}}')];
  await assert.rejects(collect(), /^ResponseError: no such key$/);
  for (const body of ["null", '{"error": "x", "message": ["y"]}']) {
    answers = [(_, response) => response.writeHead(400).end(body)];
    await assert.rejects(collect(), /the server answered 400$/);
  }
  assert.equal(requests.length, 5);
});

test("leaving the loop, and the signal, end the request", async () => {
  const closed = [];
  const endless = (request, response) => {
    response.writeHead(200, START);
    response.write(event("1"));
    response.on("close", () => closed.push(1));
  };
  answers = [endless, endless];
  for await (const { data } of events(url)) {
    assert.equal(data, "1");
    break;
  }
  const controller = new AbortController();
  await assert.rejects(async () => {
    for await (const { data } of events(url, { signal: controller.signal })) {
      assert.equal(data, "1");
      controller.abort();
    }
  }, { name: "AbortError" });
  for (let i = 0; closed.length < 2 && i < 100; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(closed.length, 2);
});

test("a silent stream can be left, and a wait too", { timeout: 20_000 }, async () => {
  let closed = 0;
  const silent = (request, response) => {
    response.writeHead(200, START);
    response.write(COMPACT[0] + COMPACT[1]);
    response.on("close", () => closed++);
  };
  const isClosed = async (count) => {
    while (closed < count) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  answers = [silent, silent, silent];
  const iterator = events(url);
  await iterator.next();
  await iterator.next();
  const waiting = iterator.next();
  assert.deepEqual(await iterator.return("x"), { done: true, value: "x" });
  assert.deepEqual(await waiting, { done: true, value: undefined });
  await isClosed(1);
  const store = createStore(messages(url));
  while (store.getSnapshot().text !== "Hel") await new Promise((resolve) => setTimeout(resolve, 10));
  store.stop();
  await isClosed(2);
  await store.done;
  assert.deepEqual([store.getSnapshot().status, store.getSnapshot().error], ["stopped", null]);
  // before the first item was asked for, nothing is requested
  assert.deepEqual(await messages(url).return(), { done: true, value: undefined });
  assert.equal(requests.length, 2);
  // while it waits to resume
  answers = [cutAfter("retry: 60000\n\n", event("1"))];
  let left;
  const resuming = events(url, { onReconnect: () => setTimeout(() => (left = resuming.return()), 5) });
  const found = [];
  for await (const { data } of resuming) found.push(data);
  assert.deepEqual([found, await left], [["1"], { done: true, value: undefined }]);
});

test("the first wait takes 100 to 300 ms, and each further one twice as long", async () => {
  const { setTimeout: original } = globalThis;
  const waits = [];
  globalThis.setTimeout = (callback, milliseconds, ...rest) => {
    // the timers of fetch itself have whole numbers
    const isWait = milliseconds > 30 && !Number.isInteger(milliseconds);
    if (isWait) waits.push(milliseconds);
    return original(callback, isWait ? 0 : milliseconds, ...rest);
  };
  try {
    for (let i = 0; i < 30; i++) {
      answers = [cutAfter(event("1")), cutAfter(), cutAfter(), sending(END)];
      assert.deepEqual(await collect(), ["1", "stream_end"]);
    }
  } finally {
    globalThis.setTimeout = original;
  }
  assert.equal(waits.length, 90);
  for (const [i, wait] of waits.entries()) {
    const factor = 2 ** (i % 3);
    assert.ok(wait >= 100 * factor && wait <= 300 * factor, `wait ${i}: ${wait}`);
  }
  const firsts = waits.filter((_, i) => i % 3 === 0);
  assert.ok(Math.max(...firsts) - Math.min(...firsts) > 50);
});

test("an id without an event is where the stream resumes, and an event without one keeps it", async () => {
  answers = [cutAfter(RETRY, event("a-1"), "id: a-7\n\n"), cutAfter("data: x\n\n"), sending(END)];
  assert.deepEqual(await collect({ method: "POST", body: "q" }), ["a-1", "x", "stream_end"]);
  assert.deepEqual(requests.map(({ headers }) => headers["last-event-id"]), [undefined, "a-7", "a-7"]);
});

test("a stream that is resumed waits for a server that starts again; a refusal stays one", async () => {
  const status = (code) => (_, response) => response.writeHead(code).end('{"message": "not now"}');
  answers = [cutAfter(RETRY, event("1")), status(502), status(503), sending(event("2"), END)];
  assert.deepEqual(await collect({ method: "POST", body: "q" }), ["1", "2", "stream_end"]);
  for (const code of [404, 409, 500]) {
    answers = [cutAfter(RETRY, event("1")), status(code)];
    await assert.rejects(collect(), { name: "ResponseError", status: code });
  }
  answers = [cutAfter(RETRY, event("1")), status(503), status(503)];
  await assert.rejects(collect({ tries: 2 }), (error) => error.cause instanceof ResponseError);
});

test("the signal ends a wait", async () => {
  answers = [cutAfter("retry: 60000\n\n", event("1"))];
  const controller = new AbortController();
  const options = { signal: controller.signal, onReconnect: () => setTimeout(() => controller.abort(), 5) };
  await assert.rejects(collect(options), { name: "AbortError" });
});

const COMPACT = [
  ["event: stream_start", { version: 1, form: "compact", message_id: "m" }],
  ["", [[0, { type: "text" }], [0, 0, "Hel"]]],
  ["", [0, 3, "lo"]],
  ["", [[1, { type: "call", id: "c", index: 0, name: "f" }], [1, 0, '{"a": "x']]],
  ["", [1, 8, 'y"}']],
  ["event: message_end", { type: "message_end", reason: "tool_calls" }],
  ["event: stream_end", {}],
].map(([name, data], i) => `${name === "" ? "" : `${name}\n`}id: s-${i}\ndata: ${JSON.stringify(data)}\n\n`);

test("messages asks for the compact form, reads it, and resumes it without a gap or a repetition", async () => {
  for (let at = 1; at < COMPACT.length; at++) {
    // the server sends an event again
    answers = [cutAfter(RETRY, ...COMPACT.slice(0, at)), sending(...COMPACT.slice(Math.max(at - 2, 0)))];
    requests = [];
    const handler = new ToolsAggregateMessageHandler();
    let text = "";
    for await (const message of messages(`${url}?pace=1#x`, { method: "POST", body: "q" })) {
      handler.addMessage(message);
      if (message.type === "text_delta") text += message.text;
    }
    const [call] = handler.complete("m");
    assert.deepEqual([text, call.name, call.args, call.isComplete], ["Hello", "f", { a: "xy" }, true]);
    assert.deepEqual(requests.map((request) => request.url), ["/?pace=1&form=compact", "/?pace=1&form=compact"]);
  }
  answers = [sending(...COMPACT)];
  requests = [];
  await createStore(messages(`${url}?form=full`)).done;
  assert.equal(requests[0].url, "/?form=full");
});

test("a stream that is cut off, or has lost something, is not complete", async () => {
  const stateOf = async (...sent) => {
    answers = [sending(...sent.map((event) => event.replace(/^id: .*\n/m, "")))];
    const store = createStore(messages(url));
    await store.done;
    const { status, error, calls, text } = store.getSnapshot();
    return [status, error?.code, calls.map((call) => call.error?.code ?? "complete"), text];
  };
  assert.deepEqual(await stateOf(...COMPACT), ["complete", undefined, ["complete"], "Hello"]);
  assert.deepEqual((await stateOf(...COMPACT.slice(0, -2)))[2], ["truncated"]);
  const without = (at) => COMPACT.filter((_, i) => i !== at);
  assert.deepEqual(await stateOf(...without(2)), ["complete", undefined, ["complete"], "Hel"]);
  const lost = [...COMPACT.slice(0, 2), COMPACT[2].replace("3", "4"), ...COMPACT.slice(3)];
  assert.deepEqual((await stateOf(...lost)).slice(0, 2), ["failed", "lost_event"]);
  assert.deepEqual((await stateOf(...without(3))).slice(0, 2), ["failed", "lost_event"]);
  assert.deepEqual((await stateOf(COMPACT[0], COMPACT[3].replace('0,"{', '1,"{'), ...COMPACT.slice(4)))[2], ["misplaced_update"]);
});
