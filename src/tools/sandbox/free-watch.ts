/** Watches something that contained commands use up, and reports once that too little of it is left for others. */

const LOOK_MS = 250;

export type FreeWatch = { readonly stop: () => void };

export type WatchedSpace = {
  /** The bytes or files that are free now; undefined when that is not known. */
  readonly free: () => Promise<number | undefined>;
  /** How many must stay free, given those that are free at the beginning. */
  readonly reserve: (free: number) => number;
};

export function watchFree({ free: freeNow, reserve }: WatchedSpace, onFull: () => void): FreeWatch {
  let least: number | undefined;
  let isOver = false;
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  const look = async (): Promise<void> => {
    const free = await freeNow();
    if (free === undefined) return;
    least ??= reserve(free);
    // Slow looks overlap.
    if (free >= least || isOver) return;
    stop();
    onFull();
  };
  const stop = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  return { stop };
}
