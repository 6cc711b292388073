/**
 * The app's side of AAP v3, for browsers and for Node.
 *
 * What must stay true here: no Node builtin and no package is imported; a turn whose stream is cut is an
 * error and never a short turn; what is left to do is told by the history alone.
 */
export { AapClient, AapError } from "./aap-client.js";
export type { AapClientOptions, AapErrorCode, TurnOptions } from "./aap-client.js";
export { messagesFromEvents } from "./messages-from-events.js";
export { pendingCalls } from "./pending-calls.js";
export type { PendingCalls } from "./pending-calls.js";
export type * from "./protocol.js";
export { SseParser } from "./sse-parser.js";
export type { SseFrame } from "./sse-parser.js";
