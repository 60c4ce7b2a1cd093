// Read event streams (standard input: their texts as a JSON array), and write the calls of each as JSON.
import { readFileSync } from "node:fs";
import { EventReader, SseDecoder, ToolsAggregateMessageHandler } from "./library.mjs";

const found = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  const decoder = new SseDecoder();
  const reader = new EventReader();
  const handler = new ToolsAggregateMessageHandler();
  for (const event of decoder.addBytes(new TextEncoder().encode(text))) {
    for (const message of reader.addEvent(event)) handler.addMessage(message);
  }
  const [call] = handler.complete();
  return {
    args: call.args, isComplete: call.isComplete, isRepaired: call.isRepaired,
    repairs: call.repairs.map(({ code, message, index, line, column, path }) => [code, message, index, line, column, path]),
  };
});
console.log(JSON.stringify(found));
