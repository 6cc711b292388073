/** Data that a view reads from the server, again when one of its keys changes. The old data stays until the new is here. */
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

export type Loaded<Data> = {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly reload: () => void;
};

export function useLoaded<Data>(load: () => Promise<Data>, keys: readonly unknown[]): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; error?: unknown }>({});
  const [round, setRound] = useState(0);
  const latest = useRef(0);
  // Not after the next paint: that would show each view a frame later.
  useLayoutEffect(() => {
    latest.current += 1;
    const own = latest.current;
    const isLatest = (): boolean => own === latest.current;
    load().then(
      (data) => isLatest() && setState({ data }),
      (error: unknown) => isLatest() && setState((before) => ({ ...before, error })),
    );
    return () => void (latest.current += 1);
  }, [...keys, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { data: state.data, error: state.error, reload };
}
