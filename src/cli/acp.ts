/** `toolgate acp`: the agent for an editor, on stdin and stdout. An editor that closes stdin has cancelled. */
import { createAcpAgent, stdioStream } from "../acp/index.js";
import { LocalWorkspace } from "../tools/index.js";
import { openAgent, openLedger } from "./open-agent.js";
import { packageVersion } from "./package-version.js";
import type { AgentFlags } from "./program.js";

export async function serveEditor(flags: AgentFlags): Promise<void> {
  const agent = await openAgent(flags);
  const ledger = await openLedger(flags);
  const openWorkspace = (cwd: string) => LocalWorkspace.open(flags.cwd ?? cwd);
  const { app, close } = createAcpAgent({ agent, ledger, openWorkspace, version: packageVersion() });
  const connection = app.connect(stdioStream(process.stdin, process.stdout));
  await connection.closed;
  await close();
  await ledger.close();
}
