/**
 * Rules that allow, against one part of an intent. Narrow on purpose: all of the part must be meant.
 */
import { isToolKind } from "../call/index.js";
import { UNBOUND } from "./intent.js";
import type { Intent, PathAccess } from "./intent.js";
import { readUrl, matchHost } from "./hosts/match-host.js";
import { allowsCommand, fixedWords, hasWildcard } from "./match-command.js";
import { inputText } from "./command-text.js";
import { isOfClass } from "./grants/is-of-class.js";
import { kindsOf } from "./part.js";
import type { CommandPart, Part, PathPart } from "./part.js";
import type { FileAccess } from "./file-accesses.js";
import { matchesBelow, matchPath } from "./paths/match-path.js";
import { expandHome, isOurs, isReadable, isTemporary, namesOf } from "./places.js";
import { SECRET_NAMES } from "./programs/path-effects.js";
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
  if (!namesPart(rule, part, intent) || !isSameSource(rule, intent)) return false;
  if (!mayMeanForeign(rule, intent)) return false;
  if (part.type === "command") return coversCommand(rule, part, intent, roots);
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

export function namesPart(rule: RuleParts, part: Part, intent: Intent): boolean {
  if (rule.server !== undefined && (intent.server === undefined || !matchName(rule.server, intent.server)))
    return false;
  const { pattern } = rule;
  if (pattern === "*" || matchName(pattern, intent.tool)) return true;
  return kindsOf(part, intent).some((kind) => kind === pattern);
}

function coversCommand(
  rule: RuleParts,
  part: CommandPart,
  { contents = {} }: Intent,
  { roots }: Roots,
): boolean {
  const { argv, judgement } = part;
  if (rule.width !== undefined)
    return isOfClass(rule, part, roots) && isAsGranted(rule.contents ?? {}, part, contents);
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
  { runsFiles, isChangedBefore }: CommandPart,
  contents: NonNullable<Intent["contents"]>,
): boolean {
  return (
    !isChangedBefore &&
    runsFiles.every((path) => granted[path] === contents[path] && contents[path] !== UNBOUND)
  );
}

/**
 * Whether a rule covers one access of a command that only acts on files. A rule on a kind or on everything does; one
 * on commands or on another tool says nothing about files.
 */
export function coversAccess(rule: RuleParts, access: FileAccess, intent: Intent, roots: Roots): boolean {
  if (!isFileRule(rule)) return false;
  const part: PathPart = { type: "path", ...asOurs(access, roots) };
  if (!covers(rule, part, intent, roots)) return false;
  return !access.isDeep || rule.path === undefined || matchesBelow(expandHome(rule.path, roots), access.path);
}

export const isFileRule = ({ pattern, command }: RuleParts): boolean =>
  FILE_KINDS.has(pattern) && command === undefined;

const FILE_KINDS: ReadonlySet<string> = new Set(["*", "read", "search", "edit", "delete", "move"]);

/** Nobody loses anything when a session removes a temporary file that it made itself: that is an edit. */
function asOurs(access: PathAccess, roots: Roots): PathAccess {
  const isRemoval = access.access === "delete" || access.access === "move";
  return isRemoval && isTemporary(access.path, roots) ? { ...access, access: "write" } : access;
}

/** A kind of files in the shared temporary folder (`/tmp/*.json`) is not meant to open hidden ones, or those with keys. */
const isHiddenTemporary = (pattern: string, path: string): boolean =>
  /^\/(?:private\/)?tmp\/\*\.\w+$/.test(pattern) &&
  (/\/\.[^/]*$/.test(path) || SECRET_NAMES.test(path) || /token|passw|cookie|session|auth/i.test(path));

/** A rule without a path covers the workspace, and reading in open places; elsewhere only a path will do. */
export function coversPath(rule: RuleParts, { path, named, access }: PathPart, roots: Roots): boolean {
  if (rule.host !== undefined) return false;
  const both = namesOf({ path, ...(named !== undefined && { named }), access: "read" });
  const isReading = access === "read" || access === "search";
  if (rule.path === undefined)
    return both.every((one) => (isReading ? isReadable(one, roots) : isOurs(one, roots)));
  const pattern = expandHome(rule.path, roots);
  return both.every((one) => matchPath(pattern, one) && !isHiddenTemporary(pattern, one));
}
