import { readFileSync } from "node:fs";

/** A process that has ended is gone, also while nobody has waited for it yet. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
