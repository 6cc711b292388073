/** The v2 draft, as an agent sends it: with the session's state, which in v1 is the prompt's response. */
import { handleEvent } from "../../call/index.js";
import type { EventOf, EventTable, PlanEntry, SessionEvent, SessionEventType } from "../../call/index.js";
import { CHUNK_UPDATES, chunksOf, compactionUpdate } from "../agent-dialect.js";
import type { AgentDialect } from "../agent-dialect.js";
import { CODE } from "../connection/message.js";
import { blockForV2 } from "../read-block.js";
import { readV1Answer } from "../v1/permission.js";
import { V2Encoder } from "./encoder.js";
import { encodeV2Permission } from "./permission.js";
import type { V2Update } from "./wire.js";

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
    // An answer reads the same in both versions.
    answer: readV1Answer,
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

/** A session has one plan here; v2 could have several and wants a name for it. */
const PLAN_ID = "plan";

/** Undefined for an event that has no update of its own in v2. */
export function encodeV2Event(event: SessionEvent): V2Update | undefined {
  return handleEvent(TABLE, event);
}

const none = (): undefined => undefined;
/** `V2Encoder` sends the call that the event changed. */
const byEncoder = none;
/** `stateUpdate` sends the session's state. */
const byState = none;

const TABLE: EventTable<[], V2Update | undefined> = {
  "message-chunk": ({ role, messageId, block }) =>
    // The SDK's type is a union over each role, which the compiler does not match against a variable one.
    ({ sessionUpdate: CHUNK_UPDATES[role], messageId, content: blockForV2(block) }) as V2Update,
  "plan-updated": ({ entries }) => ({
    sessionUpdate: "plan_update",
    plan: { type: "items", planId: PLAN_ID, entries: entries.map(v2PlanEntry) },
  }),
  "info-changed": ({ info: { title } }) =>
    title === undefined ? undefined : { sessionUpdate: "session_info_update", title },
  "turn-started": byState,
  "turn-parked": byState,
  "turn-resumed": byState,
  "turn-stopped": byState,
  "step-ended": none,
  "context-compacted": compactionUpdate,
  "window-learnt": none,
  "question-answered": none,
  "question-withdrawn": none,
  "mode-changed": none,
  "traffic-repaired": none,
  "call-announced": byEncoder,
  "input-delta": byEncoder,
  "input-ready": byEncoder,
  "call-revised": byEncoder,
  "content-appended": byEncoder,
  "terminal-output": byEncoder,
  "terminal-exited": byEncoder,
  "question-asked": byEncoder,
  "app-awaited": byEncoder,
  "child-awaited": byEncoder,
  "child-stepped": byEncoder,
  "call-cleared": byEncoder,
  "call-refused": byEncoder,
  "run-started": byEncoder,
  "cancel-requested": byEncoder,
  "process-started": byEncoder,
  "file-kept": byEncoder,
  "sandbox-refused": byEncoder,
  "call-undone": byEncoder,
  "call-breached": byEncoder,
  "call-done": byEncoder,
  "call-failed": byEncoder,
  "call-cancelled": byEncoder,
  "call-unknown": byEncoder,
};

function v2PlanEntry({ content, priority, status, toolCallIds, _meta }: PlanEntry) {
  const meta = toolCallIds ? { ..._meta, toolgate: { toolCallIds } } : _meta;
  return { content, priority, status, ...(meta && { _meta: meta }) };
}
