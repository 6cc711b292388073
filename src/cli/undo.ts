/** `toolgate undo`: restores the files that a call changed. */
import { LocalWorkspace } from "../tools/index.js";
import { SessionRecord } from "../record/index.js";
import { undoCall } from "../run/index.js";
import type { Undone } from "../run/index.js";
import { visibleText } from "../call/index.js";
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
      const undone = await undoCall(record, workspace, toolCallId);
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
