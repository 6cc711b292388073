/**
 * The app's side of AAP v3, for browsers and for Node.
 *
 * Invariants: no Node builtin and no package is imported; it works with any server of the protocol, and
 * uses our extensions only where they are; a turn whose stream is cut is resumed or an error, and never a short turn; the
 * history alone has what is left to do; the key is in no error.
 */
export { AapClient, connect } from "./aap-client.js";
export type { AapClientOptions } from "./aap-client.js";
export { AapError } from "./aap-error.js";
export type { AapErrorCode, AapErrorDetails } from "./aap-error.js";
export type { AnswerOptions, CallAnswer, ClientTool, Permission } from "./answers-to.js";
export type { ConnectionOptions } from "./connection.js";
export type { FollowOptions, RecordedSessionEvent } from "./follow-session.js";
export { messagesFromEvents } from "./messages-from-events.js";
export { OpenCalls } from "./open-calls.js";
export { pendingCalls } from "./pending-calls.js";
export type { PendingCalls } from "./pending-calls.js";
export type * from "./protocol.js";
export { runTurn } from "./run-turn.js";
export type { RunTurnOptions, RunTurnRequest } from "./run-turn.js";
export { SseParser } from "./sse-parser.js";
export type { SseFrame } from "./sse-parser.js";
export type { Turn, TurnOptions } from "./turn.js";
