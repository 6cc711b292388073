/** ACP v2's (draft) messages about a session, as the SDK types them, but never changed once made. */
import type * as acp from "@agentclientprotocol/sdk/experimental/v2";
import type { Immutable } from "../immutable.js";

export type V2ToolCallUpdate = Immutable<acp.ToolCallUpdate>;
export type V2Content = Immutable<acp.ToolCallContent>;
export type V2Update = Immutable<acp.SessionUpdate>;
export type V2Status = "pending" | "in_progress" | "paused" | "completed" | "failed" | "cancelled";
