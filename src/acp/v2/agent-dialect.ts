/** The v2 draft, as an agent sends it. It also sends the session's state, which in v1 is the prompt's response. */
import type { SessionEvent } from "../../call/index.js";
import { chunksOf } from "../agent-dialect.js";
import type { AgentDialect } from "../agent-dialect.js";
import { CODE } from "../connection/message.js";
import { readV1Outcome } from "../v1/permission.js";
import { encodeV2Event } from "./encode-event.js";
import { V2Encoder } from "./encoder.js";
import { encodeV2Permission } from "./permission.js";

export function v2AgentDialect(): AgentDialect {
  const encoder = new V2Encoder();
  return {
    echoesUser: true,
    call: (call) => encoder.encode(call),
    event: (event) => stateUpdate(event) ?? encodeV2Event(event),
    message: (message, isFirst) => [
      // Empties the message first, for a client that has it from before.
      ...(isFirst ? [{ sessionUpdate: WHOLE[message.role], messageId: message.messageId, content: [] }] : []),
      ...chunksOf(message).flatMap((chunk) => encodeV2Event(chunk) ?? []),
    ],
    permission: encodeV2Permission,
    // An outcome reads the same in both versions.
    outcome: readV1Outcome,
  };
}

const WHOLE = { user: "user_message", agent: "agent_message", thought: "agent_thought" } as const;

function stateUpdate(event: SessionEvent): object | undefined {
  const state = stateOf(event);
  return state && { sessionUpdate: "state_update", ...state };
}

function stateOf(event: SessionEvent): object | undefined {
  switch (event.type) {
    case "turn-started":
    case "turn-resumed":
      return { state: "running" };
    case "turn-parked":
      return { state: "requires_action" };
    case "turn-stopped": {
      const { stopReason, error } = event;
      const failure = error !== undefined && { error: { code: CODE.internal, message: error } };
      return { state: "idle", stopReason, ...(stopReason === "error" && failure) };
    }
    default:
      return undefined;
  }
}
