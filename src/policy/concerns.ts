/** Reasons to ask although a rule allows the words of the command. */
import { visibleText } from "../call/index.js";
import { covers, coversAccess, coversPath, isInForce, namesPart } from "./allow-rules.js";
import { baseName } from "./shell/base-name.js";
import { hostReach } from "./hosts/host-reach.js";
import { readUrl } from "./hosts/match-host.js";
import type { Intent, PathAccess } from "./intent.js";
import { isFolderChange } from "./part.js";
import type { CommandPart, Part, PathPart } from "./part.js";
import { matchPath } from "./paths/match-path.js";
import { isForbidden, isProtected } from "./paths/protected-paths.js";
import { expandHome, isFree, isInside, namesOf } from "./places.js";
import type { Roots } from "./places.js";
import type { RuleEffect, RuleParts } from "./rule.js";
import { NAMES_FILES } from "./file-accesses.js";

type Guarded = Roots & {
  readonly own?: readonly string[];
  readonly now?: number;
  readonly default?: RuleEffect;
};

export type Looked = {
  readonly intent: Intent;
  readonly policy: Guarded;
  readonly parts: readonly Part[];
  readonly doubts: readonly string[];
  readonly rules: readonly RuleParts[];
  /** For each part, the rules for its file accesses, where it does nothing else and each is covered. */
  readonly byAccess: readonly (readonly RuleParts[] | undefined)[];
};

export function concerns(looked: Looked): readonly string[] {
  const { parts, doubts, policy } = looked;
  return [
    ...doubts,
    ...parts.flatMap((part, index) => [
      ...pathsIn(part)
        .filter((access) => !isNamedExactly(access, looked))
        .flatMap((access) => guarded(access, policy, isProtected)),
      ...(part.type === "command" ? wordConcerns(part) : []),
      ...(part.type === "command" && looked.byAccess[index] === undefined ? placeConcerns(part, looked) : []),
    ]),
  ];
}

/** For each place that the command itself does not open, the rules that name it; the record shows them beside the command's. */
export function openingRules(looked: Looked): readonly (readonly RuleParts[])[] {
  return looked.parts.flatMap((part) => [
    ...pathsIn(part)
      .filter((access) => guarded(access, looked.policy, isProtected).length > 0)
      .map((access) => looked.rules.filter((rule) => namesExactly(rule, access, looked))),
    ...(part.type === "command" ? needsOpening(part, looked.policy) : []).map((access) =>
      looked.rules.filter((rule) => opensPlace(rule, access, looked)),
    ),
  ]);
}

/** A rule for the command's words does not cover the target of its output, or places outside of the workspace. */
const needsOpening = (part: CommandPart, policy: Guarded): readonly PathAccess[] => [
  ...part.redirects,
  ...part.touches.filter(({ path }) => !isInside(path, policy)),
];

/** A rule on a path opens it for commands; one on edits opens the workspace for their output. */
function opensPlace(rule: RuleParts, access: PathAccess, { intent, policy }: Looked): boolean {
  if (!isInForce(rule, policy)) return false;
  if (coversAccess(rule, { ...access, isDeep: false }, intent, policy)) return true;
  return (
    rule.path !== undefined &&
    namesPart(rule, pathPart(access), intent) &&
    coversPath(rule, pathPart(access), policy)
  );
}

const runsNothing = ({ judgement: { runs, isKnown, doubts } }: CommandPart): boolean =>
  !runs && isKnown && doubts.length === 0;

function wordConcerns(part: CommandPart): readonly string[] {
  const misspelt = [...part.judgement.urls, ...part.judgement.sends].filter((text) =>
    readUrl(text)?.problems.some(({ kind }) => kind === "spelling"),
  );
  return [
    ...(part.globs.some(({ mayBeHidden }) => mayBeHidden) ? ["a pattern in it may name hidden files"] : []),
    ...misspelt.map((text) => `${visibleText(text)} is spelled so that it may mean another host`),
  ];
}

