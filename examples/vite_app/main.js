import { createStore, messages } from "midstream-json";

const store = createStore(messages("/api/recordings/trip/events?pace=200"));

store.subscribe(({ status, calls }) => {
  const lines = calls.map((call) => `${call.name} ${JSON.stringify(call.args, null, 2) ?? ""}`);
  document.getElementById("calls").textContent = [...lines, status].join("\n");
});
