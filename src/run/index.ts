/**
 * DO it: the gate, the one mechanism that takes calls from request to result.
 *
 * Invariants: a call is announced before it is asked about, asked about before it runs, and recorded before it takes
 * effect; a yes is for one call and one intent and works once; waiting is a recorded state and not a pending promise;
 * a call that was running when its process died is never run again by itself.
 */
export { allowAll, denyAll } from "./askers.js";
export { openQuestions } from "./settle-answers.js";
export type { Remember, RememberedGrant } from "./settle-answers.js";
export { CallNotDone } from "./call-not-done.js";
export type { Judge } from "./call-check.js";
export { recoveryEvents } from "./recovery-events.js";
export { Gate } from "./gate.js";
export type { GateOptions, Submitted, ToolRequest } from "./gate-options.js";
export { waitForAnswers } from "./wait-for-answers.js";
export type { Ask } from "./wait-for-answers.js";
export { mustBeRules } from "./must-be-rules.js";
export { openGate } from "./open-gate.js";
export type { OpenGateOptions } from "./open-gate.js";
export type { Elicit } from "./run-call.js";
export { undoCall } from "./undo-call.js";
export { UndoRefused } from "./undo-refused.js";
export type { EditHunk } from "./undo-hunks.js";
export type { Undone, UndoOptions } from "./undo-call.js";
export type { CallsTools, Gated, WrappableTool } from "./wrapped-tools.js";
