/**
 * Reads a settings file, with a stamp that changes with its content. The path may hold anything: a pipe would block for
 * ever, and a device has no end.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { createHash } from "node:crypto";
import { errorCode } from "../call/error-code.js";
import { errorMessage } from "../call/error-message.js";

export type FileReading =
  | {
      readonly state: "read";
      readonly text: string;
      readonly sha256: string;
      readonly stamp: string | undefined;
    }
  | { readonly state: "absent" }
  | { readonly state: "unreadable"; readonly why: string };

/** Change times have the resolution of a clock tick: a file this young may change again with the same stamp, so it gets none. */
const TICK_MS = 50;

/** Room for well over 10,000 rules. */
const MAX_BYTES = 4 * 1024 * 1024;

export function readFileSafely(path: string): FileReading {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile()) return { state: "unreadable", why: "it is not a file" };
    if (stats.size > MAX_BYTES) return { state: "unreadable", why: `it is larger than ${MAX_BYTES} bytes` };
    const bytes = readFileSync(descriptor);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const isSettled = Date.now() - Number(stats.ctimeMs) > TICK_MS;
    return { state: "read", text: decoded(bytes), sha256, stamp: isSettled ? stampOf(stats) : undefined };
  } catch (thrown) {
    if (isAbsence(thrown)) return { state: "absent" };
    return { state: "unreadable", why: errorMessage(thrown) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The current stamp of a file, to compare with the stamp of an earlier read; undefined when unknown. */
export function fileStamp(path: string): string | undefined {
  try {
    return stampOf(statSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new Error("it is not UTF-8 text", { cause: thrown });
  }
}

function isAbsence(thrown: unknown): boolean {
  const code = errorCode(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}
