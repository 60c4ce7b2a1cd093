/** Hooks for React: a component shows a store, or one field of it, and renders at most once per frame. */

import { useMemo, useSyncExternalStore } from "react";
import { field } from "./midstream.js";

/** Return the snapshot of a store. */
export function useStore(store) {
  return useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
}

/** Return {value, isComplete} of one field; the component renders when one of the two changes. */
export function useField(store, path, { call = null } = {}) {
  const key = typeof path === "string" ? path : JSON.stringify(path);
  const selected = useMemo(() => field(store, path, { call }), [store, key, call]);
  return useStore(selected);
}
