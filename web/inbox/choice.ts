/** The answer that a person is about to give, and the request that it becomes. */
import type { AnswerRequest, GrantWidth, QuestionDetail } from "toolgate/serve/client";
import type { GrantExpiry, GrantScopeName } from "toolgate/call";

export type Reach = "once" | "session" | "always";

export type Choice = {
  readonly reach: Reach;
  readonly width: number;
  readonly scope: Exclude<GrantScopeName, "session">;
  readonly expires: GrantExpiry;
};

export const FIRST_CHOICE: Choice = { reach: "once", width: 0, scope: "project", expires: "month" };

export const chosenWidth = ({ answers }: QuestionDetail, { width }: Choice): GrantWidth | undefined =>
  answers.always[width] ?? answers.always[0];

export function canReach({ answers }: QuestionDetail, reach: Reach): boolean {
  return reach === "always" ? answers.always.length > 0 : answers[reach];
}

/** A yes names the intent that was shown, so that nothing else is allowed. */
export function yesRequest(question: QuestionDetail, choice: Choice): AnswerRequest {
  const { intentHash } = question;
  const width = chosenWidth(question, choice)?.width;
  const wide = width === undefined ? {} : { width };
  switch (choice.reach) {
    case "once":
      return { reply: "once", intentHash };
    case "session":
      return { reply: "session", intentHash, ...wide };
    case "always":
      return { reply: "always", intentHash, ...wide, scope: choice.scope, expires: choice.expires };
    default:
      return choice.reach satisfies never;
  }
}

export const EXPIRIES: readonly (readonly [GrantExpiry, string])[] = [
  ["hour", "For an hour"],
  ["today", "Until midnight"],
  ["month", "For 30 days"],
  ["none", "Without end"],
];

export const SCOPES: readonly (readonly [Choice["scope"], string])[] = [
  ["project", "This project"],
  ["user", "Everywhere"],
];
