/**
 * A question takes no answer for half a second after it appears, changes or gets the focus back, so that a key or a click
 * that was meant for something else does not answer it.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const INERT_MS = 500;

export type Guard = { readonly isInert: boolean; readonly takes: () => boolean };

/** `key` changes with everything that a person must have seen before the answer. */
export function useGuard(key: string): Guard {
  const changedAt = useRef(performance.now());
  const [isInert, setInert] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const rest = useCallback(() => {
    changedAt.current = performance.now();
    setInert(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setInert(false), INERT_MS);
  }, []);
  useLayoutEffect(() => {
    rest();
    return () => clearTimeout(timer.current);
  }, [key, rest]);
  useEffect(() => {
    const onVisible = (): void => {
      if (!document.hidden) rest();
    };
    addEventListener("focus", rest);
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      removeEventListener("focus", rest);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [rest]);
  const takes = useCallback(() => !document.hidden && performance.now() - changedAt.current >= INERT_MS, []);
  return { isInert, takes };
}
