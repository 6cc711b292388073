/**
 * The earlier content of a large file, kept as the bytes that a write replaces: the bytes before and after them are in
 * the written file. The hash of the whole proves that the earlier content comes back to the byte.
 */
import { createHash } from "node:crypto";
import type { KeptFile } from "../call/index.js";

export type KeptPart = Extract<KeptFile, { readonly type: "part" }>;

/** A smaller file is kept whole. */
const MIN_FILE_BYTES = 64 * 1024;

/** Where `before` differs from `after`; undefined when it is better kept whole. */
export function replacedRange(
  before: Uint8Array,
  after: Uint8Array,
): Pick<KeptPart, "head" | "tail"> | undefined {
  if (before.length < MIN_FILE_BYTES) return undefined;
  const shorter = Math.min(before.length, after.length);
  const head = sharedBytes(shorter, (from, to) =>
    isEqual(before.subarray(from, to), after.subarray(from, to)),
  );
  const tail = sharedBytes(shorter - head, (from, to) =>
    isEqual(
      before.subarray(before.length - to, before.length - from),
      after.subarray(after.length - to, after.length - from),
    ),
  );
  return head + tail < before.length / 2 ? undefined : { head, tail };
}

/** The earlier content, from the current one; undefined when that is neither the written nor the earlier one. */
export function wholeAgain(
  { hash, head, tail }: KeptPart,
  replaced: Uint8Array,
  current: Uint8Array,
): Buffer | undefined {
  if (sha256(current) === hash) return Buffer.from(current);
  const whole = Buffer.concat([
    current.subarray(0, head),
    replaced,
    current.subarray(Math.max(head, current.length - tail)),
  ]);
  return sha256(whole) === hash ? whole : undefined;
}

/** The SHA-256 of a file's earlier content. Blobs are named by theirs. */
export function contentHash(before: KeptFile): string | undefined {
  return before.type === "file" ? before.blob : before.type === "part" ? before.hash : undefined;
}

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** The number of bytes from 0 on that are equal, found in large pieces first. */
function sharedBytes(most: number, isShared: (from: number, to: number) => boolean): number {
  let shared = 0;
  for (let piece = 2 ** 20; piece >= 1; piece /= 2)
    while (shared + piece <= most && isShared(shared, shared + piece)) shared += piece;
  return shared;
}
