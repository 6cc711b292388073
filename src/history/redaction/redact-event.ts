/**
 * Redacts recorded events and sessions: every text that someone wrote, and none of the ids that link the record.
 * So a redacted log still folds, and folds to the redacted session.
 */
import type { BoundedText, Session, SessionEvent, StepResponse } from "../../call/index.js";
import { boundText, NO_INPUT } from "../../call/index.js";
import { checkOptions, OBJECT, required, SESSION } from "../../call/check-options.js";
import { redact, redactJson } from "./redact.js";
import { PATTERNS } from "./redaction-pattern.js";
import type { RedactionPattern } from "./redaction-pattern.js";

export type RedactOptions = { readonly patterns?: readonly RedactionPattern[] };

/** Fields that stay: ids, hashes, fixed values, and bytes in base64, which no pattern is meant for. */
const KEPT: ReadonlySet<string> = new Set([
  "type",
  "toolCallId",
  "toolCallIds",
  "providerCallId",
  "parentToolCallId",
  "sessionId",
  "childSessionId",
  "questionId",
  "optionId",
  "width",
  "effect",
  "expires",
  "likeness",
  "messageId",
  "turnId",
  "stepId",
  "terminalId",
  "clientTerminalId",
  "modeId",
  "intentHash",
  "after",
  "blob",
  "hash",
  "data",
  "mimeType",
  "kind",
  "kindSource",
  "status",
  "role",
  "by",
  "scope",
  "operation",
  "fileType",
  "stopReason",
  "machine",
  "mark",
]);

/** Fields with foreign JSON, all of which is redacted. */
const FOREIGN: ReadonlySet<string> = new Set([
  "rawInput",
  "rawOutput",
  "input",
  "originalInput",
  "intent",
  "_meta",
  "rules",
]);

export function redactEvent(event: SessionEvent, options: RedactOptions = {}): SessionEvent {
  checkOptions("redactEvent", { event }, { event: required(OBJECT) });
  checkOptions<RedactOptions>("redactEvent", options, { patterns: PATTERNS });
  // The walk changes texts and nothing else, so an event stays one.
  return redactedRecord(event, options.patterns ?? []) as SessionEvent;
}

/** Redacts a folded session. This finds a secret that came in pieces, which `redactEvent` cannot. */
export function redactSession(session: Session, options: RedactOptions = {}): Session {
  checkOptions("redactSession", { session }, { session: required(SESSION) });
  checkOptions<RedactOptions>("redactSession", options, { patterns: PATTERNS });
  // As above.
  return redactedRecord(session, options.patterns ?? []) as Session;
}

export function redactedRecord(value: unknown, patterns: readonly RedactionPattern[]): unknown {
  if (typeof value === "string") return redact(value, patterns);
  if (Array.isArray(value)) return value.map((part: unknown) => redactedRecord(part, patterns));
  if (typeof value !== "object" || value === null) return value;
  if (isBoundedText(value)) return redactedText(value, patterns);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
      if (KEPT.has(name)) return [[name, part]];
      // A partial input may end in half a secret.
      if (name === "draft") return [[name, NO_INPUT]];
      // The signature and the lengths belong to the unredacted text.
      if (name === "answer" && isStepResponse(part)) return [];
      return [[name, FOREIGN.has(name) ? redactJson(part, patterns) : redactedRecord(part, patterns)]];
    }),
  );
}

/** A model's response, which is stored under the same name as the answer to a question. */
function isStepResponse(value: unknown): value is StepResponse {
  return typeof value === "object" && value !== null && "parts" in value && Array.isArray(value.parts);
}

function isBoundedText(value: object): value is BoundedText {
  return "head" in value && "tail" in value && "total" in value && typeof value.head === "string";
}

/** Counts the redacted text as the whole, so that no text seems left out because it got shorter. */
function redactedText(
  { head, tail, total }: BoundedText,
  patterns: readonly RedactionPattern[],
): BoundedText {
  const held = head.length + tail.length;
  if (total === held) return boundText(redact(head + tail, patterns));
  const [first, last] = [redact(head, patterns), redact(tail, patterns)];
  return { head: first, tail: last, total: total - held + first.length + last.length };
}
