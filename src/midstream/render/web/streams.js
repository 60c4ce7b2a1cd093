/** Streams of the gateway: asked for with fetch, read event by event, taken up again when they break off. */

import { SseDecoder } from "./sse.js";

const TRIES = 5;
const WAIT = 1000;
const LONGEST_WAIT = 8000;

/** The server said no, and why. */
export class Refused extends Error {}

/** Give the id of the stream that an event's id belongs to: "<stream>-<number>". */
export const streamOf = (eventId) => eventId.slice(0, Math.max(0, eventId.lastIndexOf("-")));

/** Give the name of a stream's first event, behind which all others come. */
export const beginningOf = (eventId) => `${streamOf(eventId)}-0`;

/**
 * Read a stream to its end: `onEvent({type, data, id})` for every event, `onBreak` when the connection is
 * lost and will be tried again. `request`: {url, body (null: GET), lastEventId}.
 *
 * Gives true when the stream ended, false when it broke off for good; throws Refused, and what fetch
 * throws when it is aborted by the signal.
 */
export async function readStream(request, { onEvent, onBreak, signal }) {
  let { lastEventId } = request;
  let wait = WAIT;
  for (let tries = 0; ; tries++) {
    const response = await unlessLost(ask({ ...request, lastEventId }, signal), signal);
    // nothing more to tell
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
    // without an id there is nothing to go on from
    if (lastEventId === "" || tries === TRIES) return false;
    onBreak();
    await pause(Math.min(wait * 2 ** tries, LONGEST_WAIT), signal);
  }
}

/** Wait for what the network gives; undefined if the connection is lost, which fetch tells by a TypeError. */
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
    // it was no JSON; the status must do
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
