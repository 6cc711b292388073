/** The stable name of an intent: SHA-256 of its text. */
import { hash } from "node:crypto";
import { intentText } from "../policy/index.js";
import type { Intent } from "../policy/index.js";

export function intentHash(intent: Intent): string {
  return hash("sha256", intentText(intent));
}
