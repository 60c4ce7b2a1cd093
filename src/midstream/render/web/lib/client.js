/** Events of a server, requested with fetch, as an async iterator that resumes after a lost connection. */

import { SseDecoder } from "../sse.js";

const TRIES = 5;
// the mean of the first wait, in milliseconds: with jitter it takes 100 to 300
const FIRST_WAIT = 200;
const LONGEST_WAIT = 20_000;
// what a proxy answers while its server starts again
const UNAVAILABLE = [502, 503, 504];

/** The server answered with a status that is not a success, or not with an event stream. */
export class ResponseError extends Error {
  constructor(message, response) {
    super(message);
    this.name = "ResponseError";
    this.status = response.status;
    this.response = response;
  }
}

/** The connection was lost and could not be restored. */
export class ConnectionLost extends Error {
  constructor(cause) {
    super("the connection was lost and could not be restored", { cause });
    this.name = "ConnectionLost";
  }
}

/**
 * Iterate over the Server-Sent Events of a response: {type, data, id}.
 *
 * After a lost connection the request is repeated with `Last-Event-ID`, after a wait of 100 to 300 ms that
 * doubles each time (the server may set the first one), at most `tries` times in a row. A stream without ids
 * cannot be resumed: then ConnectionLost is thrown, so no POST is ever sent twice without an id. A status
 * outside of 2xx throws ResponseError, unless a resumed stream is unavailable for the moment (502, 503, 504).
 * `onReconnect` is called before each wait.
 *
 * The iteration ends after `stream_end`, after `data: [DONE]`, with a 204, or, where events have no ids,
 * when the response ends. Leaving the loop cancels the request, also while an event is awaited.
 */
export function events(url, options = {}) {
  const controller = new AbortController();
  return leavable(follow(url, options, controller), () => controller.abort(LEFT));
}

// the reason of an abort that is no error
const LEFT = Symbol("left");

/** Make `return` of a generator call a function first: by itself it waits for what the generator waits for. */
export function leavable(generator, onReturn) {
  const leave = generator.return.bind(generator);
  generator.return = (value) => {
    onReturn();
    return leave(value);
  };
  return generator;
}

async function* follow(url, { signal, ...options }, controller) {
  const abort = () => controller.abort(signal.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  try {
    yield* eventsOf(url, options, controller.signal);
  } catch (error) {
    if (controller.signal.reason !== LEFT) throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

async function* eventsOf(url, options, signal) {
  const { fetch: request = fetch, lastEventId = "", tries = TRIES, onReconnect, ...init } = options;
  const isSafe = /^(?:GET|HEAD)$/i.test(init.method ?? "GET");
  let id = lastEventId;
  let wait = FIRST_WAIT;
  let isFresh = true;
  for (let failures = 0; ; failures++) {
    const decoder = new SseDecoder(id);
    let lost;
    try {
      const response = await orLost(request(url, { ...init, headers: headersOf(init, id), signal }), signal);
      // the server has nothing more to send
      if (response.status === 204) return;
      const isBusy = id !== "" && UNAVAILABLE.includes(response.status);
      if (!response.ok || !isEventStream(response)) {
        const refusal = await refusalOf(response);
        throw isBusy ? new ConnectionLost(refusal) : refusal;
      }
      for await (const bytes of bodyOf(response, signal)) {
        for (const event of decoder.addBytes(bytes)) {
          failures = 0;
          isFresh = false;
          yield event;
          if (event.type === "stream_end" || event.data === "[DONE]") return;
        }
        id = decoder.lastEventId;
      }
      if (id === "") return;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      lost = error;
    }
    wait = decoder.retry ?? wait;
    const canRepeat = id !== "" || (isSafe && isFresh);
    if (!canRepeat || failures >= tries) throw lost ?? new ConnectionLost(null);
    onReconnect?.({ failures, lastEventId: id });
    await pause(Math.min(wait * 2 ** failures, LONGEST_WAIT) * (0.5 + Math.random()), signal);
    signal.throwIfAborted();
  }
}

/** Iterate over the bytes of a response; cancel it when the caller leaves. */
async function* bodyOf(response, signal) {
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await orLost(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // without effect after its end
    reader.cancel().catch(() => {});
  }
}

/** Await the network. It reports a lost connection by a TypeError, as fetch does. */
async function orLost(promise, signal) {
  try {
    return await promise;
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError)) throw error;
    throw new ConnectionLost(error);
  }
}

function isEventStream({ headers }) {
  const type = headers.get("content-type") ?? "";
  return type === "" || type.startsWith("text/event-stream");
}

async function refusalOf(response) {
  let message = response.ok
    ? `the server answered with ${response.headers.get("content-type")}, not with an event stream`
    : `the server answered ${response.status}`;
  try {
    const body = await response.clone().json();
    // providers write {"error": {"message"}}
    const said = body.error?.message ?? body.message;
    if (typeof said === "string") message = said;
  } catch {
    // the body is not JSON; the status is the message
  }
  return new ResponseError(message, response);
}

function headersOf({ headers }, id) {
  const all = new Headers(headers);
  if (!all.has("accept")) all.set("accept", "text/event-stream");
  if (id !== "") all.set("last-event-id", id);
  return all;
}

/** Wait, or until a signal ends it. */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : milliseconds);
    signal.addEventListener("abort", end);
  });
}
