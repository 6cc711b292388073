/**
 * Maps our yes or no to the agent's own options. A yes is its "allow once" and never its "always", which would
 * remember more than we decided. A no is its reject option, so that the turn continues. `cancelled` ends the turn at
 * many agents, so it is sent only when the turn is cancelled or no reject option exists.
 */
import type { OptionKind, QuestionOption } from "../../call/index.js";
import type { Outcome } from "../../run/outcome.js";

export type PermissionAnswer = {
  readonly outcome:
    | { readonly outcome: "cancelled" }
    | { readonly outcome: "selected"; readonly optionId: string };
  readonly _meta?: { readonly toolgate: { readonly reason: string } };
};

export const CANCELLED_ANSWER: PermissionAnswer = { outcome: { outcome: "cancelled" } };

export function permissionAnswer(outcome: Outcome, options: readonly QuestionOption[]): PermissionAnswer {
  if (outcome.type === "cancelled") return CANCELLED_ANSWER;
  if (outcome.type === "allowed") {
    const once = optionOf(options, "allow_once");
    return once ?? refusal(options, NO_ONCE);
  }
  return refusal(options, outcome.reason);
}

const NO_ONCE = "it was allowed for this once, and the agent offers no such option";

/** Why these options cannot be answered with a yes; undefined when they can. */
export function optionTrouble(options: readonly QuestionOption[]): string | undefined {
  if (options.length === 0) return "the agent offers no option to choose from";
  const ids = new Set(options.map(({ optionId }) => optionId));
  if (ids.size < options.length) return "the agent offers several options under one id";
  // Two options of this kind could allow different things.
  if (options.filter(({ kind }) => kind === "allow_once").length > 1)
    return "the agent offers several ways to allow it once";
  return optionOf(options, "allow_once") ? undefined : "the agent offers no way to allow it once";
}

function refusal(options: readonly QuestionOption[], reason: string | undefined): PermissionAnswer {
  const answer = optionOf(options, "reject_once") ?? optionOf(options, "reject_always") ?? CANCELLED_ANSWER;
  return reason === undefined ? answer : { ...answer, _meta: { toolgate: { reason } } };
}

/** The option of a kind, if its id stands for nothing else. */
function optionOf(options: readonly QuestionOption[], kind: OptionKind): PermissionAnswer | undefined {
  const [found, ...others] = options.filter((option) => option.kind === kind);
  if (!found || (kind === "allow_once" && others.length > 0)) return undefined;
  if (options.filter(({ optionId }) => optionId === found.optionId).length > 1) return undefined;
  return { outcome: { outcome: "selected", optionId: found.optionId } };
}
