/**
 * Rules that ask or deny, against one part of an intent.
 *
 * A rule binds what a part does, whatever program does it: `deny delete` refuses `rm`. Wide on purpose: any spelling
 * and either name of a path counts. When it is unknown whether the rule is met, it may be met, and that asks. A rule
 * without a path or host meets at least what the same rule with one meets.
 */
import { visibleText } from "../call/index.js";
import type { ToolKind } from "../call/index.js";
import { forcesGitSettings } from "./forced-git-settings.js";
import type { Intent } from "./intent.js";
import { readUrl, touchesHost } from "./hosts/match-host.js";
import { mayNameCommand, namesCommand } from "./match-command.js";
import { isGit, kindsOf, KINDS_OF_ACCESS, onlyReads, readAccess } from "./part.js";
import type { CommandPart, Part, Touch } from "./part.js";
import { touchesBelow, touchesPath } from "./paths/match-path.js";
import { expandHome, mayTouch, touches } from "./places.js";
import type { Roots } from "./places.js";
import { unclearDoubts } from "./programs/path-effects.js";
import { matchName } from "./rule.js";
import type { RuleParts } from "./rule.js";

/** `true`: the rule is met. A sentence: the rule may be met, and why that is unknown. */
export type Met = true | string | undefined;

export function meets(rule: RuleParts, part: Part, intent: Intent, roots: Roots): Met {
  // First, since most rules name a command, and most commands are another.
  if (rule.command !== undefined && (part.type !== "command" || !namesCommand(rule.command, part.argv)))
    return part.type === "command" && mayNameCommand(rule.command, part.argv, part.read.unknown ?? [])
      ? "a word of the command is not known, and may be the one that this rule names"
      : undefined;
  if (rule.server !== undefined && (intent.server === undefined || !matchName(rule.server, intent.server)))
    return undefined;
  const isTool = rule.pattern === "*" || matchName(rule.pattern, intent.tool);
  if (part.type === "command")
    return meetsCommand({ rule, part, isNamed: isTool || isExecute(rule, intent) }, intent, roots);
  const kinds = part.type === "path" ? [intent.kind, ...KINDS_OF_ACCESS[part.access]] : kindsOf(part, intent);
  const isNamed = isTool || kinds.includes(kindOf(rule));
  if (part.type === "path") return isNamed ? meetsPath(rule, part, roots) : undefined;
  if (rule.path !== undefined || !isNamed) return undefined;
  if (part.type === "tool") return rule.host === undefined ? true : undefined;
  return rule.host === undefined || hostMatches(rule.host, part.url) ? true : undefined;
}

// A pattern is a kind or a tool's name; compared with kinds, a tool's name is none of them.
const kindOf = ({ pattern }: RuleParts): ToolKind => pattern as ToolKind;

const isExecute = ({ pattern }: RuleParts, { kind }: Intent): boolean =>
  pattern === "execute" || pattern === kind;

function meetsPath(rule: RuleParts, access: Touch, roots: Roots): Met {
  if (rule.host !== undefined) return undefined;
  if (rule.path === undefined || touches(rule.path, access, roots)) return true;
  const isSearch = access.access === "search" && touchesBelow(expandHome(rule.path, roots), access.path);
  return isSearch ? "it may find what the rule names" : undefined;
}

type CommandRule = {
  readonly rule: RuleParts;
  readonly part: CommandPart;
  /** The rule names all commands, or the tool; not only an effect. */
  readonly isNamed: boolean;
};

function meetsCommand({ rule, part, isNamed }: CommandRule, intent: Intent, roots: Roots): Met {
  if (rule.path === undefined && rule.host === undefined) {
    if (isNamed || kindsDone(part, intent).includes(kindOf(rule))) return true;
    return EFFECTS.has(rule.pattern) ? notKnown(part) : undefined;
  }
  if (!isNamed && !EFFECTS.has(rule.pattern)) return undefined;
  const isOfKind = (kinds: readonly ToolKind[]): boolean => isNamed || kinds.includes(kindOf(rule));
  const met = [
    ...(rule.path === undefined ? [] : [meetsTouches(rule.path, part, isOfKind, roots)]),
    ...(rule.host === undefined ? [] : [isOfKind(["fetch"]) ? meetsHost(rule.host, part) : undefined]),
  ];
  if (met.includes(undefined)) return undefined;
  return met.find((one) => typeof one === "string") ?? true;
}

