/** `toolgate undo`: restores the files that a call changed. */
import { LocalWorkspace } from "../tools/index.js";
import { SessionRecord } from "../record/index.js";
import { undoCall } from "../run/index.js";
import { visibleText } from "../call/index.js";
import { findSession } from "./find-session.js";
import { jsonText } from "./json-text.js";
import { LEASE_WAIT } from "./lease-wait.js";
import { openLedger } from "./open-agent.js";
import type { UndoFlags } from "./commands/undo.js";

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
      const { paths } = await undoCall(record, workspace, toolCallId);
      const text = flags.json
        ? jsonText({ sessionId, toolCallId, paths })
        : `Restored: ${paths.map((path) => visibleText(path)).join(", ")}`;
      process.stdout.write(`${text}\n`);
      return 0;
    } finally {
      await record.close();
    }
  } finally {
    await ledger.close();
  }
}
