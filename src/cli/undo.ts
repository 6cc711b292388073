/** `toolgate undo`: restores the files that a call changed. */
import { LocalWorkspace } from "../tools/index.js";
import { SessionRecord } from "../record/index.js";
import { undoCall } from "../run/index.js";
import type { EditHunk, Gate, Undone } from "../run/index.js";
import { readEdit } from "../run/undo-hunks.js";
import { diffContent, visibleText } from "../call/index.js";
import { diffLines } from "../view/index.js";
import { findSession } from "./find-session.js";
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

export function hunksText(hunks: readonly EditHunk[]): string {
  return hunks
    .map(({ number, newLine, oldText, newText, isUndone }) => {
      // Its heading would name no file.
      const rows = diffLines(diffContent("", oldText, newText)).slice(1);
      return [`hunk ${number}, line ${newLine}${isUndone ? ", undone" : ""}`, ...rows].join("\n");
    })
    .join("\n");
}

/** The words of `/undo`: a call, and after it the numbers of hunks or the word "hunks", which lists them. */
export async function undoByWords(gate: Gate, words: string): Promise<string> {
  const [toolCallId = "", ...numbers] = words.split(/\s+/).filter((word) => word !== "");
  if (numbers[0] === "hunks") return hunksText(await gate.hunks(toolCallId));
  const wrong = numbers.find((number) => !/^[1-9]\d{0,5}$/.test(number));
  if (wrong !== undefined) return `"${visibleText(wrong)}" is no number of a hunk. Nothing was restored.`;
  return undoneText(await gate.undo(toolCallId, numbers.length === 0 ? {} : { hunks: numbers.map(Number) }));
}

export async function undo(toolCallId: string, flags: UndoFlags): Promise<number> {
  const workspace = await LocalWorkspace.open(flags.cwd ?? process.cwd());
  const ledger = await openLedger(flags);
  try {
    const sessionId = await findSession(ledger, flags.session ?? true, workspace.root);
    const record = await SessionRecord.open(ledger, sessionId, {
      owner: `undo ${process.pid}`,
      ...LEASE_WAIT,
    });
    try {
      if (flags.hunks) {
        const { hunks } = await readEdit(record, workspace, toolCallId);
        process.stdout.write(
          `${flags.json ? jsonText({ sessionId, toolCallId, hunks }) : hunksText(hunks)}\n`,
        );
        return 0;
      }
      const options = flags.hunk ? { hunks: flags.hunk } : {};
      const undone = await undoCall(record, workspace, toolCallId, Date.now, options);
      const text = flags.json ? jsonText({ sessionId, toolCallId, ...undone }) : undoneText(undone);
      process.stdout.write(`${text}\n`);
      return 0;
    } finally {
      await record.close();
    }
  } finally {
    await ledger.close();
  }
}
