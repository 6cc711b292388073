/**
 * An agent author's whole program: an agent of ours, or a loop of their own, served to editors on stdin and stdout.
 *
 * The program ends when the editor disconnects: every call is closed, every process ended, every session released.
 */
import { checkOptions, FLAG, FUNCTION, LEDGER, OBJECT, required, TEXT } from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { LoopSession } from "../../agent/index.js";
import type { Agent, Loop } from "../../agent/index.js";
import type { Ledger } from "../../call/index.js";
import { FlushTimer } from "../../record/index.js";
import { LocalWorkspace } from "../../tools/index.js";
import type { Workspace } from "../../tools/index.js";
import { stdioWire } from "../connection/stdio-wire.js";
import type { Wire } from "../connection/wire.js";
import { agentHost } from "./agent-host.js";
import { elicitFromClient } from "./elicit-from-client.js";
import { editorWorkspace } from "./editor-workspace.js";
import type { AcpHost } from "./acp-host.js";
import { serveWire } from "./serve-wire.js";

export type ServeAcpOptions = {
  /** Where sessions are recorded. */
  readonly ledger: Ledger;
  readonly version?: string;
  /** How to open the folder that the client names; by default as it is on this machine. */
  readonly openWorkspace?: (cwd: string, also: readonly string[]) => Promise<Workspace>;
  /** Instead of stdin and stdout. */
  readonly wire?: Wire;
  /** Uses the v2 draft with clients that ask for it. */
  readonly v2?: boolean;
};

const LEASE_WAIT_MS = 8_000;

const SERVE_OPTIONS: OptionChecks<ServeAcpOptions> = {
  ledger: required(LEDGER),
  version: TEXT,
  openWorkspace: FUNCTION,
  wire: OBJECT,
  v2: FLAG,
};

export async function serveAcp(served: Agent | Loop, options: ServeAcpOptions): Promise<void> {
  checkOptions("serveAcp", options, SERVE_OPTIONS);
  const { wire = stdioWire(process.stdin, process.stdout), version = "0.0.0", v2 = false } = options;
  const host = isLoop(served) ? loopHost(served, options) : agentHost({ agent: served, ...filled(options) });
  const { name } = served;
  const serving = serveWire(wire, {
    name,
    version,
    v2,
    base: process.cwd(),
    openHost: async () => host,
    onTrouble: tellTrouble,
  });
  const leave = () => void wire.close();
  for (const signal of SIGNALS) process.once(signal, leave);
  try {
    await serving;
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
  }
}

/** On any of these, running calls are cancelled, and their real ends are recorded. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const isLoop = (served: Agent | Loop): served is Loop => "prompt" in served;

/** Standard output is the wire, so messages go to stderr. */
function tellTrouble(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}

function filled({ ledger, openWorkspace = openFolder }: ServeAcpOptions) {
  return { ledger, openWorkspace };
}

const openFolder = (cwd: string, also: readonly string[]): Promise<Workspace> =>
  LocalWorkspace.open(cwd, { roots: also });

function loopHost(loop: Loop, options: ServeAcpOptions): AcpHost {
  const { ledger, openWorkspace } = filled(options);
  const flushTimer = new FlushTimer();
  return {
    ledger,
    openSession: async ({ sessionId, cwd, additionalDirectories, client, onLeaseWait }) => {
      const local = await openWorkspace(cwd, additionalDirectories);
      const session = await LoopSession.open({
        loop,
        ledger,
        sessionId,
        workspace: editorWorkspace(local, client, sessionId),
        elicit: elicitFromClient(client, sessionId),
        leaseWaitMs: LEASE_WAIT_MS,
        onLeaseWait,
        flushTimer,
      });
      return {
        session,
        choices: [],
        commands: [],
        aside: async () => "",
        close: () => session.close(),
      };
    },
  };
}
