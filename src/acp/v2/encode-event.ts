/** Writes the events that are not about a call as ACP v2 (draft) `session/update`s: messages, thoughts, plan, title. */
import { handleEvent } from "../../call/index.js";
import type { EventTable, MessageRole, PlanEntry, SessionEvent } from "../../call/index.js";
import { compactionId } from "../agent-dialect.js";
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

/** Undefined for an event that has no update of its own in v2. */
export function encodeV2Event(event: SessionEvent): V2Update | undefined {
  return handleEvent(TABLE, event);
}

const none = (): undefined => undefined;
/** `V2Encoder` sends the call that the event changed. */
const byEncoder = none;
/** The agent's dialect sends the session's state. */
const byDialect = none;

const TABLE: EventTable<[], V2Update | undefined> = {
  "message-chunk": ({ role, messageId, block }) =>
    // The SDK's type is a union over each role, which the compiler does not match against a variable one.
    ({ sessionUpdate: CHUNK[role], messageId, content: blockForV2(block) }) as V2Update,
  "plan-updated": ({ entries }) => ({
    sessionUpdate: "plan_update",
    plan: { type: "items", planId: PLAN_ID, entries: entries.map(v2PlanEntry) },
  }),
  "info-changed": ({ info: { title } }) =>
    title === undefined ? undefined : { sessionUpdate: "session_info_update", title },
  "turn-started": byDialect,
  "turn-parked": byDialect,
  "turn-resumed": byDialect,
  "turn-stopped": byDialect,
  "step-ended": none,
  "context-compacted": ({ throughStepId, summary }) => ({
    sessionUpdate: "compaction_update",
    compactionId: compactionId(throughStepId),
    status: "completed",
    summary: [{ type: "text", text: summary }],
  }),
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
  "file-kept": byEncoder,
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
