import { expect, test } from "vitest";
import { no, question, yes } from "./events.samples.js";
import { checkAnswer, LedgerError } from "./ledger.js";
import type { Answer } from "./question.js";

const answering =
  (answer: Answer, now = 50, asked = question) =>
  () =>
    checkAnswer(asked, answer, now);
const selects = (optionId: string): Answer => ({ ...yes, outcome: { type: "selected", optionId } });
const ledgerError = (code: string, message: string) =>
  expect.objectContaining({ name: "LedgerError", code, message });
// 1 January 2026.
const expiring = { ...question, expiresAt: 1_767_225_600_000 };

test.each(["once", "always", "no", "never"])("accepts the offered answer %j", (optionId) => {
  expect(answering(selects(optionId))).not.toThrow();
});

test("accepts the answer of a failed asker as a refusal", () => {
  expect(answering({ ...yes, outcome: { type: "refused" } })).not.toThrow();
});

test.each(["maybe", "Allow once", "", "constructor"])(
  "refuses the answer %j, which was not offered, and names the options",
  (optionId) => {
    expect(answering(selects(optionId))).toThrow(LedgerError);
    const message = `Question q1 (Edit src/app.ts) does not offer "${optionId}", only once, always, no, never. The question is still open.`;
    expect(answering(selects(optionId))).toThrow(ledgerError("NOT_OFFERED", message));
  },
);

test("rejects a yes for another intent", () => {
  const message =
    "Question q1 (Edit src/app.ts) is about another intent than this answer. The question is still open; look at it again.";
  expect(answering({ ...yes, intentHash: "hash-2" })).toThrow(ledgerError("INTENT_CHANGED", message));
  expect(answering({ ...selects("always"), intentHash: "" })).toThrow(ledgerError("INTENT_CHANGED", message));
});

test("accepts a yes until the question expires, and no later", () => {
  const message = "Question q1 (Edit src/app.ts) expired at 2026-01-01T00:00:00.000Z. Nothing was allowed.";
  expect(answering(yes, expiring.expiresAt - 1, expiring)).not.toThrow();
  expect(answering(yes, expiring.expiresAt, expiring)).toThrow(ledgerError("EXPIRED", message));
  expect(answering(yes, expiring.expiresAt + 1, expiring)).toThrow(ledgerError("EXPIRED", message));
});

test("uses the ledger's clock and not the answerer's", () => {
  expect(answering({ ...yes, at: 1 }, expiring.expiresAt, expiring)).toThrow(LedgerError);
  expect(answering({ ...yes, at: Number.MAX_SAFE_INTEGER }, 1, expiring)).not.toThrow();
});

test("accepts an answer years later when the question has no expiry", () => {
  expect(answering(yes, Number.MAX_SAFE_INTEGER)).not.toThrow();
});

test("accepts a refusal at any time and for any intent", () => {
  for (const refusal of [no, selects("never"), { ...yes, outcome: { type: "refused" } as const }]) {
    expect(answering({ ...refusal, intentHash: "hash-2" }, expiring.expiresAt + 1, expiring)).not.toThrow();
  }
});

test("rejects a refusal that was not offered", () => {
  expect(answering(selects("reject_once"), expiring.expiresAt + 1, expiring)).toThrow(
    expect.objectContaining({ code: "NOT_OFFERED" }),
  );
});
