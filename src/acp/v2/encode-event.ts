/** Writes what is not about a call as ACP v2 (draft) `session/update`s: messages, thoughts, plan, title. */
import type { MessageRole, PlanEntry, SessionEvent } from "../../call/index.js";
import { blockForV2 } from "../read-block.js";
import type { V2Update } from "./wire.js";

const CHUNK: {
  readonly [Role in MessageRole]: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
} = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk",
};

/** A session has one plan here; v2 could have several and wants a name for it. */
const PLAN_ID = "plan";

/** Undefined for events that v2 has no update for, and for those of calls: these are the encoder's. */
export function encodeV2Event(event: SessionEvent): V2Update | undefined {
  switch (event.type) {
    case "message-chunk":
      // The SDK's type is a union over each role, which the compiler does not match against a variable one.
      return {
        sessionUpdate: CHUNK[event.role],
        messageId: event.messageId,
        content: blockForV2(event.block),
      } as V2Update;
    case "plan-updated":
      return {
        sessionUpdate: "plan_update",
        plan: { type: "items", planId: PLAN_ID, entries: event.entries.map(v2PlanEntry) },
      };
    case "info-changed":
      return event.info.title === undefined
        ? undefined
        : { sessionUpdate: "session_info_update", title: event.info.title };
    default:
      return undefined;
  }
}

function v2PlanEntry({ content, priority, status, toolCallIds, _meta }: PlanEntry) {
  const meta = toolCallIds ? { ..._meta, toolgate: { toolCallIds } } : _meta;
  return { content, priority, status, ...(meta && { _meta: meta }) };
}
