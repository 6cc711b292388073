/** Undoes a call or all calls of a turn, or says what that would do. A refusal leaves the files of its call as they are. */
import type { z } from "zod";
import { AapProblem } from "../../aap/api/aap-problem.js";
import { LedgerError, readAll } from "../../call/index.js";
import type { FileChange, SessionBook } from "../../call/index.js";
import { SessionRecord } from "../../record/index.js";
import { undoCall, UndoRefused } from "../../run/index.js";
import type { Gate, UndoOptions } from "../../run/index.js";
import { canPutBack, keptCallsOf } from "../../run/kept-calls-of.js";
import { undoEach } from "../../run/undo-each.js";
import { previewUndo } from "../../run/undo-call.js";
import type { Removal, Undone as UndoneCall } from "../../run/undo-call.js";
import { readEdit, withoutHunks } from "../../run/undo-hunks.js";
import type { Edit } from "../../run/undo-hunks.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import type { Workspace } from "../../tools/index.js";
import { diffCard } from "../../view/index.js";
import type { DiffCard } from "../../view/index.js";
import type { Undone, undoRequest } from "../api/session-bodies.js";
import type { ServeContext } from "../server/serve-context.js";

const LEASE_WAIT_MS = 1_000;

export async function undoCalls(
  context: ServeContext,
  book: SessionBook,
  { toolCallId, turnId, hunks, dryRun = false }: z.output<typeof undoRequest>,
  open?: Pick<Gate, "undo">,
): Promise<Undone> {
  if ((toolCallId === undefined) === (turnId === undefined))
    throw new AapProblem("BAD_REQUEST", 'Give a "toolCallId" or a "turnId". Nothing was undone.');
  if (hunks && (toolCallId === undefined || dryRun))
    throw new AapProblem(
      "BAD_REQUEST",
      '"hunks" goes with a "toolCallId", without "dryRun". Nothing was undone.',
    );
  const wanted =
    toolCallId === undefined
      ? await keptCallsOf(context.ledger, book.sessionId, [turnId ?? ""])
      : [toolCallId];
  if (wanted.length === 0)
    return { ...NOTHING, isNothing: true, why: "No call of this turn kept a file. No file was touched." };
  if (dryRun) return preview(context, book, wanted);
  const options = hunks ? { hunks } : {};
  return open
    ? undoAll(wanted, (id) => open.undo(id, options))
    : undoInRecord(context, book, wanted, options);
}

const NOTHING = { isDone: false, isPossible: false, toolCallIds: [], paths: [], left: [] } satisfies Undone;

/** Only the last call of which something can be put back is checked exactly: those before it depend on its undo. */
async function preview(
  context: ServeContext,
  book: SessionBook,
  toolCallIds: readonly string[],
): Promise<Undone> {
  const { ledger } = context;
  const [last = "", ...older] = toolCallIds;
  const workspace = await openFolder(context, book);
  const edit = toolCallIds.length === 1 ? await editHunks(context, book, workspace, last) : undefined;
  if (edit) {
    const why = edit.hunks.some(isOpen) ? undefined : whyNoHunk(last, edit.hunks);
    return {
      ...NOTHING,
      isPossible: why === undefined,
      ...(why !== undefined && { why }),
      toolCallIds: [last],
      ...edit,
    };
  }
  try {
    const {
      paths,
      left = [],
      removes,
    } = await previewUndo({ book, ledger, sessionId: book.sessionId }, workspace, last);
    const kept = await keptChanges(context, book, new Set(older));
    return {
      isDone: false,
      isPossible: true,
      toolCallIds: [...toolCallIds],
      paths: [...new Set([...paths, ...kept.map(({ path }) => path)])],
      removes: removedInAll(removes, kept),
      left: [...left],
    };
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error;
    if (!error.isNothing || older.length === 0) return { ...NOTHING, why: error.message };
    return { ...(await preview(context, book, older)), why: error.message };
  }
}

type Hunk = NonNullable<Undone["hunks"]>[number];

const isOpen = ({ isUndone, why }: Hunk): boolean => !isUndone && why === undefined;

const whyNoHunk = (toolCallId: string, hunks: readonly Hunk[]): string =>
  new UndoRefused(
    toolCallId,
    hunks.find(({ why }) => why !== undefined)?.why ?? "all of its changes are undone",
  ).message;

