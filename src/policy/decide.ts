/**
 * The rules' verdict on an intent. Deny beats ask beats allow, whatever their order and however narrow they
 * are; an intent that no rule names gets the default, which asks. To be allowed, every part of the intent must
 * be covered by a rule that allows it, and nothing about it may be in doubt.
 */
import { visibleText } from "../call/index.js";
import { covers, coversAccess, isFileRule, isInForce, namesPart } from "./allow-rules.js";
import {
  concerns,
  forbiddenPaths,
  hostTrouble,
  openingRules,
  outsideUncovered,
  ownFilesWithinReach,
} from "./concerns.js";
import { containment } from "./contained/containment.js";
import type { Containment } from "./contained/containment.js";
import { fileAccesses } from "./file-accesses.js";
import { forcesGitSettings } from "./git-settings.js";
import type { Intent } from "./intent.js";
import { hasWildcard } from "./match-command.js";
import { isGit, partsOf } from "./parts.js";
import type { CommandPart, Part } from "./parts.js";
import { isFree, isHarmless } from "./places.js";
import type { UserPrograms } from "./programs/known-programs.js";
import { namedActs } from "./programs/named-acts.js";
import { SYSTEM_WINDOW, unclearDoubts } from "./programs/path-effects.js";
import { matchName, RuleParts, ruleParts } from "./rule.js";
import type { Rule, RuleEffect } from "./rule.js";
import { EFFECTS, meets } from "./strict-rules.js";
import { whySourceDiffers } from "./tool-source.js";
import { readUrl } from "./hosts/match-host.js";

export type Policy = {
  readonly rules: readonly Rule[];
  /** The effect for an intent that no rule names. */
  readonly default?: RuleEffect;
  /** The folders of the workspace, as real paths. */
  readonly roots: readonly string[];
  readonly home: string;
  /** The session's own folder for temporary files, as a real path; reading and changing files there needs no rule. */
  readonly scratch?: string;
  /** Toolgate's own files, which no tool may read or change. */
  readonly own?: readonly string[];
  /** Milliseconds since 1970; without it no rule's time is up. */
  readonly now?: number;
  /** Descriptions of programs that the user added. */
  readonly programs?: UserPrograms;
  /** A sandbox was proved to hold: commands can run contained in it. */
  readonly canContain?: boolean;
};

/** `rule` names the rules that decided, each once; none when none did. `saw` lists what was examined, in sentences. */
export type Verdict = {
  readonly effect: RuleEffect;
  readonly rule?: string;
  /** The rule itself; where several let it through, the narrowest of them. */
  readonly matched?: Rule;
  /** All rules that decided. */
  readonly by?: readonly Rule[];
  readonly reason?: string;
  readonly saw: readonly string[];
  /**
   * The third way beside allow and ask: the command may run unasked, in a sandbox that guards this. The effect is "ask"
   * all the same, so that a caller that cannot contain a command asks.
   */
  readonly contained?: Containment;
};

export function decide(intent: Intent, given: Policy): Verdict {
  const { temporary } = intent;
  const policy = temporary === undefined ? given : { ...given, temporary };
  const inDoubt = policy.default === "deny" ? "deny" : "ask";
  const tooLarge = sizeTrouble(intent);
  if (tooLarge !== undefined) return verdict({ effect: inDoubt, reason: tooLarge, saw: [tooLarge] });
  const { parts, doubts } = partsOf(intent, policy);
  const rules = policy.rules.map(ruleParts);
  const found: Found = { intent, policy, parts, doubts, rules, inDoubt, saw: sawIn(intent, parts, doubts) };
  return withContainment(found, refused(found) ?? strictVerdict(found) ?? allowVerdict(found));
}

function withContainment(found: Found, decided: Verdict): Verdict {
  const { policy, intent } = found;
  const isAsking = decided.effect === "ask" && (policy.default ?? "ask") === "ask";
  if (!isAsking || policy.canContain !== true) return decided;
  const contained = containment(found, { unknownEffects: (part) => unknownEffects(part, intent) });
  return contained.ok ? { ...decided, contained: contained.containment } : decided;
}

