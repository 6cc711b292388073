/** Opens the folder that a command works in; with `--sandbox`, shell commands can change nothing outside of it. */
import { LocalWorkspace, openSandbox } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";
import type { OpenedAgent } from "./open-agent.js";
import { flaggedKeeper } from "./open-keeper.js";
import type { AgentFlags } from "./commands/agent-options.js";

export async function openWorkspace(
  folder: string,
  flags: Pick<AgentFlags, "sandbox" | "undoCommands">,
  { rulesIn, own }: Pick<OpenedAgent, "rulesIn" | "own">,
  roots: readonly string[] = [],
): Promise<Workspace> {
  const keeper = flaggedKeeper(flags);
  const options = { roots, own, ...(keeper && { keeper }) };
  const workspace = await LocalWorkspace.open(folder, options);
  // Read the rules also without a sandbox: this reports their mistakes before a turn starts.
  const rules = rulesIn(workspace.root);
  if (flags.sandbox !== true) return workspace;
  // Bubblewrap cannot filter by host: it allows all of the network or none.
  const network = rules.some((rule) => "allow" in rule && rule.host !== undefined);
  return LocalWorkspace.open(folder, { ...options, sandbox: await openSandbox({ network }) });
}
