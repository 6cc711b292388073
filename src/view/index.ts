/**
 * SHOW: a call, a diff and a whole session as plain text, and a sign for each kind and status.
 *
 * What must stay true here: text that an agent wrote is never trusted. All of it passes `visibleText`,
 * so that nothing hides or reorders; what has many lines stands behind a gutter (│), so that it cannot
 * pass for a line of ours. The text says what the fold says and nothing else: no clock, no time zone,
 * no locale. Pure, and safe in a browser; the cost is linear in what is shown.
 */
export { durationText } from "./amounts.js";
export { callText } from "./call-text.js";
export type { CallTextOptions } from "./call-text.js";
export { diffLines } from "./diff-lines.js";
export { kindIcon, statusMark } from "./kind-icon.js";
export { liveCallLines } from "./live-call-lines.js";
export type { LiveCallOptions } from "./live-call-lines.js";
export { clipped, columns } from "./rows.js";
export { sessionText } from "./session-text.js";
export type { SessionTextOptions } from "./session-text.js";
