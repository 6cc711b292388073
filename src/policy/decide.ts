/** What the rules say of an intent. Deny beats ask beats allow; what no rule speaks of is asked. */
import type { Intent } from "./intent.js";

export type RuleEffect = "allow" | "ask" | "deny";

/** Allow, ask or deny what a pattern names: a kind (`read`), a tool (`edit_file`) or everything (`*`). */
export type Rule = { readonly reason?: string } & (
  | { readonly allow: string }
  | { readonly ask: string }
  | { readonly deny: string }
);

/** `rule` is the text that a person would recognise it by; none when no rule spoke and the default asks. */
export type Verdict = { readonly effect: RuleEffect; readonly rule?: string; readonly reason?: string };

const STRICTEST_FIRST: readonly RuleEffect[] = ["deny", "ask", "allow"];

export function decide(intent: Intent, rules: readonly Rule[]): Verdict {
  const matching = rules.map(ruleParts).filter(({ pattern }) => matches(pattern, intent));
  for (const effect of STRICTEST_FIRST) {
    const found = matching.find((rule) => rule.effect === effect);
    if (!found) continue;
    const { pattern, reason } = found;
    return { effect, rule: `${effect} ${pattern}`, ...(reason !== undefined && { reason }) };
  }
  return { effect: "ask" };
}

type RuleParts = {
  readonly effect: RuleEffect;
  readonly pattern: string;
  readonly reason: string | undefined;
};

function ruleParts(rule: Rule): RuleParts {
  const { reason } = rule;
  if ("deny" in rule) return { effect: "deny", pattern: rule.deny, reason };
  if ("ask" in rule) return { effect: "ask", pattern: rule.ask, reason };
  return { effect: "allow", pattern: rule.allow, reason };
}

function matches(pattern: string, { kind, tool }: Intent): boolean {
  return pattern === "*" || pattern === kind || pattern === tool;
}
