/**
 * SHOW: a call as a card and a diff as rows (data that every view renders), then both and a whole session as
 * plain text.
 *
 * Invariants: text that an agent wrote is never trusted. All of it passes `visibleText`, so that nothing
 * hides or reorders; in text, an agent's lines stand behind a gutter (│), so that they cannot pass for ours.
 * Cards and text show only data of the fold: no clock, no time zone, no locale. Pure, and safe
 * in a browser; the cost is linear in what is shown.
 */
export { durationText } from "./amounts.js";
export { callCard } from "./call-card.js";
export type {
  CallCard,
  CallCardOptions,
  CardDecision,
  CardEnd,
  CardLocation,
  CardQuestion,
  CardStatus,
} from "./call-card.js";
export type { CardBlock } from "./card-blocks.js";
export type { DiffRow } from "./change-rows.js";
export { diffCard } from "./diff-card.js";
export type { DiffCard } from "./diff-card.js";
export { compactionLine, learntWindowLine } from "./compaction-line.js";
export { callText } from "./call-text.js";
export type { CallTextOptions } from "./call-text.js";
export { diffLines } from "./diff-lines.js";
export { kindIcon, statusMark } from "./kind-icon.js";
export { liveCallLines } from "./live-call-lines.js";
export type { LiveCallOptions } from "./live-call-lines.js";
export { clipped, columns } from "./rows.js";
export { sessionText } from "./session-text.js";
export type { SessionTextOptions } from "./session-text.js";
