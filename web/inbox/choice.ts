/** The answer that a person is about to give, and the request that it becomes. */
import type { AnswerRequest, Device, GrantWidth, QuestionDetail } from "toolgate/serve/client";
import { writtenRules } from "./written-rules.js";
import type { GrantExpiry, GrantScopeName } from "toolgate/call";

type DeviceRole = Device["role"];

export type Reach = "once" | "session" | "always";

export type Choice = {
  readonly reach: Reach;
  readonly width: number;
  readonly scope: Exclude<GrantScopeName, "session">;
  readonly expires: GrantExpiry;
  /** Rules that the person wrote in place of those of the width, as text. */
  readonly ownRules?: string | undefined;
};

export const FIRST_CHOICE: Choice = { reach: "once", width: 0, scope: "project", expires: "month" };

export const chosenWidth = ({ answers }: QuestionDetail, { width }: Choice): GrantWidth | undefined =>
  answers.always[width] ?? answers.always[0];

/** The choice with another width, where there is a rule and the question offers that width. */
export const withWidth = ({ answers }: QuestionDetail, choice: Choice, width: number): Choice =>
  choice.reach === "once" || !answers.always[width] ? choice : { ...choice, width, ownRules: undefined };

/** The other questions that the rule answers at once. Nobody knows which ones a rule of one's own answers. */
export const freedBy = (question: QuestionDetail, choice: Choice): readonly string[] =>
  choice.reach === "once" || choice.ownRules !== undefined
    ? []
    : (chosenWidth(question, choice)?.frees ?? []);

/** Changes with the rule that the answer stores; undefined where it stores none. */
export function storedRule(question: QuestionDetail, choice: Choice): string | undefined {
  const { reach, scope, expires, ownRules } = choice;
  const width = chosenWidth(question, choice);
  if (reach === "once" || !width) return undefined;
  return [question.questionId, reach, width.width, scope, expires, ownRules !== undefined].join(" ");
}

/** A device that only answers stores no rule beyond the session. */
export function canReach({ answers }: QuestionDetail, reach: Reach, role: DeviceRole | undefined): boolean {
  return reach === "always" ? answers.always.length > 0 && role === "all" : answers[reach];
}

/** Whether the rules that the person wrote can be sent; true where they wrote none. */
export const canStore = ({ reach, ownRules }: Choice): boolean =>
  reach === "once" || ownRules === undefined || writtenRules(ownRules).isValid;

/** The hunks of the edit that a person chooses from; `kept` has their numbers, from 1. */
export type HunkChoice = {
  readonly kept: ReadonlySet<number>;
  readonly count: number;
  readonly keep: (number: number, isKept: boolean) => void;
};

/** A yes to a part of the edit is for this once. */
export const isPartial = (hunks: HunkChoice | undefined): hunks is HunkChoice =>
  hunks !== undefined && hunks.kept.size < hunks.count;

/** A yes names the intent that was shown, so that nothing else is allowed. */
export function yesRequest(question: QuestionDetail, choice: Choice, hunks?: HunkChoice): AnswerRequest {
  const { intentHash } = question;
  const width = chosenWidth(question, choice)?.width;
  const own = choice.ownRules === undefined ? undefined : writtenRules(choice.ownRules);
  const wide = { ...(width !== undefined && { width }), ...(own?.isValid && { rules: [...own.rules] }) };
  switch (choice.reach) {
    case "once":
      return {
        reply: "once",
        intentHash,
        ...(isPartial(hunks) && { keptHunks: [...hunks.kept].sort((one, other) => one - other) }),
      };
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
