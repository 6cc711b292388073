/** ACP v1, as an agent sends it: calls and questions, and the events that are not about a call. */
import type { PlanEntry as AcpPlanEntry } from "@agentclientprotocol/sdk";
import { handleEvent } from "../../call/index.js";
import type { EventTable, PlanEntry, SessionEvent } from "../../call/index.js";
import { CHUNK_UPDATES, chunksOf, compactionId, compactionUpdate } from "../agent-dialect.js";
import type { AgentDialect } from "../agent-dialect.js";
import type { Immutable } from "../immutable.js";
import { V1Encoder } from "./encoder.js";
import type { V1EncoderOptions } from "./encoder.js";
import { encodeV1Permission, readV1Answer } from "./permission.js";
import type { V1Update } from "./wire.js";

export type V1DialectOptions = V1EncoderOptions & {
  /** Whether the client understands `compaction_update`. Another client gets a thought in its place. */
  readonly showsCompaction?: boolean;
};

export function v1AgentDialect({ showsCompaction = false, ...options }: V1DialectOptions): AgentDialect {
  const encoder = new V1Encoder(options);
  return {
    echoesUser: false,
    call: (call) => encoder.encode(call),
    event: (event) =>
      event.type === "context-compacted" && !showsCompaction
        ? encodeV1Event(asThought(event.throughStepId, event.at))
        : encodeV1Event(event),
    message: (message) => chunksOf(message).flatMap((chunk) => encodeV1Event(chunk) ?? []),
    permission: (question, call, view) => {
      encoder.asked(call.toolCallId);
      return encodeV1Permission(question, call, view);
    },
    answer: readV1Answer,
  };
}

const asThought = (throughStepId: string, at: number): SessionEvent => ({
  type: "message-chunk",
  at,
  messageId: compactionId(throughStepId),
  role: "thought",
  block: { type: "text", text: "The conversation so far was summarized to make room in the model's window." },
});

/** Undefined for an event that has no update of its own in v1. */
export function encodeV1Event(event: SessionEvent): V1Update | undefined {
  return handleEvent(TABLE, event);
}

const none = (): undefined => undefined;
/** `V1Encoder` sends the call that the event changed. */
const byEncoder = none;

const TABLE: EventTable<[], V1Update | undefined> = {
  "message-chunk": ({ role, messageId, block }) => ({
    sessionUpdate: CHUNK_UPDATES[role],
    messageId,
    content: block,
  }),
  "plan-updated": ({ entries }) => ({ sessionUpdate: "plan", entries: entries.map(v1PlanEntry) }),
  "mode-changed": ({ modeId }) => ({ sessionUpdate: "current_mode_update", currentModeId: modeId }),
  "info-changed": ({ info: { title } }) =>
    title === undefined ? undefined : { sessionUpdate: "session_info_update", title },
  "turn-started": none,
  "turn-parked": none,
  "turn-resumed": none,
  "turn-stopped": none,
  "step-ended": none,
  "context-compacted": compactionUpdate,
  "window-learnt": none,
  "question-answered": none,
  "question-withdrawn": none,
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

/** v1 has no status for a cancelled entry: the entry is sent as completed, and `_meta` has the true status. */
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
