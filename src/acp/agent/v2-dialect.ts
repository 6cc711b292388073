/** The v2 draft's words for a session: also what it is doing, which v1 says with the prompt's response. */
import type { SessionEvent } from "../../call/index.js";
import { readV1Outcome } from "../v1/permission.js";
import { encodeV2Event } from "../v2/encode-event.js";
import { V2Encoder } from "../v2/encoder.js";
import { encodeV2Permission } from "../v2/permission.js";
import { CODE } from "../connection/message.js";
import { chunksOf } from "./dialect.js";
import type { Dialect } from "./dialect.js";

export function v2Dialect(): Dialect {
  const encoder = new V2Encoder();
  return {
    echoesUser: true,
    call: (call) => encoder.encode(call),
    event: (event) => stateUpdate(event) ?? encodeV2Event(event),
    message: (message, isFirst) => [
      // Clients that have it from before must not have it twice.
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