function placeConcerns(part: CommandPart, looked: Looked): readonly string[] {
  const { rules, policy } = looked;
  if (isFolderChange(part)) return [];
  const opening = (access: PathAccess) => rules.filter((rule) => opensPlace(rule, access, looked));
  // Where an agent writes unasked, only a rule with a path lets a program run code.
  const isOpen = (access: PathAccess): boolean =>
    (runsNothing(part) && isFree(access, policy)) ||
    opening(access).some(
      ({ path }) => runsNothing(part) || (path !== undefined && mayHoldCode(path, access)),
    );
  return [
    ...part.redirects
      .filter((access) => !isFree(access, policy) && opening(access).length === 0)
      .map(({ path }) => `it writes ${visibleText(path)} by a redirect`),
    ...part.touches
      .filter((access) => !isInside(access.path, policy) && !isOpen(access))
      .map(({ path }) => `${visibleText(path)} is outside of the workspace`),
    ...(part.cwd === undefined || !isInside(part.cwd, policy)
      ? [`it runs outside of the workspace, in ${part.cwd ?? "a folder that is not known"}`]
      : []),
  ];
}

/**
 * A pattern in the shared temporary folder opens files only for reading: nobody has agreed to run one of them as
 * code.
 */
const mayHoldCode = (pattern: string, { access }: PathAccess): boolean =>
  access !== "read" || !/^\/(?:private\/)?tmp\/.*\*/.test(pattern);

/** The reason why a path is forbidden, whatever the rules allow. */
export function forbiddenPaths(parts: readonly Part[], policy: Guarded): readonly string[] {
  return parts.flatMap((part) => [
    ...pathsIn(part).flatMap((access) => guarded(access, policy, isForbidden)),
    ...(part.type === "command" ? ownFilesMet(part, policy) : []),
  ]);
}

/** Our own files below a folder that a command changes, and those that a word names to a program that may change them. */
function ownFilesMet(part: CommandPart, { own = [] }: Guarded): readonly string[] {
  if (part.judgement.onlyReads) return [];
  const below = part.touches.filter(({ below: isBelow }) => isBelow).map(({ path }) => path);
  const met = own.filter(
    (place) =>
      below.some((folder) => matchPath(`${folder}/**`, place)) ||
      part.mayMean.some((path) => matchPath(`${place}/**`, path)),
  );
  return met.map((place) => `${visibleText(place)}: no command may change Toolgate's own files`);
}

/**
 * Why a command may read our own files without a word that names them. Asked also where everything is allowed: nobody
 * means these when they allow everything.
 */
export function ownFilesWithinReach({
  parts,
  policy,
  doubts,
  intent,
}: Pick<Looked, "parts" | "policy" | "doubts" | "intent">): readonly string[] {
  const { own = [], roots } = policy;
  // A word that is not known may be a path that other words of the command name or find; so may a word in code.
  const isUnknown = doubts.length > 0;
  const isOpen = isUnknown || parts.some((part) => part.type === "command" && !isPlain(part));
  const text = [intent.command ?? []].flat().join(" ");
  return parts.flatMap((part) => {
    if (part.type !== "command") return [];
    const mayBeMade = (place: string): boolean =>
      (isOpen && text.includes(lastNames(place))) ||
      (isUnknown &&
        NAMES_FILES.has(part.argv[0] ?? "") &&
        part.touches.some(({ path }) => holds(path, place)));
    const reaches = (place: string): boolean =>
      mayBeMade(place) ||
      (isUnknown && isAfterUnknown(text, place)) ||
      (part.cwd !== undefined && holds(place, part.cwd)) ||
      part.globs.some(
        ({ folder, mayBeHidden }) =>
          holds(place, folder) ||
          (holds(folder, place) && (mayBeHidden || !place.slice(folder.length).includes("/."))),
      ) ||
      (part.read.wrappers.some((name) => NAMES_FILES.has(name)) &&
        roots.some((root) => holds(root, place))) ||
      (!part.judgement.onlyReads &&
        (part.touches.some(({ path }) => holds(path, place)) || isNamedInCode(part, place)));
    const place = own.find(reaches);
    return place === undefined ? [] : [`it may read Toolgate's own files in ${visibleText(place)}`];
  });
}

/** Why a command may show the variables of other programs without a word that names them, Toolgate's own among them. */
export function environmentsWithinReach({
  parts,
  doubts,
  intent,
}: Pick<Looked, "parts" | "doubts" | "intent">) {
  const commands = parts.filter((part) => part.type === "command");
  const isOpen = doubts.length > 0 || commands.some((part) => !isPlain(part));
  const text = [intent.command ?? []].flat().join(" ");
  const isNamed = isOpen && /\/proc\b[^]*\benviron\b/.test(text);
  const isShown = commands.some((part) => baseName(part.argv[0] ?? "") === "ps" && !isPlain(part));
  return isNamed || isShown ? ["it may show the environment of programs, where their keys are"] : [];
}

