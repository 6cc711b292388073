/**
 * Puts another agent's own program into the sandbox: it has the workspace, the folders of its own settings, and the
 * hosts that rules allow. Nothing else of the machine, whatever it does without asking.
 */
import { join } from "node:path";
import type { SandboxRefusal } from "../../call/index.js";
import type { PathGuard } from "../../policy/index.js";
import { agentPlaces } from "./agent-places.js";
import { openHostProxy } from "./host-proxy.js";
import { bridgedWords, PROXY_VARIABLES } from "./network-bridge.js";
import { NoSandbox } from "./no-sandbox.js";
import { findBubblewrap, openSandbox } from "./sandbox.js";
import { openSandboxFolder } from "./sandbox-folder.js";

export type EnterAgentOptions = {
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly own: readonly string[];
  readonly guards: readonly PathGuard[];
  /** Whether a rule allows this address. */
  readonly allows: (url: string) => boolean;
  readonly onRefused: (host: string) => void;
};

export type EnteredAgent = {
  readonly argv: readonly [string, ...string[]];
  /** To be called when the agent has ended. Returns what was held back. */
  leave(): Promise<readonly SandboxRefusal[]>;
};

/** Throws NoSandbox where none holds. */
export async function enterAgent(
  argv: readonly string[],
  { allows, onRefused, ...place }: EnterAgentOptions,
): Promise<EnteredAgent> {
  const sandbox = await openSandbox({ network: true });
  const program = findBubblewrap();
  if (program === undefined) throw new NoSandbox();
  const { home, run } = openSandboxFolder();
  const path = join(run, `proxy-${++proxies}`);
  const { folders, env } = agentPlaces(argv, home, process.env);
  const proxy = await openHostProxy({ path, allows, onRefused });
  try {
    const entered = await sandbox.enter(argv, { ...place, folders, env: { ...env, ...PROXY_VARIABLES } });
    return {
      argv: bridgedWords(entered.argv, { program, path }),
      async leave() {
        await proxy.close();
        return entered.leave({});
      },
    };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}

let proxies = 0;