/** The changes of an edit that has several of them, or of which some are undone; undefined for another call. */
async function editHunks(
  { ledger, redactPatterns }: ServeContext,
  book: SessionBook,
  workspace: Workspace,
  toolCallId: string,
): Promise<{ readonly paths: string[]; readonly hunks: Hunk[] } | undefined> {
  try {
    const edit = await readEdit({ book, ledger, sessionId: book.sessionId }, workspace, toolCallId);
    if (edit.hunks.length < 2) return undefined;
    const hunks = edit.hunks.map(({ number, isUndone, ...hunk }) => {
      const why = isUndone ? undefined : whyNotWithout(toolCallId, edit, number);
      const diff = diffCard(
        { type: "diff", operation: "modify", path: edit.path, hunks: [hunk] },
        { isWhole: true },
      );
      // The walk changes texts and nothing else.
      const shown = redactedRecord(diff, redactPatterns) as DiffCard;
      return { number, isUndone, diff: shown, ...(why !== undefined && { why }) };
    });
    return { paths: [edit.path], hunks };
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error;
    return undefined;
  }
}

function whyNotWithout(toolCallId: string, edit: Edit, number: number): string | undefined {
  try {
    withoutHunks(toolCallId, edit, [number]);
    return undefined;
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error;
    return error.reason;
  }
}

async function undoInRecord(
  context: ServeContext,
  book: SessionBook,
  wanted: readonly string[],
  options: UndoOptions,
): Promise<Undone> {
  const workspace = await openFolder(context, book);
  const record = await openRecord(context, book.sessionId);
  try {
    return await undoAll(wanted, (id) => undoCall(record, workspace, id, context.now, options));
  } finally {
    await record.close();
  }
}

async function undoAll(
  wanted: readonly string[],
  undo: (toolCallId: string) => Promise<UndoneCall>,
): Promise<Undone> {
  const { undone, skipped, refused } = await undoEach(wanted, undo);
  const reasons = [...skipped, ...(refused ? [refused] : [])].map(({ why }) => why);
  return {
    isDone: undone.length > 0,
    isPossible: undone.length > 0,
    ...(reasons.length > 0 && { why: reasons.join(" ") }),
    toolCallIds: undone.map(({ toolCallId }) => toolCallId),
    paths: [...new Set(undone.flatMap(({ paths }) => paths))],
    left: undone.flatMap(({ left = [] }) => left),
  };
}

async function openFolder({ openWorkspace }: ServeContext, { info: { cwd } }: SessionBook) {
  if (cwd === undefined) throw new AapProblem("CONFLICT", "This session has no folder. No file was touched.");
  return openWorkspace(cwd);
}

async function keptChanges(
  { ledger }: ServeContext,
  { sessionId }: SessionBook,
  calls: ReadonlySet<string>,
): Promise<readonly FileChange[]> {
  if (calls.size === 0) return [];
  const kept = await readAll(ledger, sessionId, { type: "file-kept" });
  return kept.flatMap(({ event }) =>
    event.type === "file-kept" && calls.has(event.toolCallId) && isOfPath(event.change) ? [event.change] : [],
  );
}

/** The first change of the older calls says what a path was; else the undo of the last call does. */
function removedInAll(ofLast: readonly Removal[], older: readonly FileChange[]): Removal[] {
  const removals = new Map(ofLast.map(({ path, isFolder }) => [path, isFolder]));
  for (const change of older.toReversed()) {
    if (change.type === "made") removals.set(change.path, true);
    else if (change.type === "written" && !change.before) removals.set(change.path, false);
    else removals.delete(change.path);
  }
  return [...removals].map(([path, isFolder]) => ({ path, isFolder }));
}

/** Whether an undo restores the path itself; the path of a command's change is its folder. */
const isOfPath = (change: FileChange): boolean => canPutBack(change) && change.type !== "commanded";

async function openRecord({ ledger, apps }: ServeContext, sessionId: string): Promise<SessionRecord> {
  const owner = `undo ${process.pid}`;
  try {
    return await SessionRecord.open(ledger, sessionId, { owner, leaseWaitMs: LEASE_WAIT_MS });
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "LEASE_HELD") throw error;
    const { liveness, resumes } = await apps.outlookOf(sessionId);
    const isOurs = liveness === "live" && resumes === "here";
    const why = isOurs ? "A turn of this session is under way. Nothing was undone." : error.message;
    throw new AapProblem("BUSY", `${why} Calls can be undone between turns.`);
  }
}