/** Whether a longer word, such as code, has the name of a file in that folder in it: whole, or below the home folder. */
function isNamedInCode({ argv, read }: CommandPart, place: string): boolean {
  const name = `${lastNames(place)}/`;
  return [...argv.slice(1), read.fedText ?? ""].some((word) => word.includes(name));
}

/** Whether the last name of the place follows an unknown part: `${X:-.}/toolgate`, `"$Y"/toolgate`. */
function isAfterUnknown(text: string, place: string): boolean {
  const end = `/${place.slice(place.lastIndexOf("/") + 1)}`;
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) {
    const isWhole = !/^[\w.-]/.test(text.slice(at + end.length));
    if (isWhole && /(?:\$\w+|[}`)])["']*$/.test(text.slice(0, at))) return true;
  }
  return false;
}

const lastNames = (place: string): string => place.split("/").slice(-2).join("/");

const isPlain = ({ judgement }: CommandPart): boolean => !judgement.runs && judgement.doubts.length === 0;

const holds = (folder: string, path: string): boolean => matchPath(`${folder}/**`, path);

/** Files outside of the workspace are asked about also where everything is allowed by default; only a rule with a path opens them. */
export function outsideUncovered(
  parts: readonly Part[],
  covering: readonly (readonly RuleParts[] | undefined)[],
  policy: Guarded,
): readonly string[] {
  return parts.flatMap((part, index) =>
    part.type === "path" &&
    covering[index] === undefined &&
    !isInside(part.path, policy) &&
    !isFree(part, policy)
      ? [`${visibleText(part.path)} is outside of the workspace`]
      : [],
  );
}

/**
 * Why a URL is refused without a question. Only a rule that names the host opens an address on this machine or its
 * network, where servers trust every client: people say yes to an address too easily.
 */
export function hostTrouble(
  part: Part,
  rules: readonly RuleParts[],
  intent: Intent,
  policy: Guarded,
): readonly string[] {
  if (part.type !== "host") return [];
  const url = readUrl(part.url);
  if (!url || !/^https?$/.test(url.scheme)) return [`${visibleText(part.url)} is not a web address`];
  const reach = hostReach(url.host);
  const isNamed = rules.some(
    (rule) => rule.host !== undefined && isInForce(rule, policy) && covers(rule, part, intent, policy),
  );
  if (reach === "public" || isNamed) return [];
  return [`${visibleText(url.host)} leads to ${WHERE_TO[reach]}; only a rule that names the host allows it`];
}

const WHERE_TO = {
  loopback: "this machine",
  private: "the local network",
  "link-local": "the local network",
  metadata: "the cloud's own service, which gives out keys",
  reserved: "no public address",
} as const;

/** Only a rule that names the exact file allows an access to a protected file. */
const isNamedExactly = (access: PathAccess, looked: Looked): boolean =>
  looked.rules.some((rule) => namesExactly(rule, access, looked));

const namesExactly = (rule: RuleParts, access: PathAccess, { intent, policy }: Looked): boolean =>
  rule.path !== undefined &&
  rule.command === undefined &&
  isInForce(rule, policy) &&
  expandHome(rule.path, policy) === access.path &&
  namesPart(rule, pathPart(access), intent);

/** The reasons why the paths of a part are protected, whatever rules name them. */
export const protectedPaths = (part: Part, policy: Guarded): readonly string[] =>
  pathsIn(part).flatMap((access) => guarded(access, policy, isProtected));

function pathsIn(part: Part): readonly PathAccess[] {
  if (part.type === "path") return [part];
  if (part.type !== "command") return [];
  // A program that edits below a folder may also be given a file; one that deletes below it leaves the folder.
  return [...part.touches.filter(({ below, access }) => !below || access === "write"), ...part.redirects];
}

const pathPart = (access: PathAccess): PathPart => ({ type: "path", ...access });

/** The guard's sentence about a path, by either of its names. */
function guarded(access: PathAccess, policy: Guarded, guard: typeof isProtected): readonly string[] {
  const { home, roots, own = [] } = policy;
  return namesOf(access).flatMap((path) => {
    const sentence = guard(path, { home, roots, own, access: access.access });
    return sentence === undefined ? [] : [`${visibleText(path)}: ${sentence}`];
  });
}
