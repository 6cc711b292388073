/**
 * Which calls of a session may run side by side. The paths of a command are checked before it starts and used while
 * it runs, so nothing that changes names may run meanwhile: a link that is moved into a checked path would lead the
 * command elsewhere. Calls of one group run together, calls of two groups one group after the other.
 */
import { homedir } from "node:os";
import type { Intent } from "../policy/index.js";
import { readingParts } from "../policy/reading-parts.js";

type Group = "reading commands" | "other commands" | "changes";

export const changesFiles = ({ command, paths }: Intent): boolean =>
  command === undefined && paths.some(({ access }) => access !== "read" && access !== "search");

/** None for calls that only read files: they hold each file open while they look at it. */
export function groupOf(intent: Intent, roots: readonly string[]): Group | undefined {
  if (intent.command !== undefined)
    return readingParts(intent, { roots, home: homedir() }) ? "reading commands" : "other commands";
  return changesFiles(intent) ? "changes" : undefined;
}

type Waiting = { readonly group: string; readonly start: () => void };

export class RunGroups {
  #group: string | undefined;
  #running = 0;
  readonly #waiting: Waiting[] = [];

  /** Comes back at once with false when the call may start, and with true once it may after a wait or an abort. */
  async enter(group: string, signal: AbortSignal): Promise<boolean> {
    if (this.#running === 0 || (this.#group === group && this.#waiting.length === 0)) {
      this.#group = group;
      this.#running += 1;
      return false;
    }
    await new Promise<void>((resolve) => {
      const waiting: Waiting = { group, start: resolve };
      this.#waiting.push(waiting);
      const leaveQueue = (): void => {
        const at = this.#waiting.indexOf(waiting);
        if (at === -1) return;
        this.#waiting.splice(at, 1);
        // An aborted call goes on only to be ended, and is counted so that it can leave like the others.
        this.#running += 1;
        resolve();
      };
      if (signal.aborted) leaveQueue();
      else signal.addEventListener("abort", leaveQueue, { once: true });
    });
    return true;
  }

  leave(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    const [next] = this.#waiting;
    this.#group = next?.group;
    while (this.#waiting[0] && this.#waiting[0].group === next?.group) {
      this.#running += 1;
      this.#waiting.shift()?.start();
    }
  }
}
