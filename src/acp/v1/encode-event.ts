/** Writes what is not about a call as ACP v1 `session/update`s: messages, thoughts, plan, mode, title. */
import type { MessageRole, PlanEntry, SessionEvent } from "../../call/index.js";
import type { Immutable } from "../immutable.js";
import type { PlanEntry as AcpPlanEntry } from "@agentclientprotocol/sdk";
import type { V1Update } from "./wire.js";

const CHUNK: {
  readonly [Role in MessageRole]: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
} = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk",
};

/** Undefined for events that v1 has no update for, and for those of calls: these are the encoder's. */
export function encodeV1Event(event: SessionEvent): V1Update | undefined {
  switch (event.type) {
    case "message-chunk":
      return { sessionUpdate: CHUNK[event.role], messageId: event.messageId, content: event.block };
    case "plan-updated":
      return { sessionUpdate: "plan", entries: event.entries.map(v1PlanEntry) };
    case "mode-changed":
      return { sessionUpdate: "current_mode_update", currentModeId: event.modeId };
    case "info-changed":
      return event.info.title === undefined
        ? undefined
        : { sessionUpdate: "session_info_update", title: event.info.title };
    default:
      return undefined;
  }
}

/** v1 has no cancelled entry: it is over, so it counts as completed, and `_meta` says the truth. */
function v1PlanEntry({ content, priority, status, toolCallIds, _meta }: PlanEntry): Immutable<AcpPlanEntry> {
  const toolgate = { ...(toolCallIds && { toolCallIds }), ...(status === "cancelled" && { status }) };
  const meta = Object.keys(toolgate).length > 0 ? { ..._meta, toolgate } : _meta;
  return {
    content,
    priority,
    status: status === "cancelled" ? "completed" : status,
    ...(meta && { _meta: meta }),
  };
}