type Found = {
  readonly intent: Intent;
  readonly policy: Policy;
  readonly parts: readonly Part[];
  readonly doubts: readonly string[];
  readonly rules: readonly RuleParts[];
  /** Where an intent that no rule names is refused, a doubt is refused too: it must not open anything. */
  readonly inDoubt: "ask" | "deny";
  readonly saw: readonly string[];
};

const MAX_CHARACTERS = 30_000;

/** Nobody reads a text of this length before saying yes, so it is not judged part by part either. */
function sizeTrouble({ command }: Intent): string | undefined {
  const words = typeof command === "string" ? [command] : (command ?? []);
  const length = words.reduce((sum, word) => sum + word.length, words.length);
  return length > MAX_CHARACTERS
    ? `the command is longer than ${MAX_CHARACTERS} characters, too long to be checked`
    : undefined;
}

function sawIn(intent: Intent, parts: readonly Part[], doubts: readonly string[]): readonly string[] {
  return [...parts.map((part) => partText(part, intent)), ...doubts].map((text) => visibleText(text));
}

/** No rule opens these. */
function refused({ intent, policy, parts, rules, saw }: Found): Verdict | undefined {
  const { command } = intent;
  const words = typeof command === "string" ? [command] : (command ?? []);
  const [reason] = [
    ...(words.some((word) => word.includes("\0")) ? ["a NUL cannot be passed to a program"] : []),
    ...forbiddenPaths(parts, policy),
    ...parts.flatMap((part) => hostTrouble(part, rules, intent, policy)),
  ];
  return reason === undefined ? undefined : verdict({ effect: "deny", reason, saw });
}

/** The first rule that denies or asks; then the first that may apply but is in doubt. */
function strictVerdict(found: Found): Verdict | undefined {
  const { intent, policy, parts, rules, saw, inDoubt } = found;
  const strict = rules.filter(({ effect }) => effect !== "allow");
  let asks: RuleParts | undefined;
  let maybe: { readonly rule: RuleParts; readonly reason: string } | undefined;
  for (const rule of strict) {
    if (rule.effect === "ask" && asks) continue;
    for (const part of parts) {
      const met = meets(rule, part, intent, policy);
      if (met === true && rule.effect === "deny") return byRule(rule, saw);
      if (met === true) asks ??= rule;
      else if (met !== undefined) maybe ??= { rule, reason: met };
    }
  }
  const doubtful = maybe && verdict({ effect: inDoubt, rules: [maybe.rule], reason: maybe.reason, saw });
  if (!asks || doubtful?.effect === "deny") return doubtful;
  return wouldBeRefused(found) ?? byRule(asks, saw);
}

/** Where the default refuses, a rule that asks opens no more than the same rule would if it allowed. */
function wouldBeRefused(found: Found): Verdict | undefined {
  if (found.policy.default !== "deny") return undefined;
  const rules = found.rules.map((rule) =>
    rule.effect === "ask" ? new RuleParts(rule.source, "allow", rule.pattern) : rule,
  );
  const opened = allowVerdict({ ...found, rules });
  return opened.effect === "deny" ? opened : undefined;
}

const byRule = (rule: RuleParts, saw: readonly string[]): Verdict =>
  verdict({ effect: rule.effect, rules: [rule], reason: rule.reason, saw });

