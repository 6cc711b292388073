/**
 * Takes back single hunks of an edit: one call that wrote one text file. A hunk can be taken back as long as its lines
 * are as the call left them, whatever changed elsewhere in the file since.
 */
import { createHash } from "node:crypto";
import { pluralize, readAll, visibleText } from "../call/index.js";
import type { DiffHunk, FileChange, Ledger, ToolCall } from "../call/index.js";
import { hunksInContext } from "../call/diff-hunks.js";
import { lineHunks } from "../call/line-hunks.js";
import type { Workspace } from "../tools/index.js";
import type { SessionRecord } from "../record/index.js";
import { UndoRefused } from "./undo-refused.js";

type Session = Pick<SessionRecord, "book" | "ledger" | "sessionId">;

/** `number` counts from 1, in the order of the file. */
export type EditHunk = DiffHunk & { readonly number: number; readonly isUndone: boolean };

export type Edit = {
  readonly path: string;
  readonly mode: number;
  readonly newText: string;
  readonly current: string;
  readonly hunks: readonly EditHunk[];
};

/** Throws UndoRefused for a call whose hunks are not known. */
export async function readEdit(
  { book, ledger, sessionId }: Session,
  workspace: Workspace,
  toolCallId: string,
): Promise<Edit> {
  const refuse = (reason: string): never => {
    throw new UndoRefused(toolCallId, reason);
  };
  const call = book.call(toolCallId) ?? refuse("this session has no such call");
  if (call.times.ended === undefined) refuse("it has not ended yet");
  if (call.times.undone !== undefined) refuse("it was undone already");
  const recorded = await readAll(ledger, sessionId, { type: "file-kept" });
  const changes = recorded.flatMap(({ event }) =>
    event.type === "file-kept" && event.toolCallId === toolCallId ? [event.change] : [],
  );
  const [change, ...others] = changes;
  if (!change || others.length > 0 || change.type !== "written" || change.before?.type !== "file")
    return refuse("only an edit of one text file, and not of a large or a new one, has hunks");
  const current = await workspace.readText(change.path);
  if (current === undefined) return refuse(`${visibleText(change.path)} is no longer there`);
  const oldText = await keptText(ledger, change.before.blob);
  const newText = writtenText(call, change, current);
  if (oldText === undefined || newText === undefined)
    return refuse(
      `the text that it wrote to ${visibleText(change.path)} is no longer stored, and the file has changed since`,
    );
  const undone = new Set(call.undoneHunks);
  const hunks = hunksInContext(oldText, newText).map((hunk, index) => ({
    ...hunk,
    number: index + 1,
    isUndone: undone.has(index + 1),
  }));
  return { path: change.path, mode: change.before.mode, newText, current, hunks };
}

async function keptText(ledger: Ledger, blob: string): Promise<string | undefined> {
  const bytes = await ledger.getBlob(blob);
  return bytes && new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** The file as the call left it: as it is now, or as the diff of the call has it. */
function writtenText(
  { content }: ToolCall,
  { path, after }: FileChange & { type: "written" },
  current: string,
): string | undefined {
  const shown = content.flatMap((item) =>
    item.type === "diff" && item.path === path && "newText" in item && typeof item.newText === "string"
      ? [item.newText]
      : [],
  );
  return [current, ...shown].find((text) => createHash("sha256").update(text).digest("hex") === after);
}

/** The file without these hunks. Throws UndoRefused where the lines of one have changed since. */
export function withoutHunks(toolCallId: string, edit: Edit, numbers: readonly number[]): string {
  const { hunks, path } = edit;
  const wanted = numbers.map((number) => {
    const hunk = hunks[number - 1];
    if (!hunk)
      throw new UndoRefused(
        toolCallId,
        `it has ${pluralize(hunks.length, "hunk")}, and none is number ${number}`,
      );
    if (hunk.isUndone) throw new UndoRefused(toolCallId, `hunk ${number} was undone already`);
    return hunk;
  });
  const lines = splitLines(edit.current);
  const changed = lineHunks(edit.newText, edit.current);
  // From the last one on: the lines above a hunk keep their numbers.
  for (const hunk of wanted.toSorted((one, other) => other.newLine - one.newLine)) {
    const count = splitLines(hunk.newText).length;
    const place = placeOf(hunk.newLine, count, changed);
    const isAsLeft = place !== undefined && lines.slice(place, place + count).join("") === hunk.newText;
    if (!isAsLeft)
      throw new UndoRefused(toolCallId, `${visibleText(path)} has changed since in hunk ${hunk.number}`);
    lines.splice(place, count, ...splitLines(hunk.oldText));
  }
  return lines.join("");
}

/** Where the lines are now, counted from 0; undefined when one of them has changed. */
function placeOf(start: number, count: number, changed: ReturnType<typeof lineHunks>): number | undefined {
  let place = start - 1;
  for (const { oldStart, oldLines, newLines } of changed) {
    if (oldStart + oldLines <= start) place += newLines - oldLines;
    else if (oldStart < start + count) return undefined;
  }
  return place;
}

const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
