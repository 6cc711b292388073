/** `toolgate serve`: serves agents to apps over HTTP until a signal: our own, and the ACP agents of `--agent`. */
import { hkdfSync } from "node:crypto";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { serveAap } from "../aap/index.js";
import { commandWords } from "../acp/index.js";
import type { ToolSource } from "../tools/index.js";
import { openDoorOptions } from "./door-flags.js";
import { signalExitCode, firstSignal, noteStopping } from "./signals.js";
import { externalAcpAgent } from "./external-acp-agent.js";
import { onBreach } from "./on-breach.js";
import { openAgent, openLedger } from "./open-agent.js";
import { openServers } from "./open-servers.js";
import { openWorkspace } from "./open-workspace.js";
import { packageVersion } from "./package-version.js";
import type { ServeFlags } from "./commands/serve.js";
import { readRedaction } from "./redaction.js";
import { note } from "./stderr.js";
import { errorText } from "./error-text.js";

export async function serveApps(flags: ServeFlags): Promise<void> {
  // Listen for signals from the start: a signal during the start stops the server after it.
  const stopped = firstSignal();
  const { door, noteToken } = openDoorOptions(flags);
  const started = await openServers(flags, resolve(flags.cwd ?? process.cwd()), { mayAsk: false });
  try {
    await serveWith(flags, started ? [started.servers] : [], { door, noteToken, stopped });
  } finally {
    await started?.close();
  }
}

async function serveWith(
  flags: ServeFlags,
  toolSources: readonly ToolSource[],
  {
    door,
    noteToken,
    stopped,
  }: ReturnType<typeof openDoorOptions> & { readonly stopped: Promise<NodeJS.Signals> },
): Promise<void> {
  const opened = await openAgent(flags, toolSources);
  const workspace = await openWorkspace(flags.cwd ?? process.cwd(), flags, opened);
  const { patterns } = readRedaction();
  const place = flags.place ?? `${hostname()}:${workspace.root}`;
  const ledger = await openLedger(flags, { place });
  const others = Object.entries(flags.agent ?? {}).map(([name, command]) =>
    externalAcpAgent({
      name,
      argv: commandWords(command),
      cwd: workspace.root,
      rules: opened.agent,
      onBreach: onBreach(flags),
    }),
  );
  try {
    const { url, close } = await serveAap([opened.agent, ...others], {
      ...door,
      version: packageVersion(),
      redactPatterns: patterns,
      secretKey: secretKey(door.token),
      port: flags.port,
      host: flags.host,
      ledger,
      workspace,
      ...(flags.questionLifetime !== undefined && { questionLifetimeMs: flags.questionLifetime * 1_000 }),
      onError: (error) => note(errorText(error)),
    });
    noteToken();
    process.stdout.write(`Serving AAP at ${url} for ${workspace.root}. Stop with Ctrl-C.\n`);
    const signal = await stopped;
    noteStopping(signal);
    await close();
    // Ctrl-C is the normal way to stop the server; any other signal sets its exit code.
    if (signal !== "SIGINT") process.exitCode = signalExitCode(signal);
  } finally {
    for (const other of others) await other.close();
    await ledger.close();
  }
}

/** Derived from the token: secret options of apps stay readable as long as the token stays the same. */
const secretKey = (token: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", token, "", "toolgate: secret options of apps", 32));
