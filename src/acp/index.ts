/**
 * ACP: the Agent Client Protocol, v1 and the v2 draft, from one model; the agent side for editors, the client side for
 * other agents.
 *
 * Invariants: an encoder's messages are valid against the SDK's own schema and can be stringified whatever a tool put in;
 * a reader never throws on a message and its events can be applied as they are; `_meta.toolgate` is trusted only in our
 * own traffic.
 */
export { agentHost } from "./agent/agent-host.js";
export type { AgentHostOptions, ModelChoice, ServersOfSession, UsedModel } from "./agent/agent-host.js";
export type { AcpHost, Choice, ClientSide, Command, HostedSession, OpenRequest } from "./agent/acp-host.js";
export type { Loop, LoopTurn } from "../agent/index.js";
export { serveAcp } from "./agent/serve-acp.js";
export type { ServeAcpOptions } from "./agent/serve-acp.js";
export { serveWire } from "./agent/serve-wire.js";
export type { ServeWireOptions } from "./agent/serve-wire.js";
export { AgentConnection } from "./client/agent-connection.js";
export type { ConnectOptions, ListedSession, OpenOptions } from "./client/agent-connection.js";
export type { AgentCommand } from "./client/agent-process.js";
export { AgentTrouble } from "./client/agent-trouble.js";
export type { AgentTroubleCode } from "./client/agent-trouble.js";
export { commandWords } from "./client/command-words.js";
export type { AgentSetting } from "./client/agent-settings.js";
export { ForeignSession } from "./client/foreign-session.js";
export type { ForeignSessionOptions, OnBreach } from "./client/foreign-session-options.js";
export type { KnownAgent } from "./client/read-agent.js";
export { authRequired, RpcError } from "./connection/message.js";
export { stdioWire } from "./connection/stdio-wire.js";
export { streamWire } from "./connection/stream-wire.js";
export type { Wire, WireListener } from "./connection/wire.js";
export type { ReadResult } from "./read-result.js";
export type { ReaderMode, ReaderOptions, RepairName, SessionSoFar } from "./reading.js";
export { encodeV1Event } from "./v1/agent-dialect.js";
export { V1Encoder } from "./v1/encoder.js";
export { encodeV1Permission, readV1Outcome, readV1Permission } from "./v1/permission.js";
export type { AskedPermission, V1PermissionRequest } from "./v1/permission.js";
export { V1Reader } from "./v1/reader.js";
export {
  TitleRequired,
  toolCall,
  toolCallFromUpdate,
  updateFromToolCall,
  updateToolCall,
  writeToolCall,
} from "./v1/tool-call.js";
export type { FilledToolCall } from "./v1/tool-call.js";
export type { V1ToolCall, V1ToolCallUpdate, V1Update, V1UpdateFields } from "./v1/wire.js";
export { encodeV2Event } from "./v2/agent-dialect.js";
export { V2Encoder } from "./v2/encoder.js";
export { V2Reader } from "./v2/reader.js";
export type { V2ToolCallUpdate, V2Update } from "./v2/wire.js";
