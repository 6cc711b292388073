/** The moment of a replay that is shown, and the steps to others. The server folds the session up to each. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ReplayMoment, ReplayQuery } from "toolgate/serve/client";
import { api } from "../api.js";
import { pauseMs } from "./pause-ms.js";

export type Replay = {
  readonly shown: ReplayMoment | undefined;
  readonly error: unknown;
  readonly isPlaying: boolean;
  readonly setPlaying: (isPlaying: boolean) => void;
  readonly goTo: (moment: number) => void;
  /** Reads the first moment again. */
  readonly reload: () => void;
};

export function useReplay(sessionId: string, first: Partial<ReplayQuery>, speed: number): Replay {
  const [shown, setShown] = useState<ReplayMoment>();
  const [error, setError] = useState<unknown>();
  const [isPlaying, setPlaying] = useState(false);
  /** While a moment is on its way, only the last one that was asked for counts. */
  const isReading = useRef(false);
  const wanted = useRef<Partial<ReplayQuery>>(undefined);
  const isGone = useRef(false);

  const read = useCallback(
    async (query: Partial<ReplayQuery>): Promise<void> => {
      wanted.current = query;
      if (isReading.current) return;
      isReading.current = true;
      try {
        while (wanted.current && !isGone.current) {
          const next = wanted.current;
          wanted.current = undefined;
          setShown(await api.replay(sessionId, next));
          setError(undefined);
        }
      } catch (failure) {
        setError(failure);
        setPlaying(false);
      } finally {
        isReading.current = false;
      }
    },
    [sessionId],
  );
  useEffect(() => {
    isGone.current = false;
    void read(first);
    return () => {
      isGone.current = true;
    };
  }, [sessionId]);

  useEffect(() => {
    if (!isPlaying || !shown) return undefined;
    const { moment, moments, at, nextAt } = shown;
    if (moment >= moments || nextAt === undefined) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => void read({ moment: moment + 1 }), pauseMs(nextAt - at, speed));
    return () => clearTimeout(timer);
  }, [isPlaying, shown, speed]);

  const goTo = useCallback((moment: number) => void read({ moment: Math.max(1, moment) }), [read]);
  const reload = (): void => void read(first);
  return { shown, error, isPlaying, setPlaying, goTo, reload };
}
