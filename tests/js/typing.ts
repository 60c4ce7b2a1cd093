/** Types as a user meets them: this file must compile, and each line marked as an error must be one. */

import {
  ANY,
  ConnectionLost,
  EventReader,
  JsonFieldAccumulator,
  JsonFragmentAccumulator,
  JsonFragmentRebuilder,
  JsonSelectAccumulator,
  JsonStreamError,
  JsonValueAccumulator,
  ResponseError,
  SseDecoder,
  ToolsAggregateMessageHandler,
  applyPatch,
  createStore,
  events,
  field,
  messages,
  parsePath,
  select,
} from "midstream-json";
import type { DeepPartial, Field, JsonValue, Match, Repair, Segments, Store, ToolCall } from "midstream-json";
import { useField, useStore } from "midstream-json/react";
import { SseDecoder as Decoder } from "midstream-json/sse";
import type { SseEvent } from "midstream-json/sse";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <T extends true>(): T | undefined => undefined;

interface Trip {
  title: string;
  kind: "train" | "bus";
  price: number | null;
  days: Array<{ stops: string[]; done: boolean }>;
}

// values
const typed = new JsonValueAccumulator<Trip>({ onError: "event", limits: { maxDepth: 20, maxString: null }, live: true });
check<Equal<typeof typed.value, DeepPartial<Trip> | undefined>>();
const changed: boolean = typed.addFragment('{"title": "x"');
const title: string | undefined = typed.value?.title;
// a part of "train" may be "tr"
const kind: string | undefined = typed.value?.kind;
const price: number | null | undefined = typed.value?.price;
const stop: string | undefined = typed.value?.days?.[0]?.stops?.[0];
// @ts-expect-error a member may be missing
const missing: string = typed.value!.title;
// @ts-expect-error there is no such member
typed.value?.other;
const untyped = new JsonValueAccumulator();
check<Equal<typeof untyped.value, JsonValue | undefined>>();
const whereOpen: Segments | null = untyped.openPath;
// @ts-expect-error an option that does not exist
new JsonValueAccumulator({ onError: "ignore" });
// @ts-expect-error bytes are decoded first
untyped.addFragment(new Uint8Array());

// fields and selections
const fields = new JsonFieldAccumulator<Trip>();
const remove: () => void = fields.onField<string>("days[*].stops[*]", {
  start: (segments) => segments.length,
  delta: (piece, segments) => piece.length + segments.length,
  end: (value) => value.toUpperCase(),
});
fields.onField(["days", ANY], {});
const selector = new JsonSelectAccumulator<string>(["days[*]", ["title"]], { partial: true });
const matches: Match<string>[] = selector.addFragment("{");
const first: string | undefined = matches[0]?.value;
for await (const match of select<number>(["[1, 2]"], "[*]", { limit: 1 })) match.value.toFixed();

// updates
const updates = new JsonFragmentAccumulator({ root: "args" }).addFragment("1");
const rebuilder = new JsonFragmentRebuilder<Trip>({ root: null });
rebuilder.apply(updates);
const rebuilt: DeepPartial<Trip> | undefined = rebuilder.value;
const patched = applyPatch<Trip>({}, [{ op: "append", path: "/title", value: "y" }]);
// @ts-expect-error an operation without its value
applyPatch({}, [{ op: "add", path: "/a" }]);

// calls
const handler = new ToolsAggregateMessageHandler();
const repairs: ReadonlyArray<Repair> = rebuilder.repairs;
const repaired: [string, string, number] | undefined = repairs[0] && [repairs[0].code, repairs[0].path, repairs[0].index];
const calls: ToolCall[] = handler.addMessage({ type: "text_delta", text: "x" });
handler.addMessage({ type: "stream_snapshot", messages: [{ text: "x", calls: [{ function_args: "{", status: "open" }] }] });
const args: JsonValue | undefined = calls[0]?.args;
// @ts-expect-error calls are read-only
calls[0]!.args = 1;

// streams and stores
const controller = new AbortController();
const stream: AsyncGenerator<SseEvent, void, undefined> = events("/chat", {
  method: "POST",
  headers: { authorization: "Bearer x" },
  body: "{}",
  signal: controller.signal,
  fetch: globalThis.fetch,
  onReconnect: ({ failures, lastEventId }) => `${failures}${lastEventId}`,
});
const store = createStore<Trip>(stream);
createStore<Trip>(messages(new URL("http://localhost/chat"), { signal: controller.signal }));
const reader = new EventReader();
for (const message of [...reader.addEvent({ type: "message", data: "[]", id: "" }), ...reader.finish()]) {
  if (message.type === "provider_error") message.error_type?.length;
  if (message.type === "stream_snapshot") message.messages[0]?.error?.message?.length;
  handler.addMessage(message);
}
const stopListening: () => void = store.subscribe((snapshot) => snapshot.value?.days?.length);
const one: Store<Field<string>> = field<string>(createStore(["x"]), ["days", 0, "title"], { call: "plan" });
store.stop();
await store.done;
const shown: DeepPartial<Trip> | undefined = useStore(store).value;
const { value, isComplete }: Field<string> = useField<string>(store, "title");

// errors and the rest
try {
  parsePath("a..b");
} catch (error) {
  if (error instanceof JsonStreamError) error.code.length + error.index + error.path.length;
  if (error instanceof ResponseError) error.status.toFixed();
  if (error instanceof ConnectionLost) error.message.length;
}
const decoded: SseEvent[] = new Decoder("a-1").addBytes(new Uint8Array());
const resumeFrom: string = new Decoder().lastEventId;
check<Equal<typeof Decoder, typeof SseDecoder>>();

export {
  args, changed, decoded, first, isComplete, kind, missing, one, patched, price, rebuilt, remove, resumeFrom, shown, stop,
  stopListening, title, value, whereOpen,
};
