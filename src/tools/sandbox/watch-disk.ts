/**
 * Watches the free space of the disk that contained commands write to. No limit of the system counts all the files of a
 * command together, so a command that leaves too little for others is stopped.
 */
import { statfs } from "node:fs/promises";
import { watchFree } from "./free-watch.js";
import type { FreeWatch } from "./free-watch.js";

const RESERVE_BYTES = 2 * 1024 ** 3;

/** A disk with little left to begin with keeps half of that. */
const reserveOf = (freeBytes: number): number => Math.min(RESERVE_BYTES, freeBytes / 2);

/** `reserve`: the bytes that must stay free, given those that are free at the beginning. */
export const watchDisk = (folder: string, onFull: () => void, reserve = reserveOf): FreeWatch =>
  watchFree({ freeBytes: () => freeBytesOf(folder), reserve }, onFull);

/** Undefined where the folder is gone. */
async function freeBytesOf(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
