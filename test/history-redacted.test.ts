/** A session on a ledger that keeps no secrets: the writer has it unredacted, and the ledger stores it redacted. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Ledger, SessionEvent } from "../src/call/index.js";
import { SessionBook } from "../src/call/index.js";
import { MemoryLedger, redactingLedger, redactSession } from "../src/history/index.js";
import { SessionRecord } from "../src/record/index.js";

const SECRET = `ghp_${"a1B2c3D4".repeat(5)}`;
const NOON = Date.UTC(2026, 0, 2, 12);

const said = (text: string, messageId = "m"): SessionEvent => ({
  type: "message-chunk",
  at: NOON,
  messageId,
  role: "agent",
  block: { type: "text", text },
});

function started(toolCallId: string, rawInput: unknown): SessionEvent[] {
  return [
    {
      type: "call-announced",
      toolCallId,
      at: NOON,
      name: "t",
      title: "T",
      kind: "other",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at: NOON, rawInput },
    { type: "call-cleared", toolCallId, at: NOON, decision: { by: "rule", rule: "r", at: NOON } },
    { type: "run-started", toolCallId, at: NOON },
    { type: "content-appended", toolCallId, at: NOON, content: { type: "terminal", terminalId: "t" } },
  ];
}
const printed = (toolCallId: string, text: string): SessionEvent => ({
  type: "terminal-output",
  toolCallId,
  at: NOON,
  terminalId: "t",
  text,
});
const done = (toolCallId: string, rawOutput: unknown): SessionEvent => ({
  type: "call-done",
  toolCallId,
  at: NOON,
  rawOutput,
});

async function recorded(inner: Ledger, batches: readonly (readonly SessionEvent[])[]) {
  const record = await SessionRecord.open(redactingLedger(inner), "s", { owner: "ann" });
  for (const batch of batches) await record.append(batch);
  const live = record.book.snapshot();
  await record.close();
  const log = (await inner.read("s")).map(({ event }) => event);
  return { live, stored: new SessionBook("s", log).snapshot(), text: JSON.stringify(log) };
}

test("sends held-back text once, and gives the next call its own input", async () => {
  const { live, stored, text } = await recorded(new MemoryLedger(), [
    [said("I use the token ")],
    started("c1", { header: `Bearer ${SECRET}` }),
    [printed("c1", `token ${SECRET.slice(0, 12)}`)],
    [printed("c1", `${SECRET.slice(12)} used\n`)],
    [done("c1", SECRET)],
  ]);
  expect(live.timeline).toMatchObject([
    { message: { blocks: [{ text: "I use the token " }] } },
    { call: { rawInput: { header: `Bearer ${SECRET}` }, rawOutput: SECRET } },
  ]);
  expect(text).not.toContain("a1B2c3D4");
  expect(stored).toEqual(redactSession(live));
});

test("folds an answer between two deltas in its place and keeps the input", async () => {
  const inner = new MemoryLedger();
  const record = await SessionRecord.open(redactingLedger(inner), "s", { owner: "ann" });
  const [announced, ready] = started("c1", { n: 1 });
  await record.append([
    ...[announced, ready].flatMap((event) => event ?? []),
    {
      type: "question-asked",
      toolCallId: "c1",
      at: NOON,
      question: {
        questionId: "q1",
        sessionId: "s",
        toolCallId: "c1",
        intentHash: "h",
        title: "T",
        options: [{ optionId: "no", name: "No", kind: "reject_once" }],
        askedAt: NOON,
      },
    },
    said("the token is "),
  ]);
  await inner.answer("q1", { outcome: { type: "refused" }, intentHash: "h", by: "person", at: NOON });
  await record.append(started("c2", { password: "hunter2" }));
  expect(record.book.question("q1")?.state.status).toBe("answered");
  expect(record.book.call("c2")?.rawInput).toEqual({ password: "hunter2" });
  expect(record.seq).toBe((await inner.read("s")).length);
  await record.close();
});

/** Words, and a secret in one piece or in two that follow each other. */
const texts = fc.constantFrom(
  ["plain "],
  ["the token is "],
  [`${SECRET} `],
  [SECRET.slice(0, 9), `${SECRET.slice(9)} `],
  ["\n"],
  ["pass", "ed.\n"],
);
const happenings = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom("m1", "m2"), texts).map(([id, cut]) => cut.map((text) => said(text, id))),
      fc.tuple(fc.constantFrom("c1", "c2"), texts).map(([id, cut]) => cut.map((text) => printed(id, text))),
      fc.constant<SessionEvent[]>([{ type: "mode-changed", at: NOON, modeId: "code" }]),
    ),
    { maxLength: 10 },
  )
  .map((all) => all.flat());

test("shows text live unredacted and stores it redacted, however it was cut", async () => {
  await fc.assert(
    fc.asyncProperty(happenings, fc.integer({ min: 1, max: 4 }), async (events, size) => {
      const batches = [[...started("c1", { a: SECRET }), ...started("c2", { b: 1 })]];
      for (let at = 0; at < events.length; at += size) batches.push(events.slice(at, at + size));
      batches.push([done("c1", 1), done("c2", 2)]);
      const { live, stored, text } = await recorded(new MemoryLedger(), batches);
      expect(live).toEqual(new SessionBook("s", batches.flat()).snapshot());
      expect(text).not.toContain("a1B2c3D4");
      expect(stored).toEqual(redactSession(live));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
  );
});
