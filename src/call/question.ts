/**
 * A call waiting for someone's yes or no. A question is recorded, so that it can be answered days
 * later, in another process, from another device; it is answered once.
 */
import type { Meta } from "./content.js";

export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

/** The grant that an "always" option would store, as plain data: rules, their scope, and their expiry. */
export type OfferedGrant = {
  readonly sentence: string;
  readonly rules: readonly Meta[];
  readonly scope: "session" | "project" | "user";
  readonly expiresAt?: number;
};

export type QuestionOption = {
  readonly optionId: string;
  readonly name: string;
  readonly kind: OptionKind;
  readonly grant?: OfferedGrant;
};

export type Question = {
  readonly questionId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  /** The intent that a yes allows; a yes allows no other intent. */
  readonly intentHash: string;
  readonly title: string;
  /** The rule or doubt that caused the question. */
  readonly reason?: string;
  /** The effects of the call, one line each: the whole command, real paths, hosts. */
  readonly about?: readonly string[];
  /** The lines of `about` without a bound; set when `about` leaves something out. */
  readonly wholeAbout?: readonly string[];
  readonly options: readonly QuestionOption[];
  /** No rule can answer the question, since it is not about the call's effects. */
  readonly isForThisOnce?: boolean;
  readonly askedAt: number;
  readonly expiresAt?: number;
};

/** `refused` stands for an asker that failed, or that chose an option which was not offered. */
export type Answer = {
  readonly outcome: { readonly type: "selected"; readonly optionId: string } | { readonly type: "refused" };
  readonly intentHash: string;
  readonly by: "rule" | "person";
  readonly who?: string;
  readonly rule?: string;
  /** A remark for the model: why not, or what to take care of. */
  readonly reason?: string;
  /** With a yes: the input to run instead of the one that was asked about. */
  readonly input?: unknown;
  readonly at: number;
};

/** Whether the answer picks one of the allowing options that were offered. */
export function isYes(question: Question, { outcome }: Answer): boolean {
  if (outcome.type !== "selected") return false;
  const option = question.options.find(({ optionId }) => optionId === outcome.optionId);
  return option?.kind === "allow_once" || option?.kind === "allow_always";
}

/** A yes counts only for the very intent that was asked about. */
export function answerAllows(question: Question, answer: Answer): boolean {
  return isYes(question, answer) && answer.intentHash === question.intentHash;
}
