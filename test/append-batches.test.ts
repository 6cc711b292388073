/**
 * Events of many sources go into few appends. However the ledger fails, each source learns the outcome: stored events
 * are in the log once, durable ones were appended durably before their promise resolves, and no others are there.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LedgerError } from "../src/call/index.js";
import type { Lease, SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { SessionRecord } from "../src/record/index.js";

type Fate = "at once" | "next turn" | "later" | "lost";

/** Appends or fails as the test says, and knows which messages were appended durably. */
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

/** The promise's outcome, at the time at which it settles. */
const isRecorded = (recorded: Promise<void>): Promise<boolean> =>
  recorded.then(
    () => true,
    () => false,
  );

const at = 0;
const chunk = (messageId: string): SessionEvent => ({
  type: "message-chunk",
  at,
  messageId,
  role: "agent",
  block: { type: "text", text: "x" },
});
const messageIdOf = (event: SessionEvent): string =>
  event.type === "message-chunk" ? event.messageId : event.type;
/** An event of an unknown call: it is always illegal. */
const illegal: SessionEvent = { type: "cancel-requested", at, toolCallId: "none" };

const report = fc.record({
  how: fc.constantFrom("plain", "durable", "made" as const),
  isLegal: fc.boolean(),
  /** The pause before the next report. */
  next: fc.constantFrom("nothing", "a microtask", "a turn" as const),
});
const fatesOf = (...known: readonly Fate[]) =>
  fc.array(fc.constantFrom(...known), { minLength: 1, maxLength: 10 });
const fates = fc.oneof(
  fatesOf("at once", "next turn", "later"),
  fatesOf("at once", "next turn", "later", "lost"),
);

test("reports to each source whether its events were stored, and stores none twice or unreported", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(report, { maxLength: 25 }), fates, async (reports, ledgerFates) => {
      const ledger = new FatefulLedger(ledgerFates);
      const record = await SessionRecord.open(ledger, "s", { owner: "someone" });
      const checked: Promise<void>[] = [];
      for (const [index, { how, isLegal, next }] of reports.entries()) {
        const messageId = `m${index}`;
        const events = isLegal ? [chunk(messageId)] : [chunk(messageId), illegal];
        const recorded =
          how === "made"
            ? record.appendLatest(() => events)
            : record.append(events, { durable: how === "durable" });
        checked.push(
          isRecorded(recorded).then((is) => {
            expect(ledger.appended.has(messageId)).toBe(is);
            if (is && how !== "plain") expect(ledger.durable).toContain(messageId);
            // Each batch stands alone: only a failing ledger keeps a legal one out.
            if (!isLegal || !ledgerFates.includes("lost")) expect(is).toBe(isLegal);
            return undefined;
          }),
        );
        if (next === "a microtask") await Promise.resolve();
        if (next === "a turn") await nextTurn();
      }
      await Promise.all(checked);
      const log = await ledger.read("s");
      const stored = log.flatMap(({ event }) => (event.type === "message-chunk" ? [event.messageId] : []));
      expect(new Set(stored).size).toBe(stored.length);
      // The book has the events of the log, in the same order.
      expect(record.seq).toBe(log.length);
      const folded = record.book
        .snapshot()
        .timeline.flatMap((entry) => (entry.type === "message" ? [entry.message.messageId] : []));
      expect(folded).toEqual(stored);
      await record.close();
    }),
  );
});

test("stores a writer's appended events after everything that it added before, in order", async () => {
  const step = fc.record({
    what: fc.constantFrom("report", "must be recorded" as const),
    next: fc.constantFrom("nothing", "a microtask", "a turn" as const),
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
          if (what === "report") writer.add(chunk(`m${index}`));
          else flushed.push(writer.append([chunk(`m${index}`)]));
          if (next === "a microtask") await Promise.resolve();
          if (next === "a turn") await nextTurn();
        }
        await Promise.all(flushed);
        await writer.flush();
        const log = await ledger.read("s");
        const stored = log.flatMap(({ event }) => (event.type === "message-chunk" ? [event.messageId] : []));
        expect(stored).toHaveLength(steps.length);
        for (const [index, { what }] of steps.entries()) {
          if (what === "report") continue;
          const before = stored.slice(0, stored.indexOf(`m${index}`));
          expect(before).toEqual(
            expect.arrayContaining(steps.slice(0, index).map((_, earlier) => `m${earlier}`)),
          );
        }
        await record.close();
      },
    ),
  );
});