function allowVerdict(found: Found): Verdict {
  const { intent, policy, parts, doubts, rules, saw, inDoubt } = found;
  const allowing = rules.filter((rule) => isInForce(rule, policy));
  const byAccess = accessRules(found, allowing.filter(isFileRule));
  const looked = { ...found, byAccess };
  const covering = parts.map((part, index) => {
    const whole = narrowest(allowing.filter((rule) => covers(rule, part, intent, policy)));
    return whole ? [whole] : byAccess[index];
  });
  const isCovered = parts.every((part, index) => covering[index] !== undefined || isHarmless(part, policy));
  const effect = isCovered ? "allow" : (policy.default ?? "ask");
  const outside = outsideUncovered(parts, covering, policy);
  if (effect !== "allow") {
    const flags = parts.flatMap((part, index) =>
      covering[index] === undefined ? [...flagDoubts(part), ...gitDoubts(part, intent)] : [],
    );
    const worries = [...sourceDoubts(found), ...outside, ...concerns(looked), ...flags];
    const reason = worries[0] ?? (effect === "deny" ? "no rule allows it here" : undefined);
    return verdict({ effect, reason, saw: [...saw, ...worries] });
  }
  const worries = [
    // A rule that allows must not be stricter than the default would be without it.
    ...(policy.default === "allow"
      ? [...dynamicUnderDeny(doubts, rules), ...outside, ...ownFilesWithinReach(parts, policy)]
      : concerns(looked)),
    ...unchecked(found, covering),
  ];
  if (worries.length > 0) return verdict({ effect: inDoubt, reason: worries[0], saw: [...saw, ...worries] });
  const lifted = parts.flatMap((part, index) =>
    covering[index]?.[0]?.anyFlags === true
      ? flagDoubts(part).map((doubt) => `anyFlags lets this pass: ${doubt}`)
      : [],
  );
  // Where everything is allowed by default, no rule had to open a place.
  const opened = policy.default === "allow" ? [] : openingRules(looked).map(narrowest);
  const by = [...covering.flat(), ...opened].filter((rule) => rule !== undefined);
  return verdict({ effect: "allow", rules: isCovered ? by : [], saw: [...saw, ...lifted] });
}

/** For each command that only acts on files, the rules that cover its accesses; undefined where one is not covered. */
export function accessRules(
  { parts, intent, policy }: Pick<Found, "parts" | "intent" | "policy">,
  rules: readonly RuleParts[],
): readonly (readonly RuleParts[] | undefined)[] {
  return parts.map((part) => {
    const accesses = part.type === "command" ? fileAccesses(part, intent) : undefined;
    if (accesses === undefined) return undefined;
    const covering = accesses
      .filter((access) => !isFree(access, policy))
      .map((access) => narrowest(rules.filter((rule) => coversAccess(rule, access, intent, policy))));
    const found = covering.filter((rule) => rule !== undefined);
    return found.length === covering.length ? found : undefined;
  });
}

/** The most specific of the rules that let a part through, so that the record names the true reason. */
function narrowest(rules: readonly RuleParts[]): RuleParts | undefined {
  if (rules.length < 2) return rules[0];
  return rules.toSorted((one, other) => narrowness(other) - narrowness(one))[0];
}

