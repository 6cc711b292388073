/** Splits an intent into the parts that rules can name: commands with their effects, paths, hosts, or the tool alone. */
import { commandParts } from "./command-parts.js";
import type { CommandParts } from "./command-parts.js";
import type { Intent } from "./intent.js";
import type { HostPart, Part, PathPart } from "./part.js";
import type { UserPrograms } from "./programs/known-programs.js";

export type IntentParts = {
  readonly parts: readonly Part[];
  /** Why the command may do more or other than its parts say. */
  readonly doubts: readonly string[];
};

export type Places = {
  readonly roots: readonly string[];
  readonly home: string;
  /** Descriptions of programs that the user added. */
  readonly programs?: UserPrograms;
};

const NO_COMMANDS: CommandParts = { commands: [], doubts: [] };

export function partsOf(intent: Intent, places: Places): IntentParts {
  const { commands, doubts } = intent.command === undefined ? NO_COMMANDS : commandParts(intent, places);
  const paths = intent.paths.map((access): PathPart => ({ type: "path", ...access }));
  const hosts = intent.hosts.map((url): HostPart => ({ type: "host", url }));
  const parts = [...commands, ...paths, ...hosts];
  return { parts: parts.length > 0 ? parts : [{ type: "tool" }], doubts };
}
