/**
 * What the rules say of an intent. Deny beats ask beats allow, whatever their order and however narrow
 * they are; what no rule speaks of gets the default, which asks. To be allowed, every part of the intent
 * must be covered by a rule that allows it, and nothing about it may be in doubt.
 */
import { visibleText } from "../call/index.js";
import type { Intent, PathAccess } from "./intent.js";
import { hostReach } from "./hosts/host-reach.js";
import { matchHost, readUrl, touchesHost } from "./hosts/match-host.js";
import { allowsCommand, hasWildcard, namesCommand } from "./match-command.js";
import { kindsOf, partsOf } from "./parts.js";
import type { CommandPart, Part, PathPart } from "./parts.js";
import { matchPath, touchesBelow, touchesPath } from "./paths/match-path.js";
import { isForbidden, isProtected } from "./paths/protected-paths.js";
import { matchName, ruleParts } from "./rule.js";
import type { Rule, RuleEffect, RuleParts } from "./rule.js";
import { isSameSource, whySourceDiffers } from "./tool-source.js";

export type Policy = {
  readonly rules: readonly Rule[];
  /** What happens to what no rule speaks of. */
  readonly default?: RuleEffect;
  /** The folders of the workspace, as real paths. */
  readonly roots: readonly string[];
  readonly home: string;
  /** Toolgate's own files, which no tool may touch unasked. */
  readonly own?: readonly string[];
  /** Milliseconds since 1970; without it no rule's time is up. */
  readonly now?: number;
};

/** `rule` is the name of the rule that decided; none when none spoke. `saw` is what was looked at, in words. */
export type Verdict = {
  readonly effect: RuleEffect;
  readonly rule?: string;
  /** That rule itself. */
  readonly matched?: Rule;
  readonly reason?: string;
  readonly saw: readonly string[];
};

export function decide(intent: Intent, policy: Policy): Verdict {
  const { parts, doubts } = partsOf(intent, policy);
  const rules = policy.rules.map(ruleParts);
  const saw = [...parts.map((part) => partText(part, intent)), ...doubts].map((text) => visibleText(text));
  if (holdsNul(intent.command)) return verdict("deny", undefined, "a NUL cannot be handed to a program", saw);
  const forbidden = parts.flatMap((part) =>
    pathsIn(part).flatMap((access) => guarded(access, policy, isForbidden)),
  );
  if (forbidden[0] !== undefined) return verdict("deny", undefined, forbidden[0], saw);
  const unreachable = parts.flatMap((part) => hostTrouble(part, rules, intent, policy));
  if (unreachable[0] !== undefined) return verdict("deny", undefined, unreachable[0], saw);
  for (const effect of ["deny", "ask"] as const) {
    const found = rules.find(
      (rule) => rule.effect === effect && parts.some((part) => speaksOf(rule, part, intent, policy)),
    );
    if (found) return verdict(found.effect, found, found.reason, saw);
  }
  const guess = mayBeMeant(rules, parts, policy);
  // Where what is not allowed is refused, a doubt is refused too: it must not open what nothing allows.
  const inDoubt = policy.default === "deny" ? "deny" : "ask";
  if (guess) return verdict(inDoubt, guess.rule, guess.how, saw);
  const covering = parts.map((part) =>
    rules.find((rule) => isInForce(rule, policy) && covers(rule, part, intent, policy)),
  );
  const isCovered = parts.every((part, index) => covering[index] !== undefined || isHarmless(part, policy));
  const effect = isCovered ? "allow" : (policy.default ?? "ask");
  if (effect !== "allow") {
    const flags = parts.flatMap((part, index) => (covering[index] === undefined ? flagDoubts(part) : []));
    const worries = [
      ...sourceDoubts(rules, intent, policy),
      ...outsideUncovered(parts, covering, policy),
      ...concerns(parts, doubts, rules, intent, policy),
      ...flags,
    ];
    const reason = worries[0] ?? (effect === "deny" ? "nothing allows it here" : undefined);
    return verdict(effect, undefined, reason, [...new Set([...saw, ...worries])]);
  }
  const worries = isCovered
    ? concerns(parts, doubts, rules, intent, policy)
    : [...dynamicUnderDeny(doubts, rules), ...outsideUncovered(parts, covering, policy)];
  const rule = covering.find((found) => found !== undefined);
  if (worries.length > 0) return verdict(inDoubt, undefined, worries[0], [...saw, ...worries]);
  const lifted = parts.flatMap((part, index) =>
    covering[index]?.anyFlags === true
      ? flagDoubts(part).map((doubt) => `anyFlags lets this pass: ${doubt}`)
      : [],
  );
  return verdict("allow", isCovered ? rule : undefined, rule?.reason, [...saw, ...lifted]);
}

