import type { Rule } from "../policy/index.js";

/** Replaces a file that could never be read: nobody knows its denials, so every call asks. */
export function strictRule(path: string): Rule {
  return { ask: "*", reason: `${path} cannot be read, so everything is asked` };
}

/** True when the rule can only make the policy stricter. */
export function isTightening(rule: Rule): boolean {
  return !("allow" in rule);
}
