/** `toolgate stop`: ends the commands of a call that still run, by their recorded processes. */
import { realpath } from "node:fs/promises";
import { stopCommands } from "../run/running-commands.js";
import { findSession } from "./find-session.js";
import { jsonText } from "./json-text.js";
import { openLedger } from "./open-agent.js";
import { stoppedText } from "./ps.js";
import type { StopFlags } from "./commands/stop.js";

/** Fails when a process is out of reach. */
export async function stop(toolCallId: string, flags: StopFlags): Promise<number> {
  const folder = await realpath(flags.cwd ?? process.cwd());
  const ledger = await openLedger(flags);
  try {
    const sessionId = await findSession(ledger, flags.session ?? true, folder);
    const stopped = await stopCommands(ledger, sessionId, toolCallId);
    const processes = stopped.map(({ process: { pid, startedAt }, outcome }) => ({
      pid,
      startedAt,
      outcome,
    }));
    const text = flags.json
      ? jsonText({ sessionId, toolCallId, processes })
      : stoppedText(toolCallId, stopped);
    process.stdout.write(`${text}\n`);
    return stopped.some(({ outcome }) => outcome === "out-of-reach") ? 1 : 0;
  } finally {
    await ledger.close();
  }
}
