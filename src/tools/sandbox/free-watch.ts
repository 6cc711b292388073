/** Watches something that contained commands use up, and reports once that too little of it is left for others. */

const LOOK_MS = 250;

export type FreeWatch = { readonly stop: () => void };

export type WatchedSpace = {
  /** The bytes that are free now; undefined when that is not known. */
  readonly freeBytes: () => Promise<number | undefined>;
  /** The bytes that must stay free, given those that are free at the beginning. */
  readonly reserve: (freeBytes: number) => number;
};

export function watchFree({ freeBytes, reserve }: WatchedSpace, onFull: () => void): FreeWatch {
  let least: number | undefined;
  let isOver = false;
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  const look = async (): Promise<void> => {
    const free = await freeBytes();
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
