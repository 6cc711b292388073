/**
 * The built-in modes: what holds before any rule of the user's. They are rules like all others, so a rule
 * that denies or asks still does; only `allow-all` also changes what happens where no rule speaks.
 */
import type { Rule, RuleEffect } from "./rule.js";

export type Mode = "ask" | "accept-edits" | "read-only" | "allow-all";

export type ModeRules = { readonly rules: readonly Rule[]; readonly default: RuleEffect };

const LOOKING: readonly Rule[] = [{ allow: "read" }, { allow: "search" }, { allow: "think" }];

export function modeRules(mode: Mode): ModeRules {
  switch (mode) {
    case "ask":
      return { rules: LOOKING, default: "ask" };
    case "accept-edits":
      return { rules: [...LOOKING, { allow: "edit" }], default: "ask" };
    case "read-only":
      return { rules: LOOKING, default: "deny" };
    case "allow-all":
      return { rules: [], default: "allow" };
    default:
      return mode satisfies never;
  }
}
