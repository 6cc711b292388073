/** `toolgate acp`: the agent for an editor, on stdin and stdout. An editor that is gone has cancelled. */
import { once } from "node:events";
import { resolve } from "node:path";
import { createAcpAgent, stdioStream } from "../acp/index.js";
import { openSandbox } from "../tools/index.js";
import { openServers } from "./open-servers.js";
import { openAgent, openLedger } from "./open-agent.js";
import { openWorkspace } from "./open-workspace.js";
import { packageVersion } from "./package-version.js";
import type { AgentFlags } from "./program.js";
import { troubleText } from "./trouble.js";

export async function serveEditor(flags: AgentFlags): Promise<void> {
  const servers = await openServers(flags, resolve(flags.cwd ?? process.cwd()), { mayAsk: false });
  const opened = await openAgent(flags, servers ? [servers] : []);
  const { agent } = opened;
  const ledger = await openLedger(flags);
  // Before an editor is served: a sandbox that is not there must be known at the start.
  if (flags.sandbox) await openSandbox();
  const { app, close } = createAcpAgent({
    agent,
    ledger,
    openWorkspace: (cwd) => openWorkspace(flags.cwd ?? cwd, flags, opened),
    version: packageVersion(),
  });
  const stream = stdioStream(process.stdin, process.stdout, (error) => {
    process.stderr.write(`toolgate: ${troubleText(error)}\n`);
    process.exitCode = 1;
  });
  const connection = app.connect(stream);
  // However it ends, what still runs is told to stop, and what really happened is recorded.
  await Promise.race([
    connection.closed,
    ...["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)),
  ]);
  await close();
  await servers?.close();
  await ledger.close();
  process.exit();
}
