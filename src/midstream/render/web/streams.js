/** Streams of the gateway: requested with fetch, read event by event, resumed after a lost connection. */

import { SseDecoder } from "./sse.js";

const TRIES = 5;
const WAIT = 1000;
const LONGEST_WAIT = 8000;

/** The server refused the request; the message says why. */
export class Refused extends Error {}

/** Return the id of the stream from the id of one of its events: "<stream>-<number>". */
export const streamOf = (eventId) => eventId.slice(0, Math.max(0, eventId.lastIndexOf("-")));

/** Return the event id from which a stream resumes at its beginning. */
export const beginningOf = (eventId) => `${streamOf(eventId)}-0`;

/**
 * Read a stream to its end: call `onEvent({type, data, id})` for every event, and `onBreak` when the
 * connection was lost, before it is made again. `request`: {url, body (null: GET), lastEventId}.
 *
 * Return true if the stream ended, false if the connection was lost for good. Throw Refused if the server
 * refuses, and the error of fetch if the signal aborts it.
 */
export async function readStream(request, { onEvent, onBreak, signal }) {
  let { lastEventId } = request;
  let wait = WAIT;
  for (let tries = 0; ; tries++) {
    const response = await unlessLost(ask({ ...request, lastEventId }, signal), signal);
    // the server has nothing more to send
    if (response?.status === 204) return true;
    const decoder = new SseDecoder();
    const reader = response?.body.getReader();
    for (;;) {
      const read = await unlessLost(reader?.read(), signal);
      if (read === undefined || read.done) break;
      for (const event of decoder.addBytes(read.value)) {
        if (event.id !== "") lastEventId = event.id;
        tries = 0;
        onEvent(event);
        if (event.type === "stream_end") return true;
      }
      wait = decoder.retry ?? wait;
    }
    // without an id the stream cannot be resumed
    if (lastEventId === "" || tries === TRIES) return false;
    onBreak();
    await pause(Math.min(wait * 2 ** tries, LONGEST_WAIT), signal);
  }
}

/** Await the network; return undefined if the connection is lost, which fetch reports by a TypeError. */
async function unlessLost(promise, signal) {
  try {
    return await promise;
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError)) throw error;
    return undefined;
  }
}

async function ask({ url, body, lastEventId }, signal) {
  const headers = { accept: "text/event-stream" };
  if (lastEventId !== "") headers["last-event-id"] = lastEventId;
  if (body !== null) headers["content-type"] = "text/plain; charset=utf-8";
  const response = await fetch(url, { method: body === null ? "GET" : "POST", headers, body, signal });
  if (response.ok) return response;
  let reason = `the server answered ${response.status}`;
  try {
    reason = (await response.json()).message ?? reason;
  } catch {
    // the answer was not JSON; the status is the reason
  }
  throw new Refused(reason);
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
