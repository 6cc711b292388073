/**
 * Puts back the files that a call changed, when each of them is still as the call left it. Otherwise nothing
 * is touched: someone's later work is worth more than an undo.
 */
import { isWithin } from "../call/absolute-path.js";
import { checkOptions, FUNCTION, having, required, TEXT, WORKSPACE } from "../call/check-options.js";
import { readAll, visibleText } from "../call/index.js";
import type { FileChange, KeptFile, Ledger, SessionEvent } from "../call/index.js";
import type { Workspace } from "../tools/index.js";
import type { KeptPart } from "./undoable-workspace.js";
import { contentHash, fingerprint, wholeAgain, wholeFile, wholeFingerprint } from "./undoable-workspace.js";
import type { SessionRecord } from "../record/index.js";
import { stepsBeforeCommand } from "./steps-before-command.js";
import type { Removals } from "./steps-before-command.js";
import { readEdit, withoutHunks } from "./undo-hunks.js";
import { UndoRefused } from "./undo-refused.js";

/** `left`: what a command changed and the undo left as it is, with the reason. */
export type Undone = {
  readonly paths: readonly string[];
  readonly left?: readonly { readonly path: string; readonly reason: string }[];
};

const UNDO_ARGUMENTS = {
  record: required(having("a record (SessionRecord.open)", "append", "onRecorded")),
  workspace: required(WORKSPACE),
  toolCallId: required(TEXT),
  now: FUNCTION,
};

/** Throws UndoRefused with the reason when it cannot be undone; then nothing was changed. */
export async function undoCall(
  record: SessionRecord,
  workspace: Workspace,
  toolCallId: string,
  now: () => number = Date.now,
  options: UndoOptions = {},
): Promise<Undone> {
  checkOptions("undoCall", { record, workspace, toolCallId, now }, UNDO_ARGUMENTS);
  const hasUndoneHunks = record.book.call(toolCallId)?.undoneHunks !== undefined;
  if (options.hunks || hasUndoneHunks) return undoHunks(record, workspace, toolCallId, now, options.hunks);
  const { undone, steps, beside } = await planUndo(record, workspace, toolCallId);
  for (const step of steps) await step();
  const isOpen = (id: string): boolean => {
    const times = record.book.call(id)?.times;
    return times?.ended !== undefined && times.undone === undefined;
  };
  await record.append(
    [toolCallId, ...beside.filter(isOpen)].map((id) => ({
      type: "call-undone",
      toolCallId: id,
      at: now(),
    })),
    { durable: true },
  );
  return undone;
}

/** `hunks`: only these hunks of an edit, counted from 1; those that are left when the call is undone as a whole later. */
export type UndoOptions = { readonly hunks?: readonly number[] };

async function undoHunks(
  record: SessionRecord,
  workspace: Workspace,
  toolCallId: string,
  now: () => number,
  given: readonly number[] | undefined,
): Promise<Undone> {
  const edit = await readEdit(record, workspace, toolCallId);
  const open = edit.hunks.flatMap(({ number, isUndone }) => (isUndone ? [] : [number]));
  const hunks = [...new Set(given ?? open)];
  await workspace.write(edit.path, withoutHunks(toolCallId, edit, hunks), { mode: edit.mode });
  const isWhole = open.every((number) => hunks.includes(number));
  await record.append([{ type: "call-undone", toolCallId, at: now(), ...(!isWhole && { hunks }) }], {
    durable: true,
  });
  return { paths: [edit.path] };
}

/** A path that was not there before its call. A folder goes only when nothing else is in it. */
export type Removal = { readonly path: string; readonly isFolder: boolean };

/**
 * Returns the paths that `undoCall` would restore now, and which of them it would remove. Throws UndoRefused as it does,
 * and changes nothing.
 */
export async function previewUndo(
  session: Pick<SessionRecord, "book" | "ledger" | "sessionId">,
  workspace: Workspace,
  toolCallId: string,
): Promise<Undone & { readonly removes: readonly Removal[] }> {
  const { undone, removes } = await planUndo(session, workspace, toolCallId);
  return { ...undone, removes };
}

type UndoPlan = {
  readonly undone: Undone;
  readonly removes: readonly Removal[];
  readonly steps: readonly Step[];
  /** Calls whose commands ran at the same time: they are undone with this one. */
  readonly beside: readonly string[];
};

