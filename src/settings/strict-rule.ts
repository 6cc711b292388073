import type { Rule } from "../policy/index.js";

/** For a file that never could be read: nobody knows what it denies, so everything is asked. */
export function strictRule(path: string): Rule {
  return { ask: "*", reason: `${path} cannot be read, so everything is asked` };
}

/** Whether the rule can only make things stricter. */
export function isTightening(rule: Rule): boolean {
  return !("allow" in rule);
}
