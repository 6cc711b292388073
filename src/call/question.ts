/**
 * A call waiting for someone's yes or no. A question is recorded, so that it can be answered days
 * later, in another process, from another device; it is answered once.
 */
import { pluralize } from "./amounts.js";
import type { Meta } from "./content.js";
import type { AskedQuestion } from "./session.js";
import type { ToolCall, ToolCallEvent } from "./tool-call.js";

export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export const GRANT_SCOPES = ["session", "project", "user"] as const;

export type GrantScopeName = (typeof GRANT_SCOPES)[number];

/** `today` ends at midnight, `month` after 30 days. */
export const GRANT_EXPIRIES = ["hour", "today", "month", "none"] as const;

export type GrantExpiry = (typeof GRANT_EXPIRIES)[number];

/** The act that a rule of a width decides, and what more there is to know about it. */
export type WidthLine = { readonly text: string; readonly note?: string };

/**
 * One width of "always" or "never": its rules, a sentence about them, and examples of other calls that they would
 * decide.
 */
export type OfferedWidth = {
  readonly effect: "allow" | "deny";
  /** Names the width in an answer. */
  readonly width: string;
  readonly rules: readonly Meta[];
  /** The rules in words, without the scope. */
  readonly subject: string;
  /** The subject in lines, one per rule, with short paths. Questions of older versions have none. */
  readonly lines?: readonly WidthLine[];
  readonly sentence: string;
  readonly examples: readonly string[];
};

/** The grant that an "always" option would store, as plain data: rules, their scope, and their expiry. */
export type OfferedGrant = {
  readonly sentence: string;
  readonly rules: readonly Meta[];
  readonly scope: GrantScopeName;
  readonly expiresAt?: number;
  /** The width of the rules; questions of older versions have none. */
  readonly width?: string;
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
  /** The widths that an answer may choose for an "always", the widest first, and of a "never", the narrowest first. */
  readonly widths?: readonly OfferedWidth[];
  /** Equal for questions that may be answered together. */
  readonly likeness?: string;
  /** How many hunks the diff of the call has, where an answer may keep some of them and reject the others. */
  readonly hunks?: number;
  /** The input as the model wrote it, when a person changed it at an earlier question about the call. */
  readonly originalInput?: unknown;
  /** No rule can answer the question, since it is not about the call's effects. */
  readonly isForThisOnce?: boolean;
  readonly askedAt: number;
  readonly expiresAt?: number;
};

/** An option, and for an "always" or "never" another width, scope or expiry than the option's own. */
export type SelectedOption = {
  readonly type: "selected";
  readonly optionId: string;
  readonly width?: string;
  /** With an allowing "always": rules of the person's own in place of the offered ones. The door that took them has read them as a rule file is read. */
  readonly rules?: readonly Meta[];
  readonly scope?: GrantScopeName;
  readonly expires?: GrantExpiry;
};

/** `refused` stands for an asker that failed, or that chose an option which was not offered. */
export type Answer = {
  readonly outcome: SelectedOption | { readonly type: "refused" };
  readonly intentHash: string;
  readonly by: "rule" | "person";
  readonly who?: string;
  readonly rule?: string;
  /** A remark for the model: why not, or what to take care of. */
  readonly reason?: string;
  /** With a yes: the input to run instead of the one that was asked about. */
  readonly input?: unknown;
  /** With a yes: the hunks of the shown diff to apply, counted from 1. The others are rejected. */
  readonly keptHunks?: readonly number[];
  readonly at: number;
};

/** Whether the call is to run with another input than the one that was asked about. */
export const changesInput = ({ input, keptHunks }: Pick<Answer, "input" | "keptHunks">): boolean =>
  input !== undefined || keptHunks !== undefined;

