/** Copies of a ledger whose write-ahead log ends in the middle of a write, as after a power cut. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** From SQLite's file format: the header of the log, and of each frame in it. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** In the shared index: how many frames have been copied into the main file. */
const BACKFILLED_AT = 96;

/**
 * Makes one copy for each share between 0 and 1: the log is cut off there, or a byte there is flipped. Only bytes that
 * are not yet in the main file are touched: SQLite syncs the log before it copies from it, so a power cut damages no others.
 */
export function tornCopies(file: string, into: string, shares: readonly number[]): readonly string[] {
  const log = `${file}-wal`;
  if (!existsSync(log) || statSync(log).size <= LOG_HEADER_BYTES) return [];
  const bytes = readFileSync(log);
  const first = LOG_HEADER_BYTES + backfilledFrames(file) * (FRAME_HEADER_BYTES + bytes.readUInt32BE(8));
  if (first >= bytes.length) return [];
  return shares.map((share, index) => {
    const folder = join(into, `torn-${index}`);
    mkdirSync(folder, { recursive: true });
    const copy = join(folder, "ledger.db");
    copyFileSync(file, copy);
    const place = first + Math.floor(share * (bytes.length - first));
    const torn = Buffer.from(index % 2 === 0 ? bytes.subarray(0, place) : bytes);
    if (index % 2 === 1) torn[place] = (torn[place] ?? 0) ^ 0x55;
    writeFileSync(`${copy}-wal`, torn);
    return copy;
  });
}

function backfilledFrames(file: string): number {
  const index = readFileSync(`${file}-shm`);
  return index.length < BACKFILLED_AT + 4 ? 0 : index.readUInt32LE(BACKFILLED_AT);
}
