/** Hooks for React. */

import type { Field, Path, Store, StreamSnapshot } from "./midstream.js";

/** Return the snapshot of a store; the component renders at most once per frame. */
export declare function useStore<S>(store: Store<S>): S;

/** Return one field of a stream; the component renders when its value or its completeness changes. */
export declare function useField<V = unknown>(
  store: Store<StreamSnapshot<any>>,
  path: Path,
  options?: { call?: number | string | null },
): Field<V>;