async function planUndo(
  { book, ledger, sessionId }: Pick<SessionRecord, "book" | "ledger" | "sessionId">,
  workspace: Workspace,
  toolCallId: string,
): Promise<UndoPlan> {
  const call = book.call(toolCallId);
  if (!call) throw new UndoRefused(toolCallId, "this session has no such call");
  if (call.times.ended === undefined) throw new UndoRefused(toolCallId, "it has not ended yet");
  if (call.times.undone !== undefined) throw new UndoRefused(toolCallId, "it was undone already");
  const recorded = await readAll(ledger, sessionId, { type: "file-kept" });
  const changes = recorded.flatMap(({ event }) =>
    event.type === "file-kept" && event.toolCallId === toolCallId ? [event.change] : [],
  );
  const owner = recorded.find(({ event }) => isBeside(event, toolCallId))?.event;
  if (owner?.type === "file-kept")
    throw new UndoRefused(
      toolCallId,
      `its command ran at the same time as that of ${owner.toolCallId}, and both are undone with ${owner.toolCallId}`,
    );
  if (changes.every(({ type }) => type === "beside"))
    throw new UndoRefused(toolCallId, NOTHING_KEPT, NOTHING);
  const paths = new Set(changes.flatMap((change) => (NOT_A_PATH.has(change.type) ? [] : [change.path])));
  const left = changes.flatMap((change) =>
    change.type === "left" ? [{ path: change.path, reason: change.reason }] : [],
  );
  const removals: Removals = new Map();
  const steps = await stepsBack(changes, { paths, removals }, workspace, ledger, toolCallId);
  const [first] = left;
  if (steps.length === 0 && first)
    throw new UndoRefused(toolCallId, `${visibleText(first.path)} was not kept: ${first.reason}`, NOTHING);
  if (steps.length === 0)
    throw new UndoRefused(
      toolCallId,
      "its files are as they were before it, so there is nothing to restore",
      NOTHING,
    );
  const beside = changes.flatMap((change) => (change.type === "commanded" ? (change.beside ?? []) : []));
  return {
    undone: { paths: [...paths], ...(left.length > 0 && { left }) },
    removes: [...removals].flatMap(([path, isFolder]) =>
      isFolder === undefined ? [] : [{ path, isFolder }],
    ),
    steps,
    beside: [...new Set(beside)],
  };
}

const NOTHING = { isNothing: true };

/** A command that changed nothing is not on record as kept: both look the same here. */
const NOTHING_KEPT =
  "no earlier content of its files is stored: it changed no file, or Toolgate makes no copy before such a call";

/** The path was not there before. */
const isNew = (change: FileChange): boolean => change.type === "written" && !change.before;

const isBeside = (event: SessionEvent, toolCallId: string): boolean =>
  event.type === "file-kept" &&
  event.change.type === "commanded" &&
  event.change.beside?.includes(toolCallId) === true;

/** Types of changes whose path is a folder with changes, or was not restored. */
const NOT_A_PATH: ReadonlySet<FileChange["type"]> = new Set(["commanded", "beside", "left"]);

type Step = () => Promise<void>;

/** Gets what the steps do: all paths, and of each the last thing that is done to it. */
type Noted = { readonly paths: Set<string>; readonly removals: Removals };

