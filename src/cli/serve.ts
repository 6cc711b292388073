/** `toolgate serve`: the agent for apps, over HTTP, until it is told to stop. */
import { once } from "node:events";
import { constants } from "node:os";
import { resolve } from "node:path";
import { createAapServer, serveAap } from "../aap/index.js";
import { openServers } from "./open-servers.js";
import { openAgent, openLedger } from "./open-agent.js";
import { openWorkspace } from "./open-workspace.js";
import type { ServeFlags } from "./program.js";

export async function serveApps(flags: ServeFlags): Promise<void> {
  const apiKey = process.env["TOOLGATE_API_KEY"];
  if (
    apiKey === undefined &&
    flags.host !== "127.0.0.1" &&
    flags.host !== "localhost" &&
    flags.host !== "::1"
  ) {
    throw Object.assign(
      new Error(
        `Others could reach ${flags.host}, so a key is needed. Nothing was started. Set TOOLGATE_API_KEY and start again.`,
      ),
      { code: "KEY_NEEDED" },
    );
  }
  const servers = await openServers(flags, resolve(flags.cwd ?? process.cwd()), { mayAsk: false });
  const opened = await openAgent(flags, servers ? [servers] : []);
  const { agent } = opened;
  const workspace = await openWorkspace(flags.cwd ?? process.cwd(), flags, opened);
  const ledger = await openLedger(flags);
  const server = createAapServer({
    agents: [agent],
    ledger,
    workspace,
    ...(apiKey !== undefined && { apiKey }),
  });
  const { url, close } = await serveAap({ server, port: flags.port, host: flags.host });
  process.stdout.write(
    `Serving AAP at ${url} for ${workspace.root}${apiKey === undefined ? ", to this machine only" : ""}. Stop with Ctrl-C.\n`,
  );
  const [, signal] = await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await close();
  await servers?.close();
  await ledger.close();
  // As shells count: 143 when it was told to end. Ctrl-C is the way to stop it.
  if (signal === constants.signals.SIGTERM) process.exitCode = 128 + signal;
}