/**
 * Why a URL is not asked for at all. What leads to this machine or its network, where servers trust whoever
 * reaches them, is opened only by a rule that names the host: a yes to an address is too easily said.
 */
function hostTrouble(
  part: Part,
  rules: readonly RuleParts[],
  intent: Intent,
  policy: Policy,
): readonly string[] {
  if (part.type !== "host") return [];
  const url = readUrl(part.url);
  if (!url || !/^https?$/.test(url.scheme)) return [`${visibleText(part.url)} is no address of the web`];
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

/** Why a grant for this tool of a server does not hold for it any more. */
function sourceDoubts(rules: readonly RuleParts[], intent: Intent, policy: Policy): readonly string[] {
  if (intent.server === undefined) return [];
  const naming = rules.filter(
    (rule) => isInForce(rule, policy) && namesTool(rule, { type: "tool" }, intent, policy),
  );
  const why = whySourceDiffers(naming, intent);
  return why === undefined ? [] : [why];
}

/** What the lists of harmless flags have against a command. */
function flagDoubts(part: Part): readonly string[] {
  return part.type === "command" ? part.judgement.doubts.map((doubt) => visibleText(doubt)) : [];
}

function holdsNul(command: Intent["command"]): boolean {
  return (typeof command === "string" ? [command] : (command ?? [])).some((word) => word.includes("\0"));
}

function verdict(
  effect: RuleEffect,
  rule: RuleParts | undefined,
  reason: string | undefined,
  saw: readonly string[],
): Verdict {
  return {
    effect,
    ...(rule && { rule: rule.name, matched: rule.source }),
    ...(reason !== undefined && { reason }),
    saw,
  };
}

/** An allowing rule whose time is up allows nothing; the strict ones have no end. A time that cannot be read is up. */
function isInForce({ effect, until }: RuleParts, { now }: Policy): boolean {
  if (effect !== "allow") return false;
  return until === undefined || now === undefined || now < Date.parse(until);
}

/** Whether an asking or denying rule speaks of the part. Wide: any spelling and either name of a path counts. */
function speaksOf(rule: RuleParts, part: Part, intent: Intent, policy: Policy): boolean {
  if (rule.path !== undefined) {
    return pathsIn(part).some(
      (access) =>
        meansOf(access).some((one) => namesTool(rule, pathPart(one), intent, policy)) &&
        touches(rule.path ?? "", access, policy),
    );
  }
  if (rule.host !== undefined) {
    return urlsIn(part).some(
      (url) => namesTool(rule, { type: "host", url }, intent, policy) && hostMatches(rule.host ?? "", url),
    );
  }
  if (!namesTool(rule, part, intent, policy)) return false;
  if (rule.command !== undefined) return part.type === "command" && namesCommand(rule.command, part.argv);
  return true;
}

/** Who moves a file takes it away from where it was, and can read it where it then is. */
function meansOf(access: PathAccess): readonly PathAccess[] {
  if (access.access !== "move") return [access];
  return [access, ...(["read", "write", "delete"] as const).map((one) => ({ ...access, access: one }))];
}

/** Whether an allowing rule covers the part. Narrow: all of it must be meant. */
function covers(rule: RuleParts, part: Part, intent: Intent, policy: Policy): boolean {
  if (!namesTool(rule, part, intent, policy) || !isSameSource(rule, intent)) return false;
  // What kind a foreign tool is, only its server says, or its name: a kind opens nothing for it, its name must be meant.
  if (
    (intent.server !== undefined || intent.isKindGuessed) &&
    rule.pattern !== "*" &&
    !matchName(rule.pattern, intent.tool)
  )
    return false;
  if (part.type === "command") return coversCommand(rule, part);
  if (rule.command !== undefined) return false;
  if (part.type === "path") return coversPath(rule, part, policy);
  if (rule.path !== undefined) return false;
  if (part.type === "tool") return rule.host === undefined;
  const url = readUrl(part.url);
  if (!url) return false;
  return rule.host === undefined ? url.problems.length === 0 : matchHost(rule.host, url);
}

function coversCommand(rule: RuleParts, { argv, judgement }: CommandPart): boolean {
  if (rule.path !== undefined || rule.host !== undefined) return false;
  const isExact = rule.command !== undefined && !hasWildcard(rule.command);
  if (rule.command !== undefined && !allowsCommand(rule.command, argv)) return false;
  return isExact || rule.anyFlags === true || judgement.doubts.length === 0;
}

/** A rule without a path speaks of the workspace; outside of it only a path will do. */
function coversPath(rule: RuleParts, { path, named }: PathPart, policy: Policy): boolean {
  if (rule.host !== undefined) return false;
  const both = namesOf({ path, ...(named !== undefined && { named }), access: "read" });
  if (rule.path === undefined) return both.every((one) => isInside(one, policy));
  const pattern = expandHome(rule.path, policy);
  return both.every((one) => matchPath(pattern, one));
}

function namesTool(rule: RuleParts, part: Part, intent: Intent, policy: Policy): boolean {
  if (rule.server !== undefined && (intent.server === undefined || !matchName(rule.server, intent.server)))
    return false;
  const { pattern } = rule;
  if (pattern === "*" || matchName(pattern, intent.tool)) return true;
  return kindsOf(part, intent, (path) => isInside(path, policy)).some((kind) => kind === pattern);
}

/** The first rule that forbids a path which a part may come upon, and how: not known, so it is asked. */
function mayBeMeant(rules: readonly RuleParts[], parts: readonly Part[], policy: Policy) {
  for (const rule of rules) {
    if (rule.effect === "allow" || rule.path === undefined) continue;
    const pattern = expandHome(rule.path, policy);
    for (const part of parts) {
      const how = howMeant(pattern, part);
      if (how !== undefined) return { rule, how };
    }
  }
  return undefined;
}

/** By a search, by a word, or in a folder that a program is given. */
function howMeant(pattern: string, part: Part): string | undefined {
  if (part.type === "path")
    return part.access === "search" && touchesBelow(pattern, part.path)
      ? "it may come upon what the rule speaks of"
      : undefined;
  if (part.type !== "command") return undefined;
  if (
    part.mayMean.some((path) => touchesPath(pattern, path)) ||
    part.globs.some(({ folder }) => touchesBelow(pattern, folder))
  )
    return "a word of the command may name what the rule speaks of";
  const [program = ""] = part.argv;
  // A program that is given a folder may read all that is in it; those that only list names do not.
  if (LISTS_NAMES.has(program)) return undefined;
  const given = part.touches.find(({ path }) => touchesBelow(pattern, path));
  return (
    given &&
    `${visibleText(program)} is given ${visibleText(given.path)}, and nothing can be known about what it opens there: it may come upon what the rule speaks of`
  );
}

const LISTS_NAMES: ReadonlySet<string> = new Set(["cd", "df", "du", "ls", "pwd", "stat", "tree"]);

/** What a command may not do unasked, though its words are allowed. */
function concerns(
  parts: readonly Part[],
  doubts: readonly string[],
  rules: readonly RuleParts[],
  intent: Intent,
  policy: Policy,
): readonly string[] {
  const found = [...doubts];
  const allowed = (access: PathAccess): boolean =>
    rules.some(
      (rule) =>
        rule.path !== undefined &&
        isInForce(rule, policy) &&
        namesTool(rule, pathPart(access), intent, policy) &&
        coversPath(rule, pathPart(access), policy),
    );
  for (const part of parts) {
    for (const access of pathsIn(part)) {
      if (!isNamedExactly(access, rules, policy)) found.push(...guarded(access, policy, isProtected));
    }
    if (part.type !== "command") continue;
    if (part.globs.some(({ mayBeHidden }) => mayBeHidden))
      found.push("a pattern in it may name hidden files");
    for (const text of part.judgement.urls) {
      if (readUrl(text)?.problems.some(({ kind }) => kind === "spelling"))
        found.push(`${visibleText(text)} is spelled so that it may mean another host`);
    }
    for (const access of part.redirects)
      if (!allowed(access)) found.push(`it writes ${visibleText(access.path)} by a redirect`);
    for (const access of part.touches) {
      if (!isInside(access.path, policy) && !allowed(access))
        found.push(`${visibleText(access.path)} is outside of the workspace`);
    }
    if (part.cwd === undefined || !isInside(part.cwd, policy))
      found.push(`it runs outside of the workspace, in ${part.cwd ?? "a folder that is not known"}`);
  }
  return found;
}

/** Where everything is allowed by default, only a command that cannot be read may hide what a rule forbids. */
function dynamicUnderDeny(doubts: readonly string[], rules: readonly RuleParts[]): readonly string[] {
  const strict = rules.find(({ effect }) => effect !== "allow");
  const [doubt] = doubts;
  if (!strict || doubt === undefined) return [];
  return [`${doubt}, and may hide what a rule speaks of: ${visibleText(strict.name)}`];
}

/** Files outside of the workspace are asked about also where everything is allowed by default; only a rule with a path opens them. */
function outsideUncovered(
  parts: readonly Part[],
  covering: readonly (RuleParts | undefined)[],
  policy: Policy,
): readonly string[] {
  return parts.flatMap((part, index) =>
    part.type === "path" && covering[index] === undefined && !isInside(part.path, policy)
      ? [`${visibleText(part.path)} is outside of the workspace`]
      : [],
  );
}

/** A protected file is let through only by a rule that names that very file. */
function isNamedExactly({ path }: PathAccess, rules: readonly RuleParts[], policy: Policy): boolean {
  return rules.some(
    (rule) => rule.path !== undefined && isInForce(rule, policy) && expandHome(rule.path, policy) === path,
  );
}

/** Going to a folder of the workspace does nothing by itself. */
function isHarmless(part: Part, policy: Policy): boolean {
  if (part.type !== "command" || part.argv[0] !== "cd" || part.redirects.length > 0) return false;
  return (
    part.argv.length === 2 && part.mayMean.length > 0 && part.mayMean.every((path) => isInside(path, policy))
  );
}

function pathsIn(part: Part): readonly PathAccess[] {
  if (part.type === "path") return [part];
  return part.type === "command" ? [...part.touches, ...part.redirects] : [];
}

function urlsIn(part: Part): readonly string[] {
  if (part.type === "host") return [part.url];
  return part.type === "command" ? part.judgement.urls : [];
}

const pathPart = (access: PathAccess): PathPart => ({ type: "path", ...access });

/** For asking and denying, a link and its target both count, in any spelling; a folder takes along what is in it. */
function touches(pattern: string, access: PathAccess, policy: Policy): boolean {
  const expanded = expandHome(pattern, policy);
  const takesAlong = access.access === "delete" || access.access === "move";
  return namesOf(access).some(
    (one) => touchesPath(expanded, one) || (takesAlong && touchesBelow(expanded, one)),
  );
}

const namesOf = ({ path, named }: PathAccess): readonly string[] =>
  named === undefined ? [path] : [path, named];

type Guard = typeof isProtected;

/** What the guard says of a path, by either of its names. */
function guarded(access: PathAccess, { home, roots, own = [] }: Policy, guard: Guard): readonly string[] {
  return namesOf(access).flatMap((path) => {
    const sentence = guard(path, { home, roots, own, access: access.access });
    return sentence === undefined ? [] : [`${visibleText(path)}: ${sentence}`];
  });
}

function hostMatches(pattern: string, text: string): boolean {
  const url = readUrl(text);
  return url === undefined || touchesHost(pattern, url);
}

function isInside(path: string, { roots }: Policy): boolean {
  return roots.some((root) => matchPath(`${root}/**`, path));
}

function expandHome(pattern: string, { home }: Policy): string {
  return pattern === "~" || pattern.startsWith("~/") ? home + pattern.slice(1) : pattern;
}

function partText(part: Part, { tool, server }: Intent): string {
  switch (part.type) {
    case "command":
      return `command: ${part.argv.join(" ")}`;
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

/** A host in another script is shown as the wire has it: it may only look like one that is known. */
function hostText(url: string): string {
  const host = readUrl(url)?.host;
  return host === undefined || url.includes(host) ? url : `${url} (${host})`;
}
