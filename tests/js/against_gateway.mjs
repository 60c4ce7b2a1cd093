/** Follow a stream of the gateway at an address, over connections that are lost, and join it late; print what was seen. */

import { createStore, messages } from "./library.mjs";

const [url, model] = process.argv.slice(2);
// how many connections are lost, each after so many bytes
let lossy = 3;
const ROOM = 1500;
const streams = new Set();

async function lossyFetch(address, init) {
  const response = await fetch(address, init);
  streams.add(response.headers.get("midstream-stream"));
  if (lossy-- <= 0) return response;
  let room = ROOM;
  const cut = new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      room -= bytes.length;
      if (room < 0) controller.error(new TypeError("terminated"));
    },
  });
  return new Response(response.body.pipeThrough(cut), response);
}

async function allOf(source) {
  const all = [];
  for await (const message of source) all.push(message);
  return all;
}

const outcome = ({ status, text, error, calls }) => ({
  status, text, error: error && String(error.message), calls: calls.map(({ name, args, isComplete }) => [name, args, isComplete]),
});

async function outcomeOf(source) {
  const store = createStore(source);
  await store.done;
  return outcome(store.getSnapshot());
}

const headers = { authorization: "Bearer key", "content-type": "application/json" };
let reconnects = 0;
const store = createStore(messages(`${url}/v1/chat/completions`, {
  method: "POST", headers, body: JSON.stringify({ stream: true, model }), fetch: lossyFetch, onReconnect: () => reconnects++,
}));
await new Promise((resolve) => store.subscribe(({ text }) => text.length > 100 && resolve()));
const [id] = streams;
const late = await allOf(messages(`${url}/v1/streams/${id}?from=snapshot`, { headers }));
await store.done;
console.log(JSON.stringify({
  reconnects,
  streams: streams.size,
  first: late[0].type,
  live: outcome(store.getSnapshot()),
  late: await outcomeOf(late),
  replayed: await outcomeOf(messages(`${url}/v1/streams/${id}`, { headers })),
  stranger: (await outcomeOf(messages(`${url}/v1/streams/${id}`, { headers: { authorization: "Bearer other" } }))).status,
}));
