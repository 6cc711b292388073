/**
 * Events of many reporters go into few appends. Whatever the ledger does, each reporter hears the truth: what was
 * recorded is in the log once, what was asked to be durable was appended so before it is said, and the rest is not there.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LedgerError } from "../src/call/index.js";
import type { Lease, SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { SessionRecord } from "../src/record/index.js";

type Fate = "at once" | "next turn" | "later" | "lost";

/** Appends when its fate says so, or not at all, and knows which messages were appended durably. */
class FatefulLedger extends MemoryLedger {
  readonly appended = new Set<string>();
  readonly durable = new Set<string>();
  appends = 0;
  readonly #fates: readonly Fate[];

  constructor(fates: readonly Fate[]) {
    super();
    this.#fates = fates;
  }

  override async append(
    lease: Lease,
    events: readonly SessionEvent[],
    options: { readonly durable: boolean },
  ): Promise<number> {
    const fate = this.#fates[this.appends % this.#fates.length];
    this.appends += 1;
    if (fate === "next turn") await nextTurn();
    if (fate === "later") await new Promise((resolve) => void setTimeout(resolve, 1));
    if (fate === "lost") throw new LedgerError("LEASE_LOST", "The lease was lost.");
    const last = await super.append(lease, events, options);
    for (const event of events) {
      if (event.type !== "message-chunk") continue;
      this.appended.add(event.messageId);
      if (options.durable) this.durable.add(event.messageId);
    }
    return last;
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Whether it was, by what its reporter hears, in the moment in which that is heard. */
const isRecorded = (recorded: Promise<void>): Promise<boolean> =>
  recorded.then(
    () => true,
    () => false,
  );

const at = 0;
const words = (messageId: string): SessionEvent => ({
  type: "message-chunk",
  at,
  messageId,
  role: "agent",
  block: { type: "text", text: "x" },
});
/** There is no such call: it can never be taken. */
const illegal: SessionEvent = { type: "cancel-wished", at, toolCallId: "none" };

const report = fc.record({
  how: fc.constantFrom("plain", "durable", "made" as const),
  isLegal: fc.boolean(),
  /** What happens before the next one reports. */
  next: fc.constantFrom("nothing", "a moment", "a turn" as const),
});
const fatesOf = (...known: readonly Fate[]) =>
  fc.array(fc.constantFrom(...known), { minLength: 1, maxLength: 10 });
const fates = fc.oneof(
  fatesOf("at once", "next turn", "later"),
  fatesOf("at once", "next turn", "later", "lost"),
);

test("each reporter hears whether its events were recorded, and nothing is recorded twice or in secret", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(report, { maxLength: 25 }), fates, async (reports, ledgerFates) => {
      const ledger = new FatefulLedger(ledgerFates);
      const record = await SessionRecord.open(ledger, "s", { owner: "someone" });
      const heard: Promise<void>[] = [];
      for (const [index, { how, isLegal, next }] of reports.entries()) {
        const messageId = `m${index}`;
        const events = isLegal ? [words(messageId)] : [words(messageId), illegal];
        const recorded =
          how === "made"
            ? record.appendLatest(() => events)
            : record.append(events, { durable: how === "durable" });
        heard.push(
          isRecorded(recorded).then((is) => {
            expect(ledger.appended.has(messageId)).toBe(is);
            if (is && how !== "plain") expect(ledger.durable).toContain(messageId);
            // Each answers for itself: only a ledger that fails keeps a legal one out.
            if (!isLegal || !ledgerFates.includes("lost")) expect(is).toBe(isLegal);
            return undefined;
          }),
        );
        if (next === "a moment") await Promise.resolve();
        if (next === "a turn") await nextTurn();
      }
      await Promise.all(heard);
      const log = await ledger.read("s");
      const said = log.flatMap(({ event }) => (event.type === "message-chunk" ? [event.messageId] : []));
      expect(new Set(said).size).toBe(said.length);
      // What is in the book is in the log, in the same order.
      expect(record.seq).toBe(log.length);
      const told = record.book
        .snapshot()
        .timeline.flatMap((entry) => (entry.type === "message" ? [entry.message.messageId] : []));
      expect(told).toEqual(said);
      await record.close();
    }),
  );
});

test("what a reporter must have recorded comes after all that it reported before, and in the order in which it said so", async () => {
  const step = fc.record({
    what: fc.constantFrom("report", "must be recorded" as const),
    next: fc.constantFrom("nothing", "a moment", "a turn" as const),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fatesOf("at once", "next turn", "later"),
      async (steps, ledgerFates) => {
        const ledger = new FatefulLedger(ledgerFates);
        const record = await SessionRecord.open(ledger, "s", { owner: "someone" });
        const writer = record.writer();
        const flushed: Promise<void>[] = [];
        for (const [index, { what, next }] of steps.entries()) {
          if (what === "report") writer.add(words(`m${index}`));
          else flushed.push(writer.append([words(`m${index}`)]));
          if (next === "a moment") await Promise.resolve();
          if (next === "a turn") await nextTurn();
        }
        await Promise.all(flushed);
        await writer.flush();
        const log = await ledger.read("s");
        const said = log.flatMap(({ event }) => (event.type === "message-chunk" ? [event.messageId] : []));
        expect(said).toHaveLength(steps.length);
        for (const [index, { what }] of steps.entries()) {
          if (what === "report") continue;
          const before = said.slice(0, said.indexOf(`m${index}`));
          expect(before).toEqual(
            expect.arrayContaining(steps.slice(0, index).map((_, earlier) => `m${earlier}`)),
          );
        }
        await record.close();
      },
    ),
  );
});

test("what two hundred report together goes into few appends, and what one reports alone is not held up", async () => {
  const ledger = new FatefulLedger(["later"]);
  const record = await SessionRecord.open(ledger, "s", { owner: "someone" });
  const alone = record.append([words("alone")]);
  await Promise.resolve();
  expect(ledger.appends).toBe(1);
  const together = Array.from({ length: 200 }, (_, index) => record.append([words(`m${index}`)]));
  await Promise.all([alone, ...together]);
  expect(ledger.appends).toBeLessThan(5);
  expect(record.seq).toBe(201);
  await record.close();
});