test("needs few appends when two hundred sources report together, and does not delay one alone", async () => {
  const ledger = new FatefulLedger(["later"]);
  const record = await SessionRecord.open(ledger, "s", { owner: "someone" });
  const alone = record.append([chunk("alone")]);
  await Promise.resolve();
  expect(ledger.appends).toBe(1);
  const together = Array.from({ length: 200 }, (_, index) => record.append([chunk(`m${index}`)]));
  await Promise.all([alone, ...together]);
  expect(ledger.appends).toBeLessThan(5);
  expect(record.seq).toBe(201);
  await record.close();
});

test("publishes a writer's added events before its appended ones when both came in one tick", async () => {
  const ledger = new FatefulLedger(["at once"]);
  const record = await SessionRecord.open(ledger, "s", { owner: "someone" });
  await record.append([chunk("first of the tick")]);
  const published: (readonly string[])[] = [];
  record.onRecorded((events) => published.push(events.map(messageIdOf)));
  const [one, other] = [record.writer(), record.writer()];
  one.add(chunk("added by one"));
  const ended = [one.append([chunk("end of one")])];
  other.add(chunk("added by the other"));
  ended.push(other.append([chunk("end of the other")]));
  await Promise.all(ended);
  expect(published).toEqual([
    ["added by one", "added by the other"],
    ["end of one", "end of the other"],
  ]);
  await record.close();
});

test("derives events from a state that has a writer's appended events when these came before", async () => {
  const ledger = new FatefulLedger(["next turn"]);
  const record = await SessionRecord.open(ledger, "s", { owner: "someone" });
  await record.append([chunk("first of the tick")]);
  const writer = record.writer();
  writer.add(chunk("added"));
  const ended = writer.append([chunk("appended")]);
  let seen = 0;
  await record.appendLatest(() => {
    seen = record.seq;
    return [];
  });
  expect(seen).toBe(3);
  await ended;
  await record.close();
});

test("records the same text whether a chunk continued the last event or was an event of its own", async () => {
  const chunks = fc.array(
    fc.record({
      text: fc.oneof(fc.string({ minLength: 1, maxLength: 9 }), fc.constant("long ".repeat(8_000))),
      next: fc.constantFrom("nothing", "nothing", "a turn", "another message" as const),
    }),
    { minLength: 1, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(chunks, async (given) => {
      const ledger = new MemoryLedger();
      const record = await SessionRecord.open(ledger, "s", { owner: "o" });
      const writer = record.writer();
      let message = 0;
      const expected = new Map<string, string>();
      for (const { text, next } of given) {
        const messageId = `m${message}`;
        expected.set(messageId, (expected.get(messageId) ?? "") + text);
        const continues = expected.get(messageId) !== text;
        if (!continues || !writer.addText(text))
          writer.add({ type: "message-chunk", at, messageId, role: "agent", block: { type: "text", text } });
        if (next === "a turn") await nextTurn();
        if (next === "another message") message += 1;
      }
      await record.close();
      const stored = new Map<string, string>();
      for (const { event } of await ledger.read("s")) {
        if (event.type !== "message-chunk" || event.block.type !== "text") throw new Error(event.type);
        expect(event.block.text.length).toBeLessThanOrEqual(65_536);
        stored.set(event.messageId, (stored.get(event.messageId) ?? "") + event.block.text);
      }
      expect([...stored]).toEqual([...expected]);
    }),
  );
});
