/** Undoes a call or all calls of a turn, or says what that would do. A refusal leaves the files of its call as they are. */
import type { z } from "zod";
import { AapProblem } from "../../aap/api/aap-problem.js";
import { LedgerError, readAll } from "../../call/index.js";
import type { SessionBook } from "../../call/index.js";
import { SessionRecord } from "../../record/index.js";
import { undoCall, UndoRefused } from "../../run/index.js";
import type { UndoOptions } from "../../run/index.js";
import { keptCallsOf } from "../../run/kept-calls.js";
import { previewUndo } from "../../run/undo-call.js";
import type { Undone, undoRequest } from "../api/session-bodies.js";
import type { ServeContext } from "../server/serve-context.js";

const LEASE_WAIT_MS = 1_000;

export async function undoCalls(
  context: ServeContext,
  book: SessionBook,
  { toolCallId, turnId, hunks, dryRun = false }: z.output<typeof undoRequest>,
): Promise<Undone> {
  if ((toolCallId === undefined) === (turnId === undefined))
    throw new AapProblem("BAD_REQUEST", 'Give a "toolCallId" or a "turnId". Nothing was undone.');
  if (hunks && (toolCallId === undefined || dryRun))
    throw new AapProblem(
      "BAD_REQUEST",
      '"hunks" goes with a "toolCallId", without "dryRun". Nothing was undone.',
    );
  const wanted =
    toolCallId === undefined ? await keptCallsOf(context.ledger, book.sessionId, turnId ?? "") : [toolCallId];
  if (wanted.length === 0)
    return { ...NOTHING, why: "No call of this turn kept a file. No file was touched." };
  return dryRun ? preview(context, book, wanted) : undo(context, book, wanted, hunks ? { hunks } : {});
}

const NOTHING = { isDone: false, isPossible: false, toolCallIds: [], paths: [], left: [] } satisfies Undone;

/** Only the last call can be checked exactly: those before it depend on its undo. */
async function preview(
  context: ServeContext,
  book: SessionBook,
  toolCallIds: readonly string[],
): Promise<Undone> {
  const { ledger } = context;
  const [last = ""] = toolCallIds;
  try {
    const workspace = await openFolder(context, book);
    const { paths, left = [] } = await previewUndo(
      { book, ledger, sessionId: book.sessionId },
      workspace,
      last,
    );
    const kept = await keptPaths(context, book, new Set(toolCallIds.slice(1)));
    return {
      isDone: false,
      isPossible: true,
      toolCallIds: [...toolCallIds],
      paths: [...new Set([...paths, ...kept])],
      left: [...left],
    };
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error;
    return { ...NOTHING, why: error.message };
  }
}

async function undo(
  context: ServeContext,
  book: SessionBook,
  wanted: readonly string[],
  options: UndoOptions,
): Promise<Undone> {
  const workspace = await openFolder(context, book);
  const record = await openRecord(context, book.sessionId);
  const toolCallIds: string[] = [];
  const paths = new Set<string>();
  const allLeft: Undone["left"] = [];
  const undone = (why?: string): Undone => ({
    isDone: toolCallIds.length > 0,
    isPossible: toolCallIds.length > 0,
    ...(why !== undefined && { why }),
    toolCallIds,
    paths: [...paths],
    left: allLeft,
  });
  try {
    for (const toolCallId of wanted) {
      const one = await undoCall(record, workspace, toolCallId, context.now, options);
      toolCallIds.push(toolCallId);
      for (const path of one.paths) paths.add(path);
      allLeft.push(...(one.left ?? []));
    }
    return undone();
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error;
    return undone(error.message);
  } finally {
    await record.close();
  }
}

async function openFolder({ openWorkspace }: ServeContext, { info: { cwd } }: SessionBook) {
  if (cwd === undefined) throw new AapProblem("CONFLICT", "This session has no folder. No file was touched.");
  return openWorkspace(cwd);
}

async function keptPaths(
  { ledger }: ServeContext,
  { sessionId }: SessionBook,
  calls: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (calls.size === 0) return [];
  const kept = await readAll(ledger, sessionId, { type: "file-kept" });
  return kept.flatMap(({ event }) =>
    event.type === "file-kept" && calls.has(event.toolCallId) && event.change.type !== "commanded"
      ? [event.change.path]
      : [],
  );
}

async function openRecord({ ledger }: ServeContext, sessionId: string): Promise<SessionRecord> {
  const owner = `undo ${process.pid}`;
  try {
    return await SessionRecord.open(ledger, sessionId, { owner, leaseWaitMs: LEASE_WAIT_MS });
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "LEASE_HELD") throw error;
    throw new AapProblem("BUSY", `${error.message} Calls can be undone between turns.`);
  }
}
