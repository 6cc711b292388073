/**
 * The turn: the model and its calls alternate until the model stops or the turn must wait for someone.
 *
 * Invariants: a turn's input is the log and nothing else, so any process can resume it; a turn stops only
 * after all its calls have ended; a turn that must wait is parked, and the caller that opened the session
 * chooses how to wait.
 */
export { AgentSession } from "./agent-session.js";
export type { SessionOptions } from "./agent-session.js";
export { createAgent } from "./create-agent.js";
export type { Agent, AgentOptions, Place, PolicyFor } from "./create-agent.js";
export type { SessionHandle } from "./session-handle.js";
export { waitForTurn } from "./wait-for-turn.js";
export { LoopSession } from "./loop-session.js";
export type { Loop, LoopSessionOptions, LoopTurn } from "./loop-session.js";
export { taskTool } from "./task-tool.js";
export type { TaskToolOptions } from "./task-tool.js";
export { RecordedSession } from "./recorded-session.js";
export type { TurnEnd } from "./advance-turn.js";
