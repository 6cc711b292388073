/**
 * Opens the folder that a command works in. With `--sandbox`, shell commands can change nothing outside of it. Where a
 * sandbox holds, commands that would be asked about because of what they run are contained in it instead.
 */
import { readUserConfig, settingsFolder } from "../settings/index.js";
import { LocalWorkspace, NoSandbox, openSandbox } from "../tools/index.js";
import type { Sandbox, Workspace } from "../tools/index.js";
import type { OpenedAgent } from "./open-agent.js";
import { packageVersion } from "./package-version.js";
import type { AgentFlags } from "./commands/agent-options.js";

export async function openWorkspace(
  folder: string,
  flags: Pick<AgentFlags, "sandbox" | "contain">,
  { rulesIn, own }: Pick<OpenedAgent, "rulesIn" | "own">,
  roots: readonly string[] = [],
): Promise<Workspace> {
  const plain = await LocalWorkspace.open(folder, { roots, own });
  // Read the rules also without a sandbox: this reports their mistakes before a turn starts.
  const rules = rulesIn(plain.root);
  const { containing } = await openContaining(flags);
  // Bubblewrap cannot filter by host: it allows all of the network or none.
  const network = rules.some((rule) => "allow" in rule && rule.host !== undefined);
  const sandbox = flags.sandbox === true ? await openSandbox({ network }) : undefined;
  if (!sandbox && !containing) return plain;
  return LocalWorkspace.open(folder, {
    roots,
    own,
    ...(sandbox && { sandbox }),
    ...(containing && { containing }),
  });
}

/** The sandbox for commands that nobody is asked about; or why there is none. */
export async function openContaining({
  contain = true,
}: Pick<AgentFlags, "contain">): Promise<{ readonly containing?: Sandbox; readonly why: string }> {
  if (!contain) return { why: "--no-contain" };
  if (readUserConfig(settingsFolder()).contained === false) return { why: "contained of config.json" };
  try {
    return { containing: await openSandbox({ version: packageVersion() }), why: "the sandbox holds here" };
  } catch (error) {
    if (error instanceof NoSandbox) return { why: error.message };
    throw error;
  }
}
