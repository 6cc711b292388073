/**
 * Rules that allow, against one part of an intent. Narrow on purpose: all of the part must be meant.
 */
import { isToolKind } from "../call/index.js";
import { UNBOUND } from "./intent.js";
import type { Intent } from "./intent.js";
import { readUrl, matchHost } from "./hosts/match-host.js";
import { allowsCommand, fixedWords, hasWildcard } from "./match-command.js";
import { inputText } from "./command-text.js";
import { kindsOf } from "./parts.js";
import type { CommandPart, Part, PathPart } from "./parts.js";
import { matchPath } from "./paths/match-path.js";
import { expandHome, isInside, namesOf } from "./places.js";
import { namedActs } from "./programs/named-acts.js";
import type { Roots } from "./places.js";
import { matchName } from "./rule.js";
import type { RuleParts } from "./rule.js";
import { isSameSource } from "./tool-source.js";

export type Clock = { readonly now?: number };

/**
 * An allowing rule that has expired allows nothing; the strict ones never expire. An unreadable time counts as
 * expired.
 */
export function isInForce({ effect, until }: RuleParts, { now }: Clock): boolean {
  if (effect !== "allow") return false;
  return until === undefined || now === undefined || now < Date.parse(until);
}

export function covers(rule: RuleParts, part: Part, intent: Intent, roots: Roots): boolean {
  if (!namesPart(rule, part, intent, roots) || !isSameSource(rule, intent)) return false;
  if (!mayMeanForeign(rule, intent)) return false;
  if (part.type === "command") return coversCommand(rule, part, intent);
  if (rule.command !== undefined) return false;
  if (part.type === "path") return coversPath(rule, part, roots);
  if (rule.path !== undefined) return false;
  if (part.type === "tool") return rule.host === undefined;
  const url = readUrl(part.url);
  if (!url) return false;
  return rule.host === undefined ? url.problems.length === 0 : matchHost(rule.host, url);
}

/**
 * The kind of a foreign tool comes only from its server or its name, so a rule on a kind opens nothing for it; and a
 * tool may be named like a kind or like a built-in tool. Only its name and its server together open a server's tool.
 */
function mayMeanForeign({ pattern, server }: RuleParts, intent: Intent): boolean {
  if (pattern === "*") return true;
  if (intent.server !== undefined) return server !== undefined && matchName(pattern, intent.tool);
  return !intent.isKindGuessed || (!isToolKind(pattern) && matchName(pattern, intent.tool));
}

export function namesPart(rule: RuleParts, part: Part, intent: Intent, roots: Roots): boolean {
  if (rule.server !== undefined && (intent.server === undefined || !matchName(rule.server, intent.server)))
    return false;
  const { pattern } = rule;
  if (pattern === "*" || matchName(pattern, intent.tool)) return true;
  return kindsOf(part, intent, (path) => isInside(path, roots)).some((kind) => kind === pattern);
}

function coversCommand(rule: RuleParts, part: CommandPart, { contents = {} }: Intent): boolean {
  const { argv, judgement } = part;
  if (rule.path !== undefined || rule.host !== undefined) return false;
  if (rule.folder !== undefined && rule.folder !== part.cwd) return false;
  if (rule.input !== undefined && rule.input !== inputText(part.read)) return false;
  const isGrant = rule.folder !== undefined || rule.contents !== undefined;
  if (isGrant && !isAsGranted(rule.contents ?? {}, part, contents)) return false;
  // Granted in quotes, a pattern is the name of one file.
  if (isGrant && !part.read.patterns.every((word) => rule.patterns?.includes(word))) return false;
  if (rule.command !== undefined && !allowsCommand(rule.command, argv)) return false;
  if (rule.anyFlags === true || isExact(rule.command)) return true;
  // To install, publish, deploy or show secrets: a rule must name that, and not only the program.
  const words = rule.command === undefined ? [] : fixedWords(rule.command).slice(1);
  const isClear = judgement.doubts.length === 0 || isVouchedFor(rule, part);
  return isClear && namedActs(judgement).every(({ word }) => words.includes(word));
}

/** A person who names a program that nobody described vouches for it, not for code and hosts that it is given. */
function isVouchedFor({ command }: RuleParts, { argv, judgement, read }: CommandPart): boolean {
  const [program] = command === undefined ? [] : fixedWords(command);
  if (judgement.isPlain !== true || program === undefined || read.fedText !== undefined) return false;
  return allowsCommand([program], argv.slice(0, 1));
}

const isExact = (command: RuleParts["command"]): boolean => command !== undefined && !hasWildcard(command);

/**
 * A grant is for files as they were. A rule with a folder is a grant, and binds every workspace file that the command
 * runs.
 */
function isAsGranted(
  granted: NonNullable<RuleParts["contents"]>,
  { runsFiles }: CommandPart,
  contents: NonNullable<Intent["contents"]>,
): boolean {
  return runsFiles.every((path) => granted[path] === contents[path] && contents[path] !== UNBOUND);
}

/** A rule without a path covers the workspace; outside of it only a path will do. */
export function coversPath(rule: RuleParts, { path, named }: PathPart, roots: Roots): boolean {
  if (rule.host !== undefined) return false;
  const both = namesOf({ path, ...(named !== undefined && { named }), access: "read" });
  if (rule.path === undefined) return both.every((one) => isInside(one, roots));
  const pattern = expandHome(rule.path, roots);
  return both.every((one) => matchPath(pattern, one));
}
