/** ACP v1, as an agent sends it. */
import type { SessionEvent } from "../../call/index.js";
import { chunksOf, compactionId } from "../agent-dialect.js";
import type { AgentDialect } from "../agent-dialect.js";
import { encodeV1Event } from "./encode-event.js";
import { V1Encoder } from "./encoder.js";
import type { V1EncoderOptions } from "./encoder.js";
import { encodeV1Permission, readV1Outcome } from "./permission.js";

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
    permission: encodeV1Permission,
    outcome: readV1Outcome,
  };
}

const asThought = (throughStepId: string, at: number): SessionEvent => ({
  type: "message-chunk",
  at,
  messageId: compactionId(throughStepId),
  role: "thought",
  block: { type: "text", text: "The conversation so far was summed up to make room in the model's window." },
});
