/**
 * Part of a file that is too large to be held whole. Its lines are counted from the start, piece by piece,
 * so memory stays flat; how far is bounded, since a call must end soon.
 */
import { ToolFailure } from "../tool.js";
import type { Files } from "../workspace.js";
import { sizeText } from "../../call/amounts.js";
import { MAX_BYTES, MAX_LINES, noSuchLine, type Wanted, withNotice } from "./text-part.js";
import { mustBeText } from "./must-be-text.js";

const PIECE = 1024 * 1024;
const MAX_SCANNED = 64 * PIECE;
const NEWLINE = 10;

export type LargeFile = { readonly file: string; readonly size: number; readonly signal: AbortSignal };

export async function largeFilePart(files: Files, large: LargeFile, wanted: Wanted): Promise<string> {
  const { path, line = 1, limit = MAX_LINES } = wanted;
  const { file, size } = large;
  const start = await skipLines(files, large, { path, from: 0, lines: line - 1 });
  if (start.offset >= size) throw noSuchLine(path, line, start.lines);
  if (start.lines < line - 1) throw tooFar(path, line, start.lines, size);

  const read = await files.readBytes(file, { from: start.offset, length: MAX_BYTES });
  const bytes = read?.bytes ?? new Uint8Array();
  const part = wholeLines(bytes, Math.min(limit, MAX_LINES), start.offset + bytes.length >= size);
  if (part.lines === 0) return cutLine(files, large, { path, line, offset: start.offset, bytes });
  const shown = mustBeText(path, bytes.subarray(0, part.end));
  if (start.offset + part.end >= size) return shown;
  const last = line + part.lines - 1;
  return withNotice(
    shown,
    `Lines ${line}-${last} of a file of ${sizeText(size)}. Use line=${last + 1} to continue.`,
  );
}

/** How many lines end in these bytes, and where the last of them does. */
function wholeLines(
  bytes: Uint8Array,
  limit: number,
  isEnd: boolean,
): { readonly lines: number; readonly end: number } {
  let lines = 0;
  let end = 0;
  while (lines < limit) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline < 0) break;
    end = newline + 1;
    lines++;
  }
  // The last line of a file need not end.
  return isEnd && lines < limit && end < bytes.length
    ? { lines: lines + 1, end: bytes.length }
    : { lines, end };
}

type Cut = {
  readonly path: string;
  readonly line: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
};

async function cutLine(files: Files, large: LargeFile, { path, line, offset, bytes }: Cut): Promise<string> {
  const next = await skipLines(files, large, { path, from: offset, lines: 1 });
  const onward = next.lines === 1 && next.offset < large.size ? ` Use line=${line + 1} to continue.` : "";
  const shown = mustBeText(path, bytes, { mayEndEarly: true });
  return withNotice(shown, `Line ${line} is cut after 256 kB.${onward}`);
}

/** The offset after so many line ends, or as far as it came: to the end of the file, or to the bound. */
async function skipLines(
  files: Files,
  { file, size, signal }: LargeFile,
  { path, from, lines }: { readonly path: string; readonly from: number; readonly lines: number },
): Promise<{ readonly offset: number; readonly lines: number }> {
  let offset = from;
  let seen = 0;
  let isLineOpen = false;
  while (seen < lines && offset < size && offset - from < MAX_SCANNED) {
    signal.throwIfAborted();
    const piece = await files.readBytes(file, { from: offset, length: PIECE });
    const bytes = piece?.bytes ?? new Uint8Array();
    if (bytes.length === 0) break;
    if (bytes.includes(0)) mustBeText(path, bytes);
    let at = 0;
    while (seen < lines) {
      const newline = bytes.indexOf(NEWLINE, at);
      if (newline < 0) break;
      at = newline + 1;
      seen++;
    }
    if (seen === lines) return { offset: offset + at, lines: seen };
    isLineOpen = at < bytes.length;
    offset += bytes.length;
  }
  // A last line that does not end is a line too.
  return { offset, lines: offset >= size && isLineOpen ? seen + 1 : seen };
}

function tooFar(path: string, line: number, seen: number, size: number): ToolFailure {
  return new ToolFailure(
    `read_file: line ${line} of ${path} (${sizeText(size)}) is too far into the file: ${sizeText(MAX_SCANNED)} were looked through, ${seen} lines. Nothing was read. Search it with grep, or take out the lines with a command such as sed -n or tail.`,
  );
}
