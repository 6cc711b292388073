/**
 * The rules' verdict on an intent. Deny beats ask beats allow, whatever their order and however narrow they
 * are; an intent that no rule names gets the default, which asks. To be allowed, every part of the intent must
 * be covered by a rule that allows it, and nothing about it may be in doubt.
 */
import { checkOptions, LIST, oneOf, required, STRING } from "../call/check-options.js";
import { allowVerdict } from "./allow-verdict.js";
import type { Found } from "./allow-verdict.js";
import { forbiddenPaths, hostTrouble } from "./concerns.js";
import { containment } from "./contained/containment.js";
import { unknownEffects } from "./effect-doubts.js";
import type { Intent } from "./intent.js";
import { partsOf, sawIn } from "./parts-of.js";
import type { Policy } from "./policy.js";
import { RuleParts, ruleParts } from "./rule.js";
import { meets } from "./strict-rules.js";
import { byRule, verdict } from "./verdict.js";
import type { Verdict } from "./verdict.js";

const EFFECTS: ReadonlySet<string> = new Set(["allow", "ask", "deny"]);
const DECIDED = {
  paths: required(LIST),
  hosts: required(LIST),
  rules: required(LIST),
  roots: required(LIST),
  home: required(STRING),
  default: oneOf("allow", "ask", "deny"),
};

export function decide(intent: Intent, given: Policy): Verdict {
  checkDecided(intent, given);
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

/** Callers in JavaScript: a default that is misspelt would be the verdict. */
function checkDecided(intent: Partial<Intent> = {}, policy: Partial<Policy> = {}): void {
  const { paths, hosts } = intent;
  const { rules, roots, home } = policy;
  const isDefault = policy.default === undefined || EFFECTS.has(policy.default);
  if (isDefault && [paths, hosts, rules, roots].every(Array.isArray) && typeof home === "string") return;
  checkOptions("decide", { paths, hosts, rules, roots, home, default: policy.default }, DECIDED);
}

function withContainment(found: Found, decided: Verdict): Verdict {
  const { policy, intent } = found;
  const isAsking = decided.effect === "ask" && (policy.default ?? "ask") === "ask";
  const { canContain, notContaining } = policy;
  if (!isAsking || (canContain !== true && notContaining === undefined)) return decided;
  const contained = containment(found, { unknownEffects: (part) => unknownEffects(part, intent) });
  if (!contained.ok) return decided;
  return canContain === true
    ? { ...decided, contained: contained.containment }
    : { ...decided, reason: `${decided.reason}; the sandbox would take it, but ${notContaining}` };
}

const MAX_CHARACTERS = 30_000;

/** A text of this length cannot be reviewed before a yes, so it is not judged part by part either. */
function sizeTrouble({ command }: Intent): string | undefined {
  const words = typeof command === "string" ? [command] : (command ?? []);
  const length = words.reduce((sum, word) => sum + word.length, words.length);
  return length > MAX_CHARACTERS
    ? `the command is longer than ${MAX_CHARACTERS} characters, too long to be checked`
    : undefined;
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
