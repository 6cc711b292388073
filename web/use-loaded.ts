/**
 * Data that a view reads from the server, again when one of its keys changes. The old data stays until the new is here.
 * A failed read is repeated once the server is back.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { live } from "./live.js";
import { useStore } from "./store.js";

export type Loaded<Data> = {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly reload: () => void;
};

export function useLoaded<Data>(load: () => Promise<Data>, keys: readonly unknown[]): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; error?: unknown }>({});
  const [round, setRound] = useState(0);
  const latest = useRef(0);
  const connections = useStore(live, (known) => known.connections);
  /** The connection with which the latest read started. */
  const startedWith = useRef(connections);
  // Not after the next paint: that would show each view a frame later.
  useLayoutEffect(() => {
    latest.current += 1;
    const own = latest.current;
    startedWith.current = live.value.connections;
    const isLatest = (): boolean => own === latest.current;
    load().then(
      (data) => isLatest() && setState({ data }),
      (error: unknown) => isLatest() && setState((before) => ({ ...before, error })),
    );
    return () => void (latest.current += 1);
  }, [...keys, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useEffect(() => {
    if (state.error !== undefined && startedWith.current !== connections) reload();
  }, [state.error, connections]);
  return { data: state.data, error: state.error, reload };
}
