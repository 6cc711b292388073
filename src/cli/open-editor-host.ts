/** The host behind `toolgate acp`: the agent of the command line, with the modes, models and commands an editor offers. */
import { resolve } from "node:path";
import { agentHost } from "../acp/agent/agent-host.js";
import { authRequired } from "../acp/connection/message.js";
import type { AcpHost, ModelChoice, ServersOfSession } from "../acp/index.js";
import type { Ledger } from "../call/index.js";
import { costOf, ModelError } from "../model/index.js";
import type { ModelPrice } from "../model/index.js";
import { LocalWorkspace, openSandbox } from "../tools/index.js";
import { editorCommands } from "./editor-commands.js";
import { OFFERED_MODES } from "./offered-modes.js";
import { openAgent, openFlaggedModel, openLedger } from "./open-agent.js";
import type { OpenedAgent } from "./open-agent.js";
import { openLog } from "./open-log.js";
import { openServers, startAndReport } from "./open-servers.js";
import { openWorkspace } from "./open-workspace.js";
import type { AcpFlags } from "./commands/acp.js";
import { readRedaction } from "./redaction.js";
import { readServers } from "./read-servers.js";
import { keptFlags } from "./session-flags.js";

export async function openEditorHost(flags: AcpFlags): Promise<AcpHost> {
  // The ledger comes first: settings with a mistake must stop the start before anything runs.
  const ledger = await openLedger(flags);
  const close: (() => Promise<void>)[] = [() => ledger.close()];
  try {
    return await openWith(flags, ledger, close);
  } catch (error) {
    for (const end of close) await end();
    throw error;
  }
}

/** Checks everything that can be checked without an editor. Starts and stores nothing. */
export async function checkEditorFlags(flags: AcpFlags): Promise<void> {
  readRedaction();
  await openLog(flags);
  await readServers(flags);
  await openFlaggedModel(flags);
  if (flags.cwd !== undefined) await LocalWorkspace.open(flags.cwd);
  if (flags.sandbox) await openSandbox();
}

/** Adds to `close` the function that closes each opened thing, in reverse order. */
async function openWith(flags: AcpFlags, ledger: Ledger, close: (() => Promise<void>)[]): Promise<AcpHost> {
  const started = await openServers(flags, resolve(flags.cwd ?? process.cwd()), { mayAsk: false });
  if (started) close.unshift(() => started.close());
  const opened = await openWithKey(flags, started ? [started.servers] : []);
  // A missing sandbox must be reported at the start, before an editor is served.
  if (flags.sandbox) await openSandbox();
  return agentHost({
    agent: opened.agent,
    ledger,
    openWorkspace: (cwd, also) => openWorkspace(flags.cwd ?? cwd, flags, opened, also),
    isSandboxed: flags.sandbox ?? false,
    openServers: (named, cwd) => openNamedServers(named, cwd, flags),
    modes: { options: OFFERED_MODES, usual: opened.modeIn },
    models: modelChoices(flags, opened),
    commands: (session, root) => editorCommands(session, root, flags),
    info: keptFlags(flags, "editor"),
    ...priced(opened.price),
    close: async () => {
      for (const end of close) await end();
    },
  });
}

/** Without a key no session can be opened; editors show the user an authentication error. */
async function openWithKey(...given: Parameters<typeof openAgent>): Promise<OpenedAgent> {
  try {
    return await openAgent(...given);
  } catch (error) {
    if (error instanceof ModelError && error.code.startsWith("KEY")) throw authRequired(error.message);
    throw error;
  }
}

/** Servers named by the editor need no approval: the user set them up there. */
async function openNamedServers(
  named: readonly unknown[],
  cwd: string,
  flags: AcpFlags,
): Promise<ServersOfSession> {
  const { mcpConfigFromAcp } = await import("../mcp/index.js");
  const configs = mcpConfigFromAcp(named, { cwd });
  const { servers, close } = await startAndReport(configs, { approve: async () => true, cwd }, flags);
  return { tools: () => servers.tools(), get: (name) => servers.get(name), close };
}

function modelChoices(flags: AcpFlags, { agent, price }: OpenedAgent): readonly ModelChoice[] {
  const own = { name: flags.model ?? "scripted", open: async () => ({ ...agent, ...priced(price) }) };
  const others = (flags.models ?? []).map((name): ModelChoice => ({
    name,
    open: async () => {
      const {
        price: itsPrice,
        model,
        contextWindow = agent.contextWindow,
      } = await openFlaggedModel({ ...flags, model: name });
      return { model, contextWindow, ...priced(itsPrice) };
    },
  }));
  return [own, ...others];
}

const priced = (price: ModelPrice | undefined) => ({
  costOf: (usage: Parameters<typeof costOf>[0]) => costOf(usage, price),
});
