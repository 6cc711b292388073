/** `toolgate undo`: restores the files that a call, or all calls of the newest turns, changed. */
import { LocalWorkspace } from "../tools/index.js";
import { SessionRecord } from "../record/index.js";
import { recoveryEvents, undoCall } from "../run/index.js";
import type { Gate, Undone } from "../run/index.js";
import { undoEach } from "../run/undo-each.js";
import type { UndoneEach } from "../run/undo-each.js";
import { readEdit } from "../run/undo-hunks.js";
import { keptCallsOf } from "../run/kept-calls-of.js";
import { oneLine, visibleText } from "../call/index.js";
import type { SessionBook } from "../call/index.js";
import { findSession } from "./find-session.js";
import { hunksText } from "./hunks-text.js";
import { jsonText } from "./json-text.js";
import { LEASE_WAIT } from "./lease-wait.js";
import { openLedger } from "./open-agent.js";
import type { UndoFlags } from "./commands/undo.js";

/** A command may have changed thousands of files. */
const MAX_SHOWN = 100;

export function undoneText({ paths, left = [] }: Undone): string {
  const more = paths.length - MAX_SHOWN;
  const shown = paths.slice(0, MAX_SHOWN).map((path) => visibleText(path));
  const restored = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return [
    `Restored: ${restored}`,
    ...left.map(({ path, reason }) => `Not restored: ${visibleText(path)} (${reason})`),
  ].join("\n");
}

/** The words of `/undo`: a call, and after it the numbers of hunks or the word "hunks", which lists them. */
export async function undoByWords(gate: Gate, words: string): Promise<string> {
  const [toolCallId = "", ...numbers] = words.split(/\s+/).filter((word) => word !== "");
  if (numbers[0] === "hunks") return hunksText(await gate.hunks(toolCallId));
  const wrong = numbers.find((number) => !/^[1-9]\d{0,5}$/.test(number));
  if (wrong !== undefined) return `"${visibleText(wrong)}" is not a hunk number. Nothing was restored.`;
  return undoneText(await gate.undo(toolCallId, numbers.length === 0 ? {} : { hunks: numbers.map(Number) }));
}

/** The lines of undone turns, each with the title of its call. */
export function undoneTurnsText(
  book: Pick<SessionBook, "call">,
  { undone, skipped, refused }: UndoneEach,
): string {
  const named = (toolCallId: string) => `${toolCallId} ${oneLine(book.call(toolCallId)?.title ?? "", 60)}`;
  return [
    ...undone.map(({ toolCallId, ...files }) => `${named(toolCallId)}: ${undoneText(files)}`),
    ...skipped.map(({ toolCallId, why }) => `${named(toolCallId)}: ${visibleText(why)}`),
    ...(refused ? [`${named(refused.toolCallId)}: ${visibleText(refused.why)}`] : []),
  ].join("\n");
}

/** Undoes a call, or without one the newest turns. */
export async function undo(call: string | undefined, flags: UndoFlags): Promise<number> {
  const workspace = await LocalWorkspace.open(flags.cwd ?? process.cwd());
  const ledger = await openLedger(flags);
  try {
    const sessionId = await findSession(ledger, flags.session ?? true, workspace.root);
    const record = await SessionRecord.open(ledger, sessionId, {
      owner: `undo ${process.pid}`,
      ...LEASE_WAIT,
    });
    try {
      // Calls that a killed process left: they are no longer running.
      await record.append(await recoveryEvents(record, Date.now), { durable: true });
      const place = { record, workspace, sessionId };
      return await (call === undefined ? undoNewest(place, flags) : undoOneCall(place, call, flags));
    } finally {
      await record.close();
    }
  } finally {
    await ledger.close();
  }
}

type Place = {
  readonly record: SessionRecord;
  readonly workspace: LocalWorkspace;
  readonly sessionId: string;
};

async function undoOneCall(
  { record, workspace, sessionId }: Place,
  toolCallId: string,
  flags: UndoFlags,
): Promise<number> {
  if (flags.hunks) {
    const { hunks } = await readEdit(record, workspace, toolCallId);
    print(flags.json ? jsonText({ sessionId, toolCallId, hunks }) : hunksText(hunks));
    return 0;
  }
  const options = flags.hunk ? { hunks: flags.hunk } : {};
  const undone = await undoCall(record, workspace, toolCallId, Date.now, options);
  print(flags.json ? jsonText({ sessionId, toolCallId, ...undone }) : undoneText(undone));
  return 0;
}

/** Returns 1 when a call of the turns could not be undone, or nothing of it was kept. */
async function undoNewest({ record, workspace, sessionId }: Place, flags: UndoFlags): Promise<number> {
  const { ledger, book } = record;
  const turnIds = book
    .snapshot()
    .turns.slice(-(flags.turns ?? 1))
    .map(({ turnId }) => turnId);
  const undone = await undoEach(await keptCallsOf(ledger, sessionId, turnIds), (toolCallId) =>
    undoCall(record, workspace, toolCallId, Date.now),
  );
  const text = undoneTurnsText(book, undone) || "These turns changed no file that can be restored.";
  print(flags.json ? jsonText({ sessionId, turnIds, ...undone }) : text);
  return undone.refused || undone.skipped.length > 0 ? 1 : 0;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