function meetsTouches(
  path: string,
  part: CommandPart,
  isOfKind: (kinds: readonly ToolKind[]) => boolean,
  roots: Roots,
): Met {
  const meant = [...part.touches, ...part.redirects].filter((touch) => isOfKind(kindsOfTouch(part, touch)));
  if (meant.some((access) => touches(path, access, roots))) return true;
  const folder = meant.find((access) => mayTouch(path, access, roots));
  if (folder)
    return `${visibleText(part.argv[0] ?? "")} may touch anything below ${visibleText(folder.path)}, also what the rule names`;
  return mayMeanPath(expandHome(path, roots), part, isOfKind);
}

/** `grep` searches the files that it reads. */
const kindsOfTouch = (part: CommandPart, { access }: Touch): readonly ToolKind[] =>
  KINDS_OF_ACCESS[access === "read" ? readAccess(part) : access];

/** Kinds that name an effect, and not a tool or the running of commands. */
export const EFFECTS: ReadonlySet<string> = new Set(["read", "search", "edit", "delete", "move", "fetch"]);

/** The kinds of all that the part is known to do. */
function kindsDone(part: CommandPart, intent: Intent): readonly ToolKind[] {
  const { urls, sends, installs } = part.judgement;
  return [
    ...kindsOf(part, intent),
    // A command such as `date` reads, too, though no file.
    ...(onlyReads(part) && (!isGit(part) || forcesGitSettings(intent.executor)) ? (["read"] as const) : []),
    ...[...part.touches, ...part.redirects].flatMap((touch) => kindsOfTouch(part, touch)),
    ...part.elsewhere.flatMap((access) => KINDS_OF_ACCESS[access]),
    ...(urls.length + sends.length + installs.length > 0 ? (["fetch"] as const) : []),
  ];
}

/** Whether all effects of the words are described, so that the command has no other effects. */
const isDescribed = ({ judgement }: CommandPart): boolean =>
  judgement.isKnown && unclearDoubts(judgement).length === 0 && !judgement.takesList;

function notKnown(part: CommandPart): string | undefined {
  if (isDescribed(part) || part.argv.length === 0) return undefined;
  return `not all effects of ${visibleText(part.argv[0] ?? "")} are known here: ${visibleText(part.judgement.doubts[0] ?? "it takes names from a list")}`;
}

/** Whether a word, a pattern or a folder argument may mean the path. */
function mayMeanPath(
  pattern: string,
  part: CommandPart,
  isOfKind: (kinds: readonly ToolKind[]) => boolean,
): string | undefined {
  const does = part.touches.filter((touch) => isOfKind(kindsOfTouch(part, touch)));
  // All that a described program does is among its effects: none of that kind means that none is met.
  if (isDescribed(part) && does.length === 0) return undefined;
  if (
    part.mayMean.some((path) => touchesPath(pattern, path)) ||
    part.globs.some(({ folder }) => touchesBelow(pattern, folder))
  )
    return "the command may touch a path that this rule covers";
  const [program = ""] = part.argv;
  // A program that is given a folder may open all that is in it; those that only list names do not.
  if (LISTS_NAMES.has(program)) return undefined;
  const given = does.find(({ path }) => touchesBelow(pattern, path));
  return (
    given &&
    `${visibleText(program)} gets ${visibleText(given.path)} and may open anything there, also what the rule names`
  );
}

const LISTS_NAMES: ReadonlySet<string> = new Set(["cd", "df", "du", "ls", "pwd", "stat", "tree"]);

function meetsHost(host: string, part: CommandPart): Met {
  const { urls, sends, installs } = part.judgement;
  const asked = [...urls, ...sends];
  if (asked.some((url) => url !== "" && hostMatches(host, url))) return true;
  if (asked.includes("") || installs.length > 0) return "the hosts that it contacts are not known";
  if (isDescribed(part)) return undefined;
  return part.argv.slice(1).some((word) => mayBeHost(host, word))
    ? "the command may contact the host that this rule names"
    : undefined;
}

/** Words of a program that nobody described: an address, or a name with a dot in it. */
function mayBeHost(host: string, word: string): boolean {
  const words = word.split(/[=,@\s]/).filter((one) => /:\/\/|\w\.\w|^\[?[\da-f:]+\]?$/i.test(one));
  return words.some((one) => hostMatches(host, /:\/\//.test(one) ? one : `http://${one}`));
}

function hostMatches(pattern: string, text: string): boolean {
  const url = readUrl(text);
  return url === undefined || touchesHost(pattern, url);
}
