/**
 * A call waiting for someone's yes or no. A question is recorded, so that it can be answered days
 * later, in another process, from another device; it is answered once.
 */
import type { Meta } from "./content.js";
import type { ToolCall } from "./tool-call.js";

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

/** The data of a call that a person needs to decide on it. */
export type QuestionCall = Pick<ToolCall, "name" | "kind" | "title" | "rawInput" | "content" | "locations">;

/** A question as it is shown to somebody: with the call that it is about. */
export type ShownQuestion = Question & { readonly call: QuestionCall };

export function shownQuestion(question: Question, call: ToolCall): ShownQuestion {
  const { name, kind, title, rawInput, content, locations } = call;
  return { ...question, call: { name, kind, title, rawInput, content, locations } };
}

/**
 * A page of a question's whole text, for protocols that must bound each message; `page` counts from 1. The preview of the
 * call is not in it: protocols send diffs and content as they are.
 */
export type QuestionPage = { readonly page: number; readonly pages: number; readonly text: string };

const PAGE_CHARACTERS = 50_000;

/** Undefined when there is no such page. */
export function questionPage(question: Question, page: number): QuestionPage | undefined {
  const texts = pagesOf(wholeText(question));
  const text = texts[page - 1];
  return text === undefined ? undefined : { page, pages: texts.length, text };
}

/** How many characters of the whole text the question's `about` leaves out. */
export function hiddenCharacters(question: Question): number {
  const { about = [], wholeAbout } = question;
  return wholeAbout ? Math.max(1, wholeText(question).length - about.join("\n").length) : 0;
}

const wholeText = ({ about = [], wholeAbout = about }: Question): string => wholeAbout.join("\n");

/** No page ends between the two halves of a character. */
function pagesOf(text: string): readonly string[] {
  const pages: string[] = [];
  for (let start = 0; start < text.length || pages.length === 0;) {
    const end = start + PAGE_CHARACTERS;
    const isInsideCharacter = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length;
    pages.push(text.slice(start, isInsideCharacter ? end - 1 : end));
    start += pages.at(-1)?.length || PAGE_CHARACTERS;
  }
  return pages;
}
