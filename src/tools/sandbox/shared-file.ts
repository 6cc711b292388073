/**
 * A protected file with further names (hard links): a command writes it through another name, which no mount of ours
 * covers and nobody finds without a look at every file. So its content is kept before a command and compared afterwards.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { fileBytes } from "../file-text.js";
import { pathInfo } from "../path-info.js";

export type SharedFile = {
  readonly file: string;
  readonly stamp: string;
  /** In base64. Undefined where it is too large to keep, or cannot be read. */
  readonly content?: string;
};

const MAX_KEPT_BYTES = 1 << 18;

/** How much may be kept of all files of a look. */
export type KeepBudget = { bytes: number };
export const keepBudget = (): KeepBudget => ({ bytes: 1 << 22 });

/** Undefined for a file with one name. */
export function sharedFile(path: string, budget: KeepBudget): SharedFile | undefined {
  const info = pathInfo(path);
  if (info?.isFile() !== true || info.nlink < 2) return undefined;
  const isKept = info.size <= Math.min(MAX_KEPT_BYTES, budget.bytes);
  const bytes = isKept ? fileBytes(path, MAX_KEPT_BYTES) : undefined;
  budget.bytes -= bytes?.length ?? 0;
  return {
    file: fileOf(info),
    stamp: stampOf(info),
    ...(bytes && { content: bytes.toString("base64") }),
  };
}

/** Whether the same file has another content now. Another file at the path is somebody else's: a mount lies on this one. */
export function isRewritten(path: string, { file, stamp, content }: SharedFile): boolean {
  const info = pathInfo(path);
  if (!info || fileOf(info) !== file || stampOf(info) === stamp) return false;
  return content === undefined || fileBytes(path, MAX_KEPT_BYTES)?.toString("base64") !== content;
}

/** Puts a new file with the old content in its place, so that the other name no longer leads to it. */
export function putBack(path: string, content: string): void {
  const info = pathInfo(path);
  const aside = join(dirname(path), `.toolgate-${randomBytes(8).toString("hex")}.tmp`);
  try {
    const file = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeSync(file, Buffer.from(content, "base64"));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (info && process.getuid?.() === 0) chownSync(aside, info.uid, info.gid);
    if (info) chmodSync(aside, info.mode & 0o7777);
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

const fileOf = ({ dev, ino }: Stats): string => `${dev} ${ino}`;

const stampOf = ({ size, mtimeMs, ctimeMs }: Stats): string => `${size} ${mtimeMs} ${ctimeMs}`;
