/** The rules' verdict on an intent, with the rules that made it. */
import type { Containment } from "./contained/containment.js";
import { hasWildcard } from "./match-command.js";
import type { Rule, RuleEffect, RuleParts } from "./rule.js";

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

type VerdictParts = {
  readonly effect: RuleEffect;
  readonly rules?: readonly RuleParts[];
  readonly reason?: string | undefined;
  readonly saw: readonly string[];
};

export function verdict({ effect, rules = [], reason, saw }: VerdictParts): Verdict {
  const names = [...new Set(rules.map(({ name }) => name))];
  const matched = narrowest(rules);
  const why = reason ?? matched?.reason;
  return {
    effect,
    ...(matched && {
      rule: names.join(BETWEEN_NAMES),
      matched: matched.source,
      by: rules.map(({ source }) => source),
    }),
    ...(why !== undefined && { reason: why }),
    saw: [...new Set(saw)],
  };
}

const BETWEEN_NAMES = "; ";

/** The names of the rules in a recorded decision. A command in a name may have the same characters. */
export const decidingRules = (rule: string): readonly string[] => rule.split(/; (?=(?:allow|ask|deny) )/);

export const byRule = (rule: RuleParts, saw: readonly string[]): Verdict =>
  verdict({ effect: rule.effect, rules: [rule], reason: rule.reason, saw });

/** The most specific of the rules that let a part through, so that the record names the true reason. */
export function narrowest(rules: readonly RuleParts[]): RuleParts | undefined {
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
  // A rule that lifts the lists of flags shows less about the command than another rule.
  return 4 * (named + exact) + (pattern === "*" ? 0 : 2) - (anyFlags === true ? 1 : 0);
}
