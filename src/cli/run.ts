/** `toolgate run`: one turn in a folder, as text for people or as JSON lines for programs. */
import { screenTerminal } from "./screen-terminal.js";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { ToolSource } from "../tools/index.js";
import { AgentSession } from "../agent/index.js";
import { STATUS_AT_END } from "../call/index.js";
import type { Ledger, SessionEvent } from "../call/index.js";
import type { SessionHandle, SessionOptions } from "../agent/index.js";
import type { Elicit } from "../run/index.js";
import { askInTerminal, lineDesk, refuseAll } from "./ask-in-terminal.js";
import { chooseModel } from "./choose-model.js";
import { withDefaultModel } from "./default-model.js";
import { dimmed } from "./colour.js";
import { elicitInTerminal } from "./elicit-in-terminal.js";
import { findResumed } from "./find-session.js";
import { resumeSession } from "./resume-session.js";
import { jsonText } from "./json-text.js";
import { openServers } from "./open-servers.js";
import { LEASE_WAIT } from "./lease-wait.js";
import type { LiveText } from "./live-text.js";
import { openAgent, openLedger } from "./open-agent.js";
import type { OpenedAgent } from "./open-agent.js";
import { CANCELLING, openScreen } from "./open-screen.js";
import { openWorkspace } from "./open-workspace.js";
import type { RunFlags } from "./commands/run.js";
import { endText, exitCode, runTurn } from "./run-turn.js";
import { keptFlags, withKeptFlags } from "./session-flags.js";
import { noteLine } from "./stderr.js";
import { usageText } from "./usage-text.js";

export async function runPrompt(prompt: string, flags: RunFlags): Promise<number> {
  const { agent, url } = flags;
  if (url !== undefined) return (await import("./run-url.js")).runUrl(prompt, { ...flags, url });
  if (agent !== undefined) return (await import("./run-agent.js")).runAgent(prompt, { ...flags, agent });
  const mayAsk = process.stdin.isTTY && process.stdout.isTTY && !flags.json;
  const folder = resolve(flags.cwd ?? process.cwd());
  const started = await openServers(flags, folder, { mayAsk });
  try {
    return await runWith(prompt, await chooseModel(flags, folder), started ? [started.servers] : []);
  } finally {
    await started?.close();
  }
}

async function runWith(prompt: string, given: RunFlags, toolSources: readonly ToolSource[]): Promise<number> {
  const ledger = await openLedger(given);
  const hasPerson = process.stdin.isTTY && process.stdout.isTTY && !given.json;
  const shown: Shown = {};
  try {
    const { session, opened, settled } = await openOwn(ledger, given, {
      toolSources,
      ...(hasPerson && { elicit: elicitByLines(shown) }),
    });
    try {
      const end = given.json
        ? await asJson(session, prompt, settled)
        : await asText(session, prompt, opened, { settled, shown });
      return exitCode(end);
    } finally {
      await session.close();
    }
  } finally {
    await ledger.close();
  }
}

/** The screen of the turn, once it is open. */
type Shown = { live?: LiveText };

function elicitByLines(shown: Shown): Elicit {
  return elicitInTerminal({
    line: async (prompt, { signal }) => {
      const desk = lineDesk(signal);
      try {
        return await desk.line(`${prompt} `);
      } finally {
        desk.close();
      }
    },
    width: () => screenTerminal.columns,
    cancelHint: "Ctrl-C cancels the turn",
    write: (text) => void process.stdout.write(text),
    pause: () => shown.live?.pause(),
    resume: () => shown.live?.resume(),
    onAsk: () => undefined,
  });
}

export type OpenedOwn = {
  readonly session: AgentSession;
  readonly opened: OpenedAgent;
  /** The flags in force: the given ones, and those that the session was started with. */
  readonly flags: RunFlags;
  /** Events that were recorded while it was opened. */
  readonly settled: readonly SessionEvent[];
};

/** Opens a session of our own agent: a new one, or the one that `--resume` names. */
export async function openOwn(
  ledger: Ledger,
  given: RunFlags,
  options: Pick<SessionOptions, "elicit"> & { readonly toolSources: readonly ToolSource[] },
): Promise<OpenedOwn> {
  const folder = await realpath(given.cwd ?? process.cwd());
  const sessionId = given.resume === undefined ? undefined : await findResumed(ledger, given.resume, folder);
  const kept = sessionId === undefined ? given : await withKeptFlags(ledger, sessionId, given);
  const flags = withDefaultModel(kept, folder);
  const opened = await openAgent(flags, options.toolSources);
  const workspace = await openWorkspace(folder, flags, opened);
  const { session, settled } = await resumeSession(ledger, sessionId, () =>
    AgentSession.open({
      agent: opened.agent,
      ledger,
      workspace,
      ...LEASE_WAIT,
      info: keptFlags(flags),
      ...(sessionId !== undefined && { sessionId }),
      ...(options.elicit && { elicit: options.elicit }),
    }),
  );
  return { session, opened, flags, settled };
}

/** `settled`: the events recorded while the session was opened. */
export async function asJson(session: SessionHandle, prompt: string, settled: readonly SessionEvent[] = []) {
  process.stdout.write(`${jsonText({ type: "session", sessionId: session.sessionId })}\n`);
  for (const event of settled) process.stdout.write(`${jsonText(event)}\n`);
  session.onRecorded((events) => {
    for (const event of events) process.stdout.write(`${jsonText(event)}\n`);
  });
  return runTurn(session, prompt, { ask: refuseAll });
}

export async function asText(
  session: SessionHandle,
  prompt: string,
  { price }: OpenedAgent,
  { settled = [], shown = {} }: { readonly settled?: readonly SessionEvent[]; readonly shown?: Shown } = {},
) {
  const screen = openScreen(session);
  shown.live = screen.live;
  for (const event of settled)
    if ("toolCallId" in event && STATUS_AT_END.has(event.type)) screen.live.showCall(event.toolCallId);
  const end = await runTurn(session, prompt, {
    ask: screen.hasPerson ? askInTerminal(screen.live) : refuseAll,
    onInterrupt: () => screen.live.note(CANCELLING),
  }).finally(() => screen.live.close());
  const used = usageText(session.book, price);
  if (used !== undefined) process.stdout.write(`${screen.isColoured ? dimmed(used) : used}\n`);
  const text = endText(end);
  if (text !== undefined) noteLine(text);
  return end;
}
