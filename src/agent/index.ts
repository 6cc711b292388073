/**
 * The turn: model and calls in turns, until the model stops or somebody must be waited for.
 *
 * What must stay true here: a turn's input is the log and nothing else, so any process can go on with
 * it; a turn stops only when every call of it has ended; where a turn must wait it is parked, and
 * whoever opened the session chooses how to wait.
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
export type { TurnEnd } from "./turn.js";
