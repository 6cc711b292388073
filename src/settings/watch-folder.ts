import { watch } from "node:fs";

const SETTLE_MS = 50;

/**
 * Calls `onChange` a moment after a change in the folder; returns the function that ends the watch. Undefined when the
 * folder cannot be watched: the next read of the rules finds the change. The watch keeps no process alive.
 */
export function watchFolder(folder: string, onChange: () => void): (() => void) | undefined {
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(folder, { persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, SETTLE_MS).unref();
    });
    const end = (): void => {
      clearTimeout(timer);
      watcher.close();
    };
    watcher.on("error", end);
    return end;
  } catch {
    return undefined;
  }
}
