/** ACP v1's words for a session. */
import { encodeV1Event } from "../v1/encode-event.js";
import { V1Encoder } from "../v1/encoder.js";
import { encodeV1Permission, readV1Outcome } from "../v1/permission.js";
import { chunksOf } from "./dialect.js";
import type { Dialect } from "./dialect.js";
import { terminalDialect } from "./editor-abilities.js";

export function v1Dialect(clientCapabilities: unknown): Dialect {
  const encoder = new V1Encoder({ terminalDialect: terminalDialect(clientCapabilities) });
  return {
    echoesUser: false,
    call: (call) => encoder.encode(call),
    event: encodeV1Event,
    message: (message) => chunksOf(message).flatMap((chunk) => encodeV1Event(chunk) ?? []),
    permission: encodeV1Permission,
    outcome: readV1Outcome,
  };
}
