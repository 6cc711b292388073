/** The folder that the commands work in; with `--sandbox` its commands run where they can change nothing else. */
import { LocalWorkspace, openSandbox } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";
import type { OpenedAgent } from "./open-agent.js";
import type { AgentFlags } from "./commands/agent-options.js";

export async function openWorkspace(
  folder: string,
  { sandbox = false }: AgentFlags,
  { rulesIn, own }: Pick<OpenedAgent, "rulesIn" | "own">,
  roots: readonly string[] = [],
): Promise<Workspace> {
  const workspace = await LocalWorkspace.open(folder, { roots, own });
  // Also without a sandbox: a mistake in the rules is told when they are read, and must be known before a turn begins.
  const rules = rulesIn(workspace.root);
  if (!sandbox) return workspace;
  // Bubblewrap knows no hosts: the network is there or it is not.
  const network = rules.some((rule) => "allow" in rule && rule.host !== undefined);
  return LocalWorkspace.open(folder, { roots, own, sandbox: await openSandbox({ network }) });
}
