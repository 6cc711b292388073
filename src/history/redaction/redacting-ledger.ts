/**
 * A ledger that redacts events before they are appended, so that no recognizable secret is stored.
 *
 * Invariant: the redacted log folds to the redacted session. The writing process has the session unredacted:
 * calls run with the input that they were given, and the model gets their real output.
 *
 * The costs: changed files are not kept, so no call can be undone; a process that takes the session over asks again about
 * a call whose input had a secret in it, because the recorded input is no longer the one that was asked about; a
 * provider's signature of a response is not kept, since the signed text may have changed.
 */
import { createHash } from "node:crypto";
import { checkOptions, LEDGER, required } from "../../call/check-options.js";

import type { Answer, AnswerReceipt, Lease, Ledger } from "../../call/index.js";
import { forwardLedger } from "../../call/forward-ledger.js";
import { redactedRecord, type RedactOptions } from "./redact-event.js";
import { RedactedEvents } from "./redacted-events.js";
import { PATTERNS } from "./redaction-pattern.js";
import type { RedactionPattern } from "./redaction-pattern.js";

export function redactingLedger(ledger: Ledger, given: RedactOptions = {}): Ledger {
  checkOptions("redactingLedger", { ledger }, { ledger: required(LEDGER) });
  checkOptions<RedactOptions>("redactingLedger", given, { patterns: PATTERNS });
  const { patterns = [] } = given;
  const streams = new Map<string, RedactedEvents>();
  const streamsOf = (sessionId: string): RedactedEvents => {
    const known = streams.get(sessionId) ?? new RedactedEvents(patterns);
    streams.set(sessionId, known);
    return known;
  };
  const end = async (lease: Lease): Promise<void> => {
    const rest = streams.get(lease.sessionId)?.rest() ?? [];
    streams.delete(lease.sessionId);
    if (rest.length > 0) await ledger.append(lease, rest, { durable: false });
  };
  return {
    // A snapshot would have the session as it was before redaction.
    ...forwardLedger(ledger, { hasSnapshots: false }),
    storesVerbatim: false,
    release: async (lease) => {
      // A lost lease has no right to append any more; releasing it does nothing.
      await end(lease).catch(() => undefined);
      await ledger.release(lease);
    },
    append: async (lease, events, { onStored, ...options }) => {
      const before = streamsOf(lease.sessionId);
      const after = before.copy();
      const redacted = after.redacted(events);
      streams.set(lease.sessionId, after);
      const last = await ledger.append(lease, redacted, options).catch((error: unknown) => {
        // Events that were not stored do not count. An append that did not wait for the one before keeps its own state.
        if (streams.get(lease.sessionId) === after) streams.set(lease.sessionId, before);
        throw error;
      });
      // The count exceeds the given events where buffered text had to go first.
      onStored?.(redacted.length);
      return last;
    },
    answer: async (questionId, answer) => answerRedacted(ledger, questionId, answer, patterns),
    remove: (lease) => {
      streams.delete(lease.sessionId);
      return ledger.remove(lease);
    },
    // Callers get the hash, and nothing is stored under it.
    putBlob: async (bytes) => createHash("sha256").update(bytes).digest("hex"),
  };
}

async function answerRedacted(
  ledger: Ledger,
  questionId: string,
  answer: Answer,
  patterns: readonly RedactionPattern[],
): Promise<AnswerReceipt> {
  // The walk changes texts and nothing else, so an answer stays one.
  const redacted = redactedRecord(answer, patterns) as Answer;
  if (JSON.stringify(redacted.input) !== JSON.stringify(answer.input)) {
    // The recorded input is the one that runs: it must be the one that was approved.
    throw new RangeError(
      `The input in the answer to question ${questionId} has a secret in it, and this ledger keeps none. Nothing was recorded; answer without a changed input.`,
    );
  }
  return ledger.answer(questionId, redacted);
}
