/** The life of a call in lines. */
import type { LifeEvent } from "toolgate/serve/client";

/** Runs of output and of pieces of the input are one line each. */
export function mergedLife(life: readonly LifeEvent[]): readonly LifeEvent[] {
  const made: LifeEvent[] = [];
  let count = 0;
  for (const event of life) {
    const last = made.at(-1);
    const isRun = last?.type === event.type && MERGED.has(event.type);
    count = isRun ? count + 1 : 1;
    if (isRun && last)
      made[made.length - 1] = {
        ...last,
        words: `${event.words.replace(/ \(\d+ times\)$/, "")} (${count} times)`,
      };
    else made.push(event);
  }
  return made;
}

const MERGED: ReadonlySet<string> = new Set([
  "terminal-output",
  "input-delta",
  "content-appended",
  "call-revised",
]);
