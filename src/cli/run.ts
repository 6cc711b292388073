/** `toolgate run`: one turn in a folder, as text for people or as JSON lines for programs. */
import { AgentSession } from "../agent/index.js";
import { askInTerminal, refuseAll } from "./ask-in-terminal.js";
import { LiveText } from "./live-text.js";
import { openAgent, openLedger } from "./open-agent.js";
import { openWorkspace } from "./open-workspace.js";
import type { RunFlags } from "./program.js";
import { endText, runTurn } from "./run-turn.js";

export async function runPrompt(prompt: string, flags: RunFlags): Promise<number> {
  const opened = await openAgent(flags);
  const { agent } = opened;
  const workspace = await openWorkspace(flags.cwd ?? process.cwd(), flags, opened);
  const ledger = await openLedger(flags);
  const session = await AgentSession.open({ agent, ledger, workspace });
  try {
    const end = flags.json ? await asJson(session, prompt) : await asText(session, prompt);
    return end.status === "stopped" && end.stopReason === "end_turn" ? 0 : 1;
  } finally {
    await session.close();
    await ledger.close();
  }
}

async function asJson(session: AgentSession, prompt: string) {
  session.onRecorded((events) => {
    for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
  });
  return runTurn(session, prompt, refuseAll);
}

async function asText(session: AgentSession, prompt: string) {
  const live = new LiveText(session, (text) => void process.stdout.write(text));
  const hasPerson = process.stdin.isTTY && process.stdout.isTTY;
  const end = await runTurn(session, prompt, hasPerson ? askInTerminal(live) : refuseAll);
  live.endLine();
  const text = endText(end);
  if (text !== undefined) process.stderr.write(`${text}\n`);
  return end;
}
