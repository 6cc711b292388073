/** The stable name of an intent: SHA-256 of its text. */
import { createHash } from "node:crypto";
import { intentText } from "../policy/index.js";
import type { Intent } from "../policy/index.js";

export function intentHash(intent: Intent): string {
  return createHash("sha256").update(intentText(intent)).digest("hex");
}
