import { watch } from "node:fs";

const SETTLE_MILLISECONDS = 50;

/**
 * Calls back a moment after something in the folder changed; returns what ends it. Undefined when the
 * folder cannot be watched: then a change is found when the rules are next asked for. It keeps no
 * process alive.
 */
export function watchFolder(folder: string, onChange: () => void): (() => void) | undefined {
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(folder, { persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, SETTLE_MILLISECONDS).unref();
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
