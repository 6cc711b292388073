/** `toolgate stop`: ends the commands of a call that still run, by their recorded processes. */
import { realpath } from "node:fs/promises";
import { readAll } from "../call/index.js";
import type { CallProcess } from "../call/index.js";
import { endLeftCommand, processText } from "../tools/left-command.js";
import { findSession } from "./find-session.js";
import { jsonText } from "./json-text.js";
import { openLedger } from "./open-agent.js";
import type { StopFlags } from "./commands/stop.js";

type Stopped = {
  readonly process: CallProcess;
  readonly outcome: Awaited<ReturnType<typeof endLeftCommand>>;
};

/** Fails when a process is out of reach. */
export async function stop(toolCallId: string, flags: StopFlags): Promise<number> {
  const folder = await realpath(flags.cwd ?? process.cwd());
  const ledger = await openLedger(flags);
  try {
    const sessionId = await findSession(ledger, flags.session ?? true, folder);
    const events = await readAll(ledger, sessionId, { type: "process-started" });
    const started = events.flatMap(({ event }) =>
      event.type === "process-started" && event.toolCallId === toolCallId ? event.process : [],
    );
    const stopped = await Promise.all(
      started.map(async (process): Promise<Stopped> => ({ process, outcome: await endLeftCommand(process) })),
    );
    const text = flags.json ? stoppedJson(sessionId, toolCallId, stopped) : stoppedText(toolCallId, stopped);
    process.stdout.write(`${text}\n`);
    return stopped.some(({ outcome }) => outcome === "out-of-reach") ? 1 : 0;
  } finally {
    await ledger.close();
  }
}

function stoppedJson(sessionId: string, toolCallId: string, stopped: readonly Stopped[]): string {
  const processes = stopped.map(({ process: { pid, startedAt }, outcome }) => ({ pid, startedAt, outcome }));
  return jsonText({ sessionId, toolCallId, processes });
}

function stoppedText(toolCallId: string, stopped: readonly Stopped[]): string {
  if (stopped.length === 0) return `${toolCallId} has started no command in this session. Nothing was ended.`;
  return stopped.map(({ process, outcome }) => OUTCOME[outcome](processText(process))).join("\n");
}

const OUTCOME = {
  ended: (text: string) => `Ended: ${text}`,
  "was-gone": (text: string) => `Had ended before: ${text}`,
  "out-of-reach": (text: string) =>
    `Not ended: ${text}. The process is on another machine, in another container or of another user, or this system does not tell it apart from a later one. End it there.`,
} as const;
