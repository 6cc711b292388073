/**
 * The built-in modes: the rules that apply beside the user's own. A rule that denies applies in every mode;
 * `read-only` uses only the rules that deny, and `allow-all` changes what happens to a call that no rule covers.
 */
import { checkOptions, LIST, oneOf, required } from "../call/check-options.js";
import type { Rule, RuleEffect } from "./rule.js";

export const MODES = ["ask", "accept-edits", "read-only", "allow-all"] as const;

export type Mode = (typeof MODES)[number];

export function isMode(text: string | undefined): text is Mode {
  return MODES.some((mode) => mode === text);
}

export type ModeRules = { readonly rules: readonly Rule[]; readonly default: RuleEffect };

const MODE_OPTIONS = { mode: required(oneOf(...MODES)), rules: required(LIST) };

const LOOKING: readonly Rule[] = [{ allow: "read" }, { allow: "search" }, { allow: "think" }];

/** The user's rules under a mode. A rule that allows or asks does not open a stricter mode. */
export function inMode(mode: Mode, rules: readonly Rule[]): ModeRules {
  checkOptions("inMode", { mode, rules }, MODE_OPTIONS);
  switch (mode) {
    case "ask":
      return { rules: [...LOOKING, ...rules], default: "ask" };
    case "accept-edits":
      return { rules: [...LOOKING, { allow: "edit" }, ...rules], default: "ask" };
    case "read-only":
      return { rules: [...LOOKING, ...rules.filter((rule) => "deny" in rule)], default: "deny" };
    case "allow-all":
      return { rules, default: "allow" };
    default:
      return mode satisfies never;
  }
}
