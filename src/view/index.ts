/**
 * SHOW: a call as a card, a diff as rows and a session as entries (data that every view renders), then as plain text and
 * as Markdown.
 *
 * Invariants: text that an agent wrote is never trusted. All of it passes `visibleText`, so that nothing hides or
 * reorders. An agent's lines stand behind a gutter (│) in text and inside a fence in Markdown, so that they cannot pass
 * for ours. Cards and text show only data of the fold: no clock, no time zone, no locale. Pure, and safe in a browser;
 * the cost is linear in what is shown.
 */
export { durationText } from "../call/amounts.js";
export { callCard } from "./call-card.js";
export type {
  CallCard,
  CallCardOptions,
  CardDecision,
  CardEnd,
  CardLocation,
  CardQuestion,
} from "./call-card.js";
export type { CardBlock } from "./card-blocks.js";
export type { DiffCard, DiffRow } from "./diff-card.js";
export { diffCard, diffLines } from "./diff-card.js";
export { compactionLine, learntWindowLine } from "./compaction-line.js";
export { callText } from "./call-text.js";
export type { CallTextOptions } from "./call-text.js";
export { failedCommand, kindIcon, statusMark } from "./card-facts.js";
export type { CardStatus } from "./card-facts.js";
export { Gutter } from "./gutter.js";
export {
  hiddenWords,
  MAX_QUESTION_LINES,
  questionFacts,
  wholeQuestion,
  wholeQuestions,
} from "./question-text.js";
export { alikeText, widthsText } from "./widths-text.js";
export { liveCallLines } from "./live-call-lines.js";
export type { LiveCallOptions } from "./live-call-lines.js";
export { clipped, columns } from "./visible-line.js";
export { sessionMarkdown } from "./session-markdown.js";
export { sessionText } from "./session-text.js";
export type { SessionTextOptions } from "./session-text.js";
