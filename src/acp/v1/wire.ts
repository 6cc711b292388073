/** ACP v1's messages about a session, as the SDK types them, but never changed once made. */
import type * as acp from "@agentclientprotocol/sdk";
import type { Immutable } from "../immutable.js";

export type V1ToolCall = Immutable<acp.ToolCall>;
export type V1ToolCallUpdate = Immutable<acp.ToolCallUpdate>;
export type V1UpdateFields = Omit<V1ToolCallUpdate, "toolCallId" | "_meta">;
export type V1Status = acp.ToolCallStatus;
export type V1Content = Immutable<acp.ToolCallContent>;
export type V1Update = Immutable<acp.SessionUpdate>;
