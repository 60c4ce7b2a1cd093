/** Streams of the gateway: how they are requested, and their ids. */

import { events } from "./midstream.js";

/** Return the id of the stream from the id of one of its events: "<stream>-<number>". */
export const streamOf = (eventId) => eventId.slice(0, Math.max(0, eventId.lastIndexOf("-")));

/** Return the event id from which a stream resumes at its beginning. */
export const beginningOf = (eventId) => `${streamOf(eventId)}-0`;

/** Iterate over the events of a stream. `body` null is a GET; the other options are those of `events`. */
export function streamEvents(url, { body, ...options }) {
  if (body === null) return events(url, options);
  const headers = { "content-type": "text/plain; charset=utf-8" };
  return events(url, { method: "POST", headers, body, ...options });
}
