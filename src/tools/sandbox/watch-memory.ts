/**
 * Watches the memory of the machine while a contained command runs, and has a command stopped that leaves too little.
 * Only a control group counts the memory of all processes together, and an ordinary user often cannot make one. The
 * system's limit for single processes is no substitute: it counts memory that is only reserved, so that programs with
 * sanitizers (`-fsanitize=address`, `go test -race`) do not start under it, and several processes go around it.
 */
import { readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { watchFree } from "./free-watch.js";
import type { FreeWatch } from "./free-watch.js";

const RESERVE_SHARE = 1 / 16;

/** A machine with little left to begin with keeps half of that. */
const reserveOf = (freeBytes: number): number => Math.min(totalmem() * RESERVE_SHARE, freeBytes / 2);

/** `reserve`: the bytes that must stay free, given those that are free at the beginning. */
export const watchMemory = (onFull: () => void, reserve = reserveOf): FreeWatch =>
  watchFree({ free: availableBytes, reserve }, onFull);

/** All that a program could still get, caches of files included. */
async function availableBytes(): Promise<number | undefined> {
  const text = await readFile("/proc/meminfo", "latin1").catch(() => "");
  const kibibytes = /^MemAvailable:\s+(?<count>\d+) kB$/m.exec(text)?.groups?.["count"];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
