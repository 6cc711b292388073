/**
 * Watches the free space of the disk that contained commands write to. No limit of the system counts all the files of a
 * command together, so a command that leaves too little for others is stopped.
 */
import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { watchFree } from "./free-watch.js";
import type { FreeWatch } from "./free-watch.js";

const RESERVE_BYTES = 2 * 1024 ** 3;

/** A disk with little left to begin with keeps half of that. */
const reserveOf = (freeBytes: number): number => Math.min(RESERVE_BYTES, freeBytes / 2);

/** Empty files take no bytes, but a disk has only so many. */
const RESERVE_FILES = 100_000;
const reserveOfFiles = (freeFiles: number): number => Math.min(RESERVE_FILES, freeFiles / 2);

type Reserve = (free: number) => number;

/** `reserve`, `files`: the bytes and the files that must stay free, given those that are free at the beginning. */
export function watchDisk(
  folder: string,
  onFull: () => void,
  {
    reserve = reserveOf,
    files = reserveOfFiles,
  }: { readonly reserve?: Reserve; readonly files?: Reserve } = {},
): FreeWatch {
  const watches = [
    watchFree({ free: () => freeOf(folder, ({ bavail, bsize }) => bavail * bsize), reserve }, full),
    // Some file systems do not count.
    watchFree(
      { free: () => freeOf(folder, (one) => (one.files === 0 ? undefined : one.ffree)), reserve: files },
      full,
    ),
  ];
  function stop(): void {
    for (const watch of watches) watch.stop();
  }
  function full(): void {
    stop();
    onFull();
  }
  return { stop };
}

/** Undefined where the folder is gone. */
async function freeOf(
  folder: string,
  read: (info: StatsFs) => number | undefined,
): Promise<number | undefined> {
  try {
    return read(await statfs(folder));
  } catch {
    return undefined;
  }
}