/** Why an answer cannot keep just these hunks; undefined when it can. */
export function notKeepable({ hunks = 0 }: Question, keptHunks: readonly number[]): string | undefined {
  if (hunks === 0) return "This question has no hunks to choose from.";
  const isOne = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= hunks;
  if (keptHunks.length > 0 && keptHunks.every(isOne)) return undefined;
  return `Name at least one of the hunks 1 to ${hunks}; a no rejects all of them.`;
}

/** Why the question does not offer what the answer selects; undefined when it does. */
export function notOffered(question: Question, outcome: Answer["outcome"]): string | undefined {
  if (outcome.type !== "selected") return undefined;
  const { optionId, width, rules, scope, expires } = outcome;
  const option = question.options.find((one) => one.optionId === optionId);
  const offered = question.options.map((one) => one.optionId).join(", ");
  if (!option) return `"${optionId}", only ${offered}`;
  const hasChoice = [width, rules, scope, expires].some((field) => field !== undefined);
  if (!hasChoice) return undefined;
  if (!option.grant) return `a width, scope or expiry for "${optionId}"`;
  if (scope !== undefined && !GRANT_SCOPES.includes(scope)) return `the scope "${scope}"`;
  if (expires !== undefined && !GRANT_EXPIRIES.includes(expires)) return `the expiry "${expires}"`;
  const effect = isAllowing(option.kind) ? "allow" : "deny";
  if (effect === "deny" && (expires ?? "none") !== "none") return "an expiry for what is never allowed";
  if (rules !== undefined && (effect === "deny" || rules.length === 0 || !rules.every(isAllowingRule)))
    return `other rules than allowing ones for "${optionId}"`;
  const widths = (question.widths ?? []).filter((one) => one.effect === effect).map((one) => one.width);
  return width === undefined || widths.includes(width)
    ? undefined
    : `the width "${width}", only ${widths.join(", ")}`;
}

const isAllowingRule = (rule: Meta): boolean => typeof rule["allow"] === "string";

const isAllowing = (kind: OptionKind | undefined): boolean =>
  kind === "allow_once" || kind === "allow_always";

/** Whether the answer picks one of the allowing options that were offered. */
export function isYes(question: Question, { outcome }: Answer): boolean {
  if (outcome.type !== "selected") return false;
  const option = question.options.find(({ optionId }) => optionId === outcome.optionId);
  return isAllowing(option?.kind);
}

/** A yes counts only for the very intent that was asked about. */
export function answerAllows(question: Question, answer: Answer): boolean {
  return isYes(question, answer) && answer.intentHash === question.intentHash;
}

/** Whether a call that waits for the question may take the event: it matches the answer, or the question was withdrawn. */
export function leavesQuestion({ question, state }: AskedQuestion, event: ToolCallEvent): boolean {
  if (state.status === "open") return false;
  const isAllowed = state.status === "answered" && answerAllows(question, state.answer);
  // A rule that denies overrides a yes.
  if (event.type === "call-refused") return !isAllowed || event.decision?.by === "rule";
  // A withdrawn question clears no call that we decide on; a foreign agent may run its call anyway.
  if (event.type === "call-cleared")
    return isAllowed || (state.status === "withdrawn" && event.decision === undefined);
  return true;
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
  if (!wholeAbout) return 0;
  const shown = about.reduce((sum, line) => sum + shownOf(line, wholeAbout), 0);
  return Math.max(1, wholeText(question).length + 1 - shown);
}

/** The beginning of a line that is too long, with the number of characters that are missing. */
export const cutNote = (missing: number): string =>
  `(${pluralize(missing, "character")} more than shown here) `;

/** The note counts nothing of the whole, nor does a line that says how many others were left out. */
function shownOf(line: string, wholeAbout: readonly string[]): number {
  const text = wholeAbout.includes(line)
    ? line
    : line.replace(/^([a-z ]+: )\([\d,]+ characters? more than shown here\) /, "$1");
  return wholeAbout.some((whole) => whole.startsWith(text)) ? text.length + 1 : 0;
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
