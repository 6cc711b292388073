/** Rules that a program hands in, looked at once: TypeScript does not see those that come from a file. */
import { checkOptions, LIST, required } from "../call/check-options.js";
import { ruleMistake } from "../policy/index.js";
import type { Rule } from "../policy/index.js";

export function mustBeRules(rules: readonly Rule[]): void {
  checkOptions("mustBeRules", { rules }, { rules: required(LIST) });
  for (const rule of rules) {
    const mistake = ruleMistake(rule);
    if (mistake !== undefined) throw new BadRule(mistake);
  }
}

class BadRule extends Error {
  readonly code = "BAD_RULE";

  constructor(mistake: string) {
    super(`${mistake}. Nothing was opened; see docs/rules.md for what a rule may say.`);
    this.name = "BadRule";
  }
}
