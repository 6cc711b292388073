/** The grant that an answer stores: the option's own, or the width or rules, scope and expiry that the answer names. */
import { notOffered } from "../call/index.js";
import type { Answer, GrantExpiry, OfferedGrant, Question } from "../call/index.js";
import { writtenSentence } from "../policy/grants/grant.js";
import { grantSentence } from "../policy/index.js";

/** Undefined when the answer is for this once. */
export function chosenGrant(question: Question, { outcome, at }: Answer): OfferedGrant | undefined {
  if (outcome.type !== "selected" || notOffered(question, outcome) !== undefined) return undefined;
  const option = question.options.find(({ optionId }) => optionId === outcome.optionId);
  const grant = option?.grant;
  if (!option || !grant) return undefined;
  const effect = option.kind === "allow_always" ? "allow" : "deny";
  const { width = grant.width, rules, scope = grant.scope, expires = "none" } = outcome;
  const expiresAt = expires === "none" ? grant.expiresAt : expiryTime(expires, at);
  const end = expiresAt !== undefined && { expiresAt };
  if (rules) return { rules, sentence: writtenSentence(rules), scope, ...end };
  const chosen = question.widths?.find((one) => one.effect === effect && one.width === width);
  return {
    ...grant,
    ...(chosen && { width: chosen.width, rules: chosen.rules }),
    ...(chosen && { sentence: grantSentence(effect, chosen.subject, scope) }),
    scope,
    ...end,
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_DAYS = 30;

export function expiryTime(expires: Exclude<GrantExpiry, "none">, at: number): number {
  switch (expires) {
    case "hour":
      return at + HOUR_MS;
    case "today":
      return new Date(at).setHours(24, 0, 0, 0);
    case "month":
      return at + MONTH_DAYS * DAY_MS;
    default:
      return expires satisfies never;
  }
}
