/** `toolgate run`: one turn in a folder, as text for people or as JSON lines for programs. */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { ToolSource } from "../tools/index.js";
import { AgentSession } from "../agent/index.js";
import type { TurnEnd } from "../agent/index.js";
import { askInTerminal, refuseAll } from "./ask-in-terminal.js";
import { coloured, wantsColour } from "./colour.js";
import { findSession } from "./find-session.js";
import { LiveText } from "./live-text.js";
import { openServers } from "./open-servers.js";
import { openAgent, openLedger } from "./open-agent.js";
import { openWorkspace } from "./open-workspace.js";
import type { RunFlags } from "./program.js";
import { endText, runTurn } from "./run-turn.js";
import { keptFlags, withKeptFlags } from "./session-flags.js";

export async function runPrompt(prompt: string, flags: RunFlags): Promise<number> {
  const mayAsk = process.stdin.isTTY && process.stdout.isTTY && !flags.json;
  const servers = await openServers(flags, resolve(flags.cwd ?? process.cwd()), { mayAsk });
  try {
    return await runWith(prompt, flags, servers ? [servers] : []);
  } finally {
    await servers?.close();
  }
}

async function runWith(prompt: string, given: RunFlags, toolSources: readonly ToolSource[]): Promise<number> {
  const folder = await realpath(given.cwd ?? process.cwd());
  const ledger = await openLedger(given);
  try {
    const sessionId =
      given.resume === undefined ? undefined : await findSession(ledger, given.resume, folder);
    const flags = sessionId === undefined ? given : await withKeptFlags(ledger, sessionId, given);
    const opened = await openAgent(flags, toolSources);
    const session = await AgentSession.open({
      agent: opened.agent,
      ledger,
      workspace: await openWorkspace(folder, flags, opened),
      patience: PATIENCE,
      info: keptFlags(flags),
      ...(sessionId !== undefined && { sessionId }),
    });
    try {
      const end = flags.json ? await asJson(session, prompt) : await asText(session, prompt);
      return exitCode(end);
    } finally {
      await session.close();
    }
  } finally {
    await ledger.close();
  }
}

/** Milliseconds: a process that was killed holds its session a little longer. */
const PATIENCE = 6_000;

/** As shells count: a program that an interrupt ended says 130. */
function exitCode(end: TurnEnd): number {
  if (end.status === "parked") return 1;
  if (end.stopReason === "cancelled") return 130;
  return end.stopReason === "end_turn" ? 0 : 1;
}

async function asJson(session: AgentSession, prompt: string) {
  process.stdout.write(`${JSON.stringify({ type: "session", sessionId: session.sessionId })}\n`);
  session.onRecorded((events) => {
    for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
  });
  return runTurn(session, prompt, refuseAll);
}

async function asText(session: AgentSession, prompt: string) {
  const isColoured = wantsColour(process.stdout);
  const live = new LiveText(session, (text) => void process.stdout.write(isColoured ? coloured(text) : text));
  const hasPerson = process.stdin.isTTY && process.stdout.isTTY;
  const end = await runTurn(session, prompt, hasPerson ? askInTerminal(live) : refuseAll);
  live.endLine();
  const text = endText(end);
  if (text !== undefined) process.stderr.write(`${text}\n`);
  return end;
}
