/**
 * `toolgate demo`: a scripted agent works on a real project in a new folder. Its calls are real: the test runs, the file
 * is edited, and the edit needs approval.
 */
import { join } from "node:path";
import { AgentSession } from "../agent/index.js";
import { pluralize } from "../call/index.js";
import { openLedger } from "../history/index.js";
import type { Ask } from "../run/index.js";
import { LocalWorkspace } from "../tools/index.js";
import { askInTerminal, refuseAll } from "./ask-in-terminal.js";
import type { Screen } from "./ask-in-terminal.js";
import { CANCELLING, openScreen } from "./open-screen.js";
import { endText, exitCode, runTurn } from "./run-turn.js";
import { DEMO_PROMPT, demoAgent, PAUSE_MS } from "./demo-agent.js";
import { writeSampleProject } from "./sample-project.js";

const write = (text: string): void => void process.stdout.write(text);

export type DemoFlags = { readonly yes?: boolean; readonly pause?: number };

export async function runDemo({ yes = false, pause }: DemoFlags): Promise<number> {
  const folder = await writeSampleProject();
  const workspace = await LocalWorkspace.open(folder);
  const ledger = await openLedger(join(folder, ".toolgate-demo.sqlite"));
  const hasPerson = process.stdin.isTTY && process.stdout.isTTY;
  const agent = demoAgent({ pauseMs: pause ?? (hasPerson ? PAUSE_MS : 0) });
  write(`A scripted agent, real tools: a failing test in ${workspace.root}\n\n`);
  const session = await AgentSession.open({ agent, ledger, workspace });
  try {
    const { live } = openScreen(session);
    const end = await runTurn(session, DEMO_PROMPT, {
      ask: asker(yes, hasPerson, live),
      onInterrupt: () => live.note(CANCELLING),
    }).finally(() => live.close());
    write(`${endText(end) ?? closing(session, workspace.root)}\n`);
    return exitCode(end);
  } finally {
    await session.close();
    await ledger.close();
  }
}

function asker(yes: boolean, hasPerson: boolean, screen: Screen): Ask {
  if (yes)
    return () =>
      Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "--yes" });
  return hasPerson ? askInTerminal(screen) : refuseAll;
}

function closing(session: AgentSession, root: string): string {
  const calls = [...session.book.calls()];
  const asked = calls.filter(({ times }) => times.asked !== undefined).length;
  return `${pluralize(calls.length, "tool call")}, ${asked} needed approval. The project is in ${root}, with the record of this session in .toolgate-demo.sqlite.`;
}
