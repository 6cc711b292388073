/**
 * Ending a program with everything it started. Each runs as a group of its own, so a Ctrl-C in our terminal
 * does not reach it: when our process ends, the groups that are left are killed. Nobody would be there to make
 * one end that will not.
 */
import { setTimeout } from "node:timers/promises";

const TERM_PATIENCE_MS = 2000;
const living = new Set<number>();

/** From now on the group ends with our process, at the latest. */
export function watchGroup(pid: number): void {
  if (living.size === 0) process.on("exit", killLiving);
  living.add(pid);
}

/** SIGTERM, and SIGKILL for what is still there after a while. */
export async function endGroup(pid: number): Promise<void> {
  if (signalGroup(pid, "SIGTERM")) {
    const deadline = performance.now() + TERM_PATIENCE_MS;
    while (performance.now() < deadline && signalGroup(pid, 0)) await setTimeout(20);
    signalGroup(pid, "SIGKILL");
  }
  living.delete(pid);
  if (living.size === 0) process.off("exit", killLiving);
}

function killLiving(): void {
  for (const pid of living) signalGroup(pid, "SIGKILL");
}

/** False when nothing of the group is left that we may signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
