/**
 * `decide` with a memory: the gate asks for the verdict on a call when it is requested and again before it runs, and
 * many calls differ only in their input.
 *
 * Invariants: every verdict is the one that `decide` would return now. The cache is dropped when the rules, the places
 * or anything else of the policy changes, and when the time of a rule is up. No rule reads an intent's input, so the
 * verdict is made without it and counts for every input. A verdict that depends on who listens on a port is not kept.
 */
import { decide } from "./decide.js";
import type { Intent } from "./intent.js";
import type { Policy } from "./policy.js";
import type { Rule } from "./rule.js";
import type { Verdict } from "./verdict.js";

const MAX_VERDICTS = 64;

export class VerdictCache {
  readonly #verdicts = new Map<string, Verdict>();
  /** The policy of the verdicts, with a copy of its rules: their list may grow in place. */
  #policy: Policy | undefined;
  /** The verdicts count from one time until, and without, the other. */
  #from = 0;
  #until = 0;

  /** `also`: rules to add for this one verdict, which is not kept. */
  decide(intent: Intent, policy: Policy, also: readonly Rule[] = []): Verdict {
    if (also.length > 0) return decide(intent, { ...policy, rules: [...policy.rules, ...also] });
    this.#follow(policy);
    const judged = { ...intent, input: undefined };
    // Two texts of one intent, by the order of its keys, would only be two entries.
    const key = JSON.stringify(judged);
    const known = this.#verdicts.get(key);
    if (known) return known;
    let hasAskedPorts = false;
    const isOutside = (port: number): boolean => {
      hasAskedPorts = true;
      return policy.staying?.isOutside(port) === true;
    };
    const verdict = decide(
      judged,
      policy.staying ? { ...policy, staying: { ...policy.staying, isOutside } } : policy,
    );
    if (hasAskedPorts) return verdict;
    if (this.#verdicts.size >= MAX_VERDICTS) this.#verdicts.clear();
    this.#verdicts.set(key, verdict);
    return verdict;
  }

  #follow(policy: Policy): void {
    const { rules, now = 0 } = policy;
    if (this.#policy && now >= this.#from && now < this.#until && isSame(this.#policy, policy)) return;
    this.#verdicts.clear();
    this.#policy = { ...policy, rules: [...rules] };
    this.#from = now;
    this.#until = Infinity;
    for (const { until } of rules) {
      if (until === undefined) continue;
      const end = Date.parse(until);
      // A time that cannot be read is never over, and is not cached.
      if (Number.isNaN(end)) this.#until = now;
      else if (end > now) this.#until = Math.min(this.#until, end);
    }
  }
}

/** Every other field of a policy: the compiler names a new one that is missing here. */
const COMPARED: { readonly [Name in Exclude<keyof Policy, "rules" | "now">]-?: true } = {
  default: true,
  roots: true,
  home: true,
  scratch: true,
  own: true,
  programs: true,
  canContain: true,
  notContaining: true,
  staying: true,
};
// The names are those of the table.
const NAMES = Object.keys(COMPARED) as (keyof typeof COMPARED)[];

function isSame(one: Policy, other: Policy): boolean {
  return (
    NAMES.every((name) => one[name] === other[name]) &&
    one.rules.length === other.rules.length &&
    one.rules.every((rule, index) => rule === other.rules[index])
  );
}