function narrowness({ command, path, host, folder, contents, pattern, anyFlags }: RuleParts): number {
  const exact = [
    command !== undefined && !hasWildcard(command),
    path !== undefined && !/[*?[{]/.test(path),
    host !== undefined && !host.includes("*"),
  ].filter(Boolean).length;
  const named = [command, path, host, folder, contents].filter((field) => field !== undefined).length;
  // A rule that lifts the lists of flags says less about the command than one that does not.
  return 4 * (named + exact) + (pattern === "*" ? 0 : 2) - (anyFlags === true ? 1 : 0);
}

/** Where everything is allowed by default, a command that cannot be read may hide what a rule forbids. */
function dynamicUnderDeny(doubts: readonly string[], rules: readonly RuleParts[]): readonly string[] {
  const strict = rules.find(({ effect }) => effect !== "allow");
  const [doubt] = doubts;
  if (!strict || doubt === undefined) return [];
  return [`${doubt}, and may hide what a rule names: ${visibleText(strict.name)}`];
}

/**
 * A command that runs code may do anything, also what a rule denies. A rule that allows that very command includes its
 * code; a rule for all commands, or a mode, does not.
 */
function unchecked(
  { parts, rules, intent }: Found,
  covering: readonly (readonly RuleParts[] | undefined)[],
): readonly string[] {
  const isAboutEffects = ({ pattern, path, host }: RuleParts): boolean =>
    EFFECTS.has(pattern) || ((path ?? host) !== undefined && namesCommands(pattern, intent));
  const strict = rules.filter(({ effect, server }) => effect !== "allow" && server === undefined);
  const ofEffects = strict.find((rule) => rule.command === undefined && isAboutEffects(rule));
  const ofCommands = strict.find((rule) => rule.command !== undefined && namesCommands(rule.pattern, intent));
  return parts.flatMap((part, index) => {
    if (part.type !== "command" || covering[index]?.[0]?.command !== undefined) return [];
    const doubt = flagDoubts(part).find((one) => unclearDoubts({ doubts: [one] }).length > 0);
    const unknown = unknownEffects(part, intent);
    if (ofEffects && unknown !== undefined)
      return [`${unknown}, and may do what a rule names: ${visibleText(ofEffects.name)}`];
    // A program with a doubtful flag, or one that nobody described, may start the very command that is denied.
    return ofCommands && doubt !== undefined && part.argv.length > 0
      ? [`${doubt}, and may hide what a rule names: ${visibleText(ofCommands.name)}`]
      : [];
  });
}

/** Why a command may do more than its known effects; undefined when it cannot. */
function unknownEffects(part: CommandPart, intent: Intent): string | undefined {
  const program = visibleText(part.argv[0] ?? "");
  if (part.judgement.runs) return `${program} runs code`;
  const { isKnown, takesList } = part.judgement;
  const [forGit] = gitDoubts(part, intent);
  if (part.argv.length === 0 || forGit !== undefined) return forGit;
  const unclear = unclearDoubts(part.judgement).find((doubt) => !doubt.endsWith(SYSTEM_WINDOW));
  if (unclear !== undefined) return visibleText(unclear);
  if (takesList) return `${program} takes names from a list`;
  if (isGit(part) && !part.judgement.onlyReads && !part.argv.some((word) => WITHOUT_HOOKS.has(word)))
    return "git may run the repository's hooks";
  return isKnown ? undefined : `nobody described ${program}`;
}

/** Subcommands of git that change settings and no index or reference. */
const WITHOUT_HOOKS: ReadonlySet<string> = new Set(["config", "remote", "init"]);

const namesCommands = (pattern: string, { tool, kind }: Intent): boolean =>
  pattern === "*" || pattern === "execute" || pattern === kind || matchName(pattern, tool);

/** The objections of the lists of harmless flags to a command. */
function flagDoubts(part: Part): readonly string[] {
  if (part.type !== "command") return [];
  const named = namedActs(part.judgement).map(
    ({ does, word }) => `it ${does}, which only a rule with "${word}" in it allows`,
  );
  return [...part.judgement.doubts, ...named].map((doubt) => visibleText(doubt));
}

/** Why a grant for this tool of a server no longer applies. */
function sourceDoubts({ rules, intent, policy }: Found): readonly string[] {
  if (intent.server === undefined) return [];
  const naming = rules.filter((rule) => isInForce(rule, policy) && namesPart(rule, { type: "tool" }, intent));
  const why = whySourceDiffers(naming, intent);
  return why === undefined ? [] : [why];
}

/** Why a git command that only shows something does not count as a read here. */
function gitDoubts(part: Part, { executor }: Intent): readonly string[] {
  if (part.type !== "command" || !isGit(part) || !part.judgement.onlyReads) return [];
  if (forcesGitSettings(executor)) return [];
  if (executor === undefined)
    return ["git runs programs that a repository's settings name, and Toolgate does not start it here"];
  return executor.notForced === undefined ? [] : [visibleText(executor.notForced)];
}

type VerdictParts = {
  readonly effect: RuleEffect;
  readonly rules?: readonly RuleParts[];
  readonly reason?: string | undefined;
  readonly saw: readonly string[];
};

function verdict({ effect, rules = [], reason, saw }: VerdictParts): Verdict {
  const names = [...new Set(rules.map(({ name }) => name))];
  const matched = narrowest(rules);
  const why = reason ?? matched?.reason;
  return {
    effect,
    ...(matched && {
      rule: names.join("; "),
      matched: matched.source,
      by: rules.map(({ source }) => source),
    }),
    ...(why !== undefined && { reason: why }),
    saw: [...new Set(saw)],
  };
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
