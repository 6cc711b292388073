/**
 * Opens the folder that a command works in. With `--sandbox`, shell commands can change nothing outside of it. Where a
 * sandbox holds, commands that would be asked about because of what they run are contained in it instead.
 */
import { readUserConfig, settingsFolder } from "../settings/index.js";
import { findBubblewrap } from "../tools/sandbox/sandbox.js";
import { LocalWorkspace, NoSandbox, openSandbox } from "../tools/index.js";
import type { Sandbox, Workspace } from "../tools/index.js";
import type { OpenedAgent } from "./open-agent.js";
import { flaggedKeeper } from "./kept-commands.js";
import { packageVersion } from "./package-version.js";
import type { AgentFlags } from "./commands/agent-options.js";

export async function openWorkspace(
  folder: string,
  flags: Pick<AgentFlags, "sandbox" | "contain" | "undoCommands">,
  { rulesIn, own }: Pick<OpenedAgent, "rulesIn" | "own">,
  roots: readonly string[] = [],
): Promise<Workspace> {
  const keeper = flaggedKeeper(flags);
  const options = { roots, own, ...(keeper && { keeper }) };
  const plain = await LocalWorkspace.open(folder, options);
  // Read the rules also without a sandbox: this reports their mistakes before a turn starts.
  const rules = rulesIn(plain.root);
  const containing = await openContaining(flags);
  // Bubblewrap cannot filter by host: it allows all of the network or none.
  const network = rules.some((rule) => "allow" in rule && rule.host !== undefined);
  const sandbox = flags.sandbox === true ? await openSandbox({ network }) : undefined;
  if (!sandbox && !containing) return plain;
  return LocalWorkspace.open(folder, {
    ...options,
    ...(sandbox && { sandbox }),
    ...(containing && { containing }),
  });
}

/** Undefined where it is switched off, or where no sandbox holds: then commands are asked about. */
async function openContaining(flags: Pick<AgentFlags, "contain">): Promise<Sandbox | undefined> {
  if (flags.contain === false || notContained() !== undefined) return undefined;
  try {
    return await openSandbox({ version: packageVersion() });
  } catch (error) {
    if (error instanceof NoSandbox) return undefined;
    throw error;
  }
}

/** Why commands are not contained. `isOff`: somebody switched it off. */
export type NotContained = { readonly why: string; readonly isOff: boolean };

export const SWITCHED_OFF: NotContained = { why: "switched off", isOff: true };

/** Why commands are not contained, as far as it can be known without a test of the sandbox. */
export function notContained(folder = settingsFolder()): NotContained | undefined {
  if (readUserConfig(folder).contained === false) return SWITCHED_OFF;
  return findBubblewrap() === undefined ? { why: "bubblewrap is not installed", isOff: false } : undefined;
}
