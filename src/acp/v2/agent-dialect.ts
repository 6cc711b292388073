/** The v2 draft, as an agent sends it: with the session's state, which in v1 is the prompt's response. */
import type { EventOf, SessionEvent, SessionEventType } from "../../call/index.js";
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

type TurnEventType = Extract<SessionEventType, `turn-${string}`>;

const STATE: { readonly [Type in TurnEventType]: (event: EventOf<Type>) => object } = {
  "turn-started": () => ({ state: "running" }),
  "turn-resumed": () => ({ state: "running" }),
  "turn-parked": () => ({ state: "requires_action" }),
  "turn-stopped": ({ stopReason, error }) => {
    const failure = error !== undefined && { error: { code: CODE.internal, message: error } };
    return { state: "idle", stopReason, ...(stopReason === "error" && failure) };
  },
};

function stateUpdate(event: SessionEvent): object | undefined {
  if (!isTurnEvent(event)) return undefined;
  // TypeScript does not see that the entry was chosen by the type of this very event.
  const state = STATE[event.type] as (turnEvent: SessionEvent) => object;
  return { sessionUpdate: "state_update", ...state(event) };
}

const isTurnEvent = (event: SessionEvent): event is EventOf<TurnEventType> =>
  Object.hasOwn(STATE, event.type);
