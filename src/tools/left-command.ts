/**
 * A command that was started by a process of ours which is gone, or which no longer has the session. The command ends
 * with that process on most systems; this module finds out whether it did, and ends it otherwise.
 */
import { setTimeout } from "node:timers/promises";
import type { CallProcess } from "../call/index.js";
import { isHere, ProcessTree } from "../process/index.js";

/** A killed process's guardian needs a moment. */
const MAX_ENDING_MS = 1_000;
const POLL_MS = 20;

/** Waits a moment for its end. A process of another machine or container may always still run. */
export async function mayStillRun(root: CallProcess): Promise<boolean> {
  const tree = isHere(root) ? new ProcessTree(root) : undefined;
  for (const deadline = performance.now() + MAX_ENDING_MS; performance.now() < deadline;) {
    if (!tree) return true;
    if (tree.isGone) return false;
    await setTimeout(POLL_MS);
  }
  return true;
}

/** Whether it is a process of this machine that has not ended, or has left children that have not. */
export const runsHere = (root: CallProcess): boolean => isHere(root) && !new ProcessTree(root).isGone;

/** The process, for people to read. */
export function processText({ pid, startedAt }: Pick<CallProcess, "pid" | "startedAt">): string {
  return `pid ${pid}, started ${new Date(startedAt).toISOString().replace(/\.\d+Z$/, "Z")}`;
}

/** `out-of-reach`: on another machine or in another container, or not distinguished from a later process of that pid. */
export async function endLeftCommand(root: CallProcess): Promise<"ended" | "was-gone" | "out-of-reach"> {
  if (!isHere(root) || root.startTick === 0) return "out-of-reach";
  const tree = new ProcessTree(root);
  if (tree.isGone) return "was-gone";
  await tree.end();
  return tree.isGone ? "ended" : "out-of-reach";
}
