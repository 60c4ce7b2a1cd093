import { createRoot } from "react-dom/client";
import { createStore, messages } from "midstream-json";
import { useField, useStore } from "midstream-json/react";

const store = createStore(messages("/api/recordings/trip/events?pace=200"));

function Title() {
  const { value, isComplete } = useField(store, "title", { call: "plan_weekend" });
  return <h1 aria-busy={!isComplete}>{value ?? "…"}</h1>;
}

function App() {
  const { status } = useStore(store);
  return <main><Title /><p role="status">{status}</p></main>;
}

createRoot(document.getElementById("app")).render(<App />);
