/** The verdict of the rules that allow: every part of the intent must be covered, and nothing about it in doubt. */
import { visibleText } from "../call/index.js";
import { covers, coversAccess, isFileRule, isInForce, namesPart } from "./allow-rules.js";
import {
  concerns,
  environmentsWithinReach,
  openingRules,
  outsideUncovered,
  ownFilesWithinReach,
} from "./concerns.js";
import { flagDoubts, gitDoubts, unknownEffects } from "./effect-doubts.js";
import { fileAccesses } from "./file-accesses.js";
import type { Intent } from "./intent.js";
import type { Part } from "./part.js";
import { isFree, isHarmless } from "./places.js";
import type { Policy } from "./policy.js";
import { unclearDoubts } from "./programs/path-effects.js";
import { matchName } from "./rule.js";
import type { RuleParts } from "./rule.js";
import { EFFECTS } from "./strict-rules.js";
import { whySourceDiffers } from "./tool-source.js";
import { narrowest, verdict } from "./verdict.js";
import type { Verdict } from "./verdict.js";

export type Found = {
  readonly intent: Intent;
  readonly policy: Policy;
  readonly parts: readonly Part[];
  readonly doubts: readonly string[];
  readonly rules: readonly RuleParts[];
  /** Where an intent that no rule names is refused, a doubt is refused too: it must not open anything. */
  readonly inDoubt: "ask" | "deny";
  readonly saw: readonly string[];
};

export function allowVerdict(found: Found): Verdict {
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
      part.type === "command" && covering[index] === undefined
        ? [...flagDoubts(part), ...gitDoubts(part, intent)]
        : [],
    );
    const worries = [...sourceDoubts(found), ...outside, ...concerns(looked), ...flags];
    const reason = worries[0] ?? (effect === "deny" ? "no rule allows it here" : undefined);
    return verdict({ effect, reason, saw: [...saw, ...worries] });
  }
  const worries = [
    // A rule that allows must not be stricter than the default would be without it.
    ...(policy.default === "allow"
      ? [
          ...dynamicUnderDeny(doubts, rules),
          ...outside,
          ...ownFilesWithinReach(found),
          ...environmentsWithinReach(found),
        ]
      : concerns(looked)),
    ...unchecked(found, covering),
  ];
  if (worries.length > 0) return verdict({ effect: inDoubt, reason: worries[0], saw: [...saw, ...worries] });
  const lifted = parts.flatMap((part, index) =>
    part.type === "command" && covering[index]?.[0]?.anyFlags === true
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

const namesCommands = (pattern: string, { tool, kind }: Intent): boolean =>
  pattern === "*" || pattern === "execute" || pattern === kind || matchName(pattern, tool);

/** Why a grant for this tool of a server no longer applies. */
function sourceDoubts({ rules, intent, policy }: Found): readonly string[] {
  if (intent.server === undefined) return [];
  const naming = rules.filter((rule) => isInForce(rule, policy) && namesPart(rule, { type: "tool" }, intent));
  const why = whySourceDiffers(naming, intent);
  return why === undefined ? [] : [why];
}
