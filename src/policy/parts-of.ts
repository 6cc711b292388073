/**
 * Splits an intent into the parts that rules can name: commands with their effects, paths, hosts, or the tool alone. Each
 * part has a sentence, for the person who is asked and for the record.
 */
import { visibleText } from "../call/index.js";
import { commandParts } from "./command-parts.js";
import type { CommandParts } from "./command-parts.js";
import { readUrl } from "./hosts/match-host.js";
import type { Intent } from "./intent.js";
import type { CommandPart, HostPart, Part, PathPart } from "./part.js";
import type { UserPrograms } from "./programs/known-programs.js";
import { namedActs } from "./programs/named-acts.js";

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

export function sawIn(intent: Intent, parts: readonly Part[], doubts: readonly string[]): readonly string[] {
  return [...parts.map((part) => partText(part, intent)), ...doubts].map((text) => visibleText(text));
}

function partText(part: Part, { tool, server }: Intent): string {
  switch (part.type) {
    case "command":
      return `command: ${part.argv.join(" ")}${effectsText(part)}`;
    case "path":
      return `${part.access}: ${part.path}${part.named === undefined ? "" : ` (written as ${part.named})`}`;
    case "host":
      return `host: ${hostText(part.url)}`;
    case "tool":
      return `tool: ${tool}${server === undefined ? "" : ` of ${server}`}`;
    default:
      return part satisfies never;
  }
}

/** Effects that the words do not show. */
function effectsText({ judgement, touches }: CommandPart): string {
  const below = touches.filter((touch) => touch.below);
  const folders = (access: string) =>
    below.filter((touch) => touch.access === access).map(({ path }) => path);
  const effects = [
    ...folders("write").map((path) => `edits below ${path}`),
    ...folders("delete").map((path) => `deletes below ${path}`),
    ...namedActs(judgement).map(({ does }) => does.replace(" something", "")),
    ...(judgement.sends.length > 0 ? ["sends data"] : []),
    ...(judgement.runs ? ["runs code"] : []),
  ];
  return effects.length === 0 ? "" : ` (${[...new Set(effects)].join(", ")})`;
}

/** A host in another script is shown as the wire has it: it may only look like one that is known. */
function hostText(url: string): string {
  const host = readUrl(url)?.host;
  return host === undefined || url.includes(host) ? url : `${url} (${host})`;
}
