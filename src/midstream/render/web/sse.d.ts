/** Server-Sent Events from bytes. */

/** A Server-Sent Event; `id` is the last one that the stream set, "" if there was none. */
export interface SseEvent {
  type: string;
  data: string;
  id: string;
}

/** Decodes the bytes of an event stream, cut anywhere. */
export declare class SseDecoder {
  /** `lastEventId`: the id of the last event of a stream that is resumed. */
  constructor(lastEventId?: string);
  /** The id from which to resume. A stream may move it without an event. */
  lastEventId: string;
  /** How long to wait before connecting again, in milliseconds; null if the server did not say. */
  retry: number | null;
  /** Add bytes; return the events that they complete. */
  addBytes(bytes: Uint8Array): SseEvent[];
}
