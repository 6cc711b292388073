/** ACP v1, as an agent sends it. */
import { chunksOf } from "../agent-dialect.js";
import type { AgentDialect } from "../agent-dialect.js";
import { encodeV1Event } from "./encode-event.js";
import { V1Encoder } from "./encoder.js";
import type { V1EncoderOptions } from "./encoder.js";
import { encodeV1Permission, readV1Outcome } from "./permission.js";

export function v1AgentDialect(options: V1EncoderOptions): AgentDialect {
  const encoder = new V1Encoder(options);
  return {
    echoesUser: false,
    call: (call) => encoder.encode(call),
    event: encodeV1Event,
    message: (message) => chunksOf(message).flatMap((chunk) => encodeV1Event(chunk) ?? []),
    permission: encodeV1Permission,
    outcome: readV1Outcome,
  };
}