/** All is checked before anything is touched. */
async function stepsBack(
  changes: readonly FileChange[],
  { paths, removals }: Noted,
  workspace: Workspace,
  ledger: Ledger,
  toolCallId: string,
): Promise<readonly Step[]> {
  const refuse = (reason: string, options?: { readonly isNothing: boolean }): never => {
    throw new UndoRefused(toolCallId, reason, options);
  };
  // A call may have changed a path several times: only how it left it in the end is still to be seen.
  const seen = new Set<string>();
  const made = new Set<string>();
  const steps: Step[] = [];
  let blobs: string[] = [];
  const ordered = inOrder(changes);
  for (const [index, change] of ordered.entries()) {
    if (change.type === "left" || change.type === "beside") continue;
    if (change.type === "commanded") {
      // The changes of one command may fill several blobs, and are put back together.
      blobs = [change.before.blob, ...blobs];
      if (ordered[index + 1]?.type === "commanded") continue;
      steps.push(...(await stepsBeforeCommand({ workspace, ledger, blobs, seen, paths, removals, refuse })));
      blobs = [];
      continue;
    }
    if (change.type === "made") {
      made.add(change.path);
      removals.set(change.path, true);
      steps.push(() => removeIfEmpty(workspace, change.path));
      continue;
    }
    const isLast = !seen.has(change.path);
    seen.add(change.path);
    removals.set(change.path, isNew(change) ? false : undefined);
    if (change.type === "not-kept")
      return refuse(`${visibleText(change.path)} was not kept: ${change.reason}`, NOTHING);
    if (change.type === "moved") {
      const isAsMoved = ![...seen, ...made].some((path) => isWithin(path, change.to));
      seen.add(change.to);
      steps.push(...(await stepBackFrom(change, { isLast, isAsMoved }, workspace, refuse)));
      continue;
    }
    const now = isLast ? await fingerprint(workspace, change.path) : undefined;
    // Put on record and then not made, since something failed: it is as it was.
    if (isLast && now === keptFingerprint(change.before)) continue;
    if (isLast && now !== (change.type === "written" ? change.after : undefined))
      return refuse(`${visibleText(change.path)} has changed since`);
    steps.push(await stepTo(change.before, change.path, workspace, ledger, refuse));
  }
  return steps;
}

/** A folder with entries from someone else stays. */
async function removeIfEmpty(workspace: Workspace, path: string): Promise<void> {
  const isFolder = (await workspace.look(path))?.type === "folder";
  if (isFolder && (await workspace.list(path)).length === 0) await workspace.remove(path);
}

async function stepBackFrom(
  { path, to, fingerprint: moved }: FileChange & { type: "moved" },
  { isLast, isAsMoved }: { readonly isLast: boolean; readonly isAsMoved: boolean },
  workspace: Workspace,
  refuse: (reason: string) => never,
): Promise<readonly Step[]> {
  const [there, here] = [await workspace.look(to), await workspace.look(path)];
  if (!there && here && isLast) return [];
  if (!there) refuse(`${visibleText(to)} is no longer there`);
  if (isLast && here) refuse(`something else is at ${visibleText(path)} now`);
  // The call's own later changes were checked already.
  if (isAsMoved && moved !== undefined && moved !== (await wholeFingerprint(workspace, to)))
    refuse(`${visibleText(to)} has changed since`);
  return [() => workspace.move(to, path)];
}

/** The changes in reverse; but in a run of removals, a folder is restored before its content. */
function inOrder(changes: readonly FileChange[]): readonly FileChange[] {
  const ordered: FileChange[] = [];
  let removed: FileChange[] = [];
  for (const change of changes.toReversed()) {
    if (change.type === "removed") removed.push(change);
    else {
      ordered.push(...removed.toSorted(byPath), change);
      removed = [];
    }
  }
  return [...ordered, ...removed.toSorted(byPath)];
}

const byPath = (one: FileChange, other: FileChange): number => (one.path < other.path ? -1 : 1);

async function stepTo(
  before: KeptFile | undefined,
  path: string,
  workspace: Workspace,
  ledger: Ledger,
  refuse: (reason: string) => never,
): Promise<Step> {
  if (!before) return () => workspace.remove(path);
  if (before.type === "folder") return () => workspace.makeFolder(path, { mode: before.mode });
  if (before.type === "link") return () => workspace.makeLink(path, before.target);
  const bytes = await ledger.getBlob(before.blob);
  if (!bytes) return refuse(`the earlier content of ${visibleText(path)} is no longer stored`);
  if (before.type === "part") return () => restorePart(workspace, path, before, bytes);
  return () => workspace.write(path, bytes, { mode: before.mode });
}

/** The file has the written content: that was checked, or an earlier step restored it. */
async function restorePart(
  workspace: Workspace,
  path: string,
  before: KeptPart,
  replaced: Uint8Array,
): Promise<void> {
  const size = (await workspace.look(path))?.size ?? 0;
  const current = await wholeFile(workspace, path, size);
  const whole = current && wholeAgain(before, replaced, current);
  if (!whole)
    throw new Error(
      `${visibleText(path)} was changed by someone else while its call was undone, and stays as it is. Other files of the call may have been restored.`,
    );
  await workspace.write(path, whole, { mode: before.mode });
}

function keptFingerprint(before: KeptFile | undefined): string | undefined {
  if (!before) return undefined;
  return contentHash(before) ?? (before.type === "link" ? `link to ${before.target}` : "folder");
}
