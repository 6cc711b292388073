/** A part of an intent in one line, and whether it needs a rule at all. */
import type { Intent } from "./intent.js";
import { readUrl } from "./hosts/match-host.js";
import { isWayInside } from "./parts.js";
import type { CommandPart, Part } from "./parts.js";
import { isInside } from "./places.js";
import type { Roots } from "./places.js";

export function partText(part: Part, { tool, server }: Intent): string {
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
    ...(judgement.installs.length > 0 ? ["installs"] : []),
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

/** A part that needs no rule. */
export function isHarmless(part: Part, roots: Roots): boolean {
  return part.type === "command" && isWayInside(part, (path) => isInside(path, roots));
}
