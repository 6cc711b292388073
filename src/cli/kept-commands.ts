/** Keeps the workspace before commands, as the command line and the user's `config.json` say. */
import { join } from "node:path";
import { readUserConfig, settingsFolder } from "../settings/index.js";
import { openKeeper } from "../tools/index.js";
import type { WorkspaceKeeper } from "../tools/index.js";
import type { AgentFlags } from "./commands/agent-options.js";
import { stateFolder } from "../tools/state-folder.js";

export const keptFolder = (): string => join(stateFolder(), "kept");

/** The commands that can be undone. */
export const keptCommands = (
  flags: Pick<AgentFlags, "undoCommands">,
): NonNullable<AgentFlags["undoCommands"]> =>
  flags.undoCommands ?? readUserConfig(settingsFolder()).undoCommands ?? "writing";

/** Undefined when no command is to be undone. */
export function flaggedKeeper(flags: Pick<AgentFlags, "undoCommands">): WorkspaceKeeper | undefined {
  const commands = keptCommands(flags);
  if (commands === "never") return undefined;
  const { files, megabytes, seconds } = readUserConfig(settingsFolder()).undoLimits ?? {};
  return openKeeper({
    folder: keptFolder(),
    commands,
    limits: {
      ...(files !== undefined && { maxFiles: files }),
      ...(megabytes !== undefined && { maxBytes: megabytes * 2 ** 20 }),
      ...(seconds !== undefined && { maxMs: seconds * 1000 }),
    },
  });
}
