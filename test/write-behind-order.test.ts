/**
 * Text that continues a message is sent at once and stored soon after. The log then has what was sent, in the same order
 * and with the same numbers, whatever comes in between; and every other event is stored before it is sent.
 */
import { setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { joinedEvents, SessionBook } from "../src/call/index.js";
import { Metrics } from "../src/aap/server/metrics.js";
import { asked, event as sample, onCall, question, way } from "../src/call/events.samples.js";
import type {
  AppendOptions,
  Lease,
  RecordedEvent,
  SessionEvent,
  SessionSnapshot,
} from "../src/call/index.js";
import { MemoryLedger, redactingLedger } from "../src/history/index.js";
import type { EventWriter } from "../src/record/index.js";
import { SessionRecord } from "../src/record/index.js";

const chunk = (text: string, messageId = "m", role: "agent" | "thought" = "agent"): SessionEvent => ({
  type: "message-chunk",
  at: 1,
  messageId,
  role,
  block: { type: "text", text },
});
const title = (text: string): SessionEvent => ({ type: "info-changed", at: 1, info: { title: text } });

/** Fails while `isFull`, as a full disk does. */
class FailingLedger extends MemoryLedger {
  isFull = false;
  readonly wereUrgent: boolean[] = [];

  get appends(): number {
    return this.wereUrgent.length;
  }

  override async append(
    lease: Lease,
    events: readonly SessionEvent[],
    options: AppendOptions,
  ): Promise<number> {
    this.wereUrgent.push(options.atOnce ?? false);
    if (this.isFull) throw new Error("The disk is full.");
    return super.append(lease, events, options);
  }
}

async function opened<L extends MemoryLedger>(ledger: L) {
  const record = await SessionRecord.open(ledger, question.sessionId, { owner: "someone" });
  onTestFinished(() => record.close());
  const sent: RecordedEvent[] = [];
  record.onRecorded((events) =>
    sent.push(...events.map((event, index) => ({ seq: record.seq - events.length + 1 + index, event }))),
  );
  return { ledger, record, sent, writer: record.writer() };
}

const textsIn = (events: readonly RecordedEvent[]): readonly string[] =>
  events.map(({ event }) =>
    event.type === "message-chunk" && event.block.type === "text" ? event.block.text : event.type,
  );
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The next warning of this process. */
const warnings = (): Promise<string> =>
  new Promise((resolve) => process.once("warning", ({ message }) => resolve(message)));

/** Adds text piece by piece, each in a turn of the event loop of its own. */
async function send(writer: EventWriter, ...pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    writer.add(chunk(piece));
    await nextTurn();
  }
}

test("stores the first text of a message before sending it, and sends the text that continues it at once", async () => {
  const { ledger, writer, sent, record } = await opened(new FailingLedger());
  record.onRecorded(() => {
    if (sent.length === 1) expect(ledger.appends).toBe(1);
  });
  await send(writer, "One ", "two ", "three ");
  expect(textsIn(sent)).toEqual(["One ", "two ", "three "]);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One "]);
  expect({ seq: record.seq, written: record.writtenSeq }).toEqual({ seq: 2, written: 1 });
});

test("stores buffered text within a second when nothing follows it", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await send(writer, "One ", "two ", "three ");
  await wait(1_000);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two three "]);
  expect({ appends: ledger.appends, seq: record.seq, written: record.writtenSeq }).toEqual({
    appends: 2,
    seq: 2,
    written: 2,
  });
});

test("asks the ledger to commit at once when text is stored alone", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await send(writer, "One ", "two ");
  await wait(1_000);
  await record.append([title("Counting")]);
  expect(ledger.wereUrgent).toEqual([false, true, false]);
});

test("stores buffered text before the next event, in one append", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await send(writer, "One ", "two ");
  await record.append([title("Counting")]);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two ", "info-changed"]);
  expect(ledger.appends).toBe(2);
  // After another event, the message's next text must be stored first again.
  await send(writer, "three ");
  expect(ledger.appends).toBe(3);
});

test("stores text first when it starts another message or another role", async () => {
  const { ledger, writer } = await opened(new FailingLedger());
  await send(writer, "One ", "two ");
  writer.add(chunk("Hm. ", "m", "thought"));
  await nextTurn();
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two ", "Hm. "]);
});

test("keeps buffered text when an append fails, and stores it with the next one", async () => {
  const { ledger, writer, record, sent } = await opened(new FailingLedger());
  await send(writer, "One ", "two ");
  ledger.isFull = true;
  await expect(record.append([title("Lost")])).rejects.toThrow("The disk is full.");
  await send(writer, "three ");
  ledger.isFull = false;
  await record.append([title("Kept")]);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two three ", "info-changed"]);
  expect(sent.at(-1)?.seq).toBe(3);
});

test("retries buffered text when more text follows a failed flush", async () => {
  const { ledger, writer } = await opened(new FailingLedger());
  await send(writer, "One ", "two ");
  ledger.isFull = true;
  await expect.poll(() => ledger.appends).toBe(2);
  ledger.isFull = false;
  await send(writer, "three ");
  await expect.poll(() => ledger.appends).toBe(3);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two three "]);
});

test("flushes a record's text when another record was closed while timers stood still", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stopped = await opened(new FailingLedger());
  await send(stopped.writer, "One ", "two ");
  await stopped.record.close();
  vi.useRealTimers();
  const { ledger, writer } = await opened(new FailingLedger());
  await send(writer, "One ", "two ");
  await expect.poll(() => ledger.appends).toBe(2);
});

test("stores all text when the session is closed", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await send(writer, "One ", "two ");
  await record.close();
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two "]);
});

test("stores text before sending it when a question is open, for its answer may come next", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await record.append(asked);
  await send(writer, "One ", "two ", "three ");
  expect(textsIn(await ledger.read(question.sessionId)).slice(asked.length)).toEqual([
    "One ",
    "two ",
    "three ",
  ]);
});

test("appends a subscriber's event after the text that the subscriber was sent", async () => {
  const { ledger, record, writer } = await opened(new FailingLedger());
  const wanted: Promise<void>[] = [];
  const stop = record.onRecorded(([event]) => {
    if (event?.type === "message-chunk" && wanted.length < 2) wanted.push(record.append([title("Wanted")]));
  });
  await send(writer, "One ", "two ", "three ");
  await Promise.all(wanted);
  stop();
  const log = textsIn(await ledger.read(question.sessionId));
  expect(log.filter((text) => text === "info-changed")).toHaveLength(2);
  expect(log.filter((text) => text !== "info-changed").join("")).toBe("One two three ");
});

test("sends no text twice when a subscriber catches up", async () => {
  const { ledger, record, writer, sent } = await opened(new FailingLedger());
  record.onRecorded(() => void record.catchUp());
  await send(writer, "One ", "two ", "three ");
  await record.close();
  expect(textsIn(await ledger.read(question.sessionId)).join("")).toBe("One two three ");
  expect(textsIn(sent).join("")).toBe("One two three ");
});

test("sends text to every subscriber when one of them throws", async () => {
  const { ledger, record, writer, sent } = await opened(new FailingLedger());
  const warned = warnings();
  await send(writer, "One ");
  record.book.subscribe(() => {
    throw new Error("It cannot be shown.");
  });
  await send(writer, "two ", "three ");
  expect(textsIn(sent).join("")).toBe("One two three ");
  expect(await warned).toBe("It cannot be shown.");
  await record.close().catch(() => undefined);
  expect(textsIn(await ledger.read(question.sessionId)).join("")).toBe("One two three ");
});

/** A session that has text to store, and that another owner has claimed since. */
async function openedAndTaken() {
  let ahead = 0;
  const ledger = new MemoryLedger({ now: () => Date.now() + ahead });
  const { writer, record, sent } = await opened(ledger);
  await send(writer, "One ", "two ");
  ahead = 60_000;
  await ledger.claim(question.sessionId, "somebody else", { milliseconds: 60_000 });
  return { writer, record, sent };
}

test("stops sending text within a second when another owner has claimed the session", async () => {
  const { writer, record, sent } = await openedAndTaken();
  await wait(1_000);
  expect(record.lost.aborted).toBe(true);
  sent.length = 0;
  await send(writer, "three ", "four ");
  expect(sent).toEqual([]);
  await expect(writer.flush()).rejects.toThrow(/lease/);
});

test("sends no text when an append was refused because another owner has the lease", async () => {
  const { writer, record, sent } = await openedAndTaken();
  await expect(record.append([title("Lost")])).rejects.toThrow(/lease/);
  expect(record.lost.aborted).toBe(true);
  sent.length = 0;
  await send(writer, "three ");
  expect(sent).toEqual([]);
});

test("reports the lost lease when an event is illegal after what the new owner has recorded", async () => {
  let ahead = 0;
  const ledger = new MemoryLedger({ now: () => Date.now() + ahead });
  const { record } = await opened(ledger);
  // An open question makes the record read what others append.
  await record.append([...asked, ...onCall("other", sample.announced, ...way.running)]);
  ahead = 60_000;
  const lease = await ledger.claim(question.sessionId, "somebody else", { milliseconds: 60_000 });
  await ledger.append(lease, onCall("other", sample.lost), { durable: true });
  await record.catchUp();
  await expect(record.append(onCall("other", sample.failed))).rejects.toMatchObject({ code: "LEASE_LOST" });
  expect(record.lost.aborted).toBe(true);
});

test("sends nothing when the session is closed", async () => {
  const { writer, record, sent } = await opened(new MemoryLedger());
  await send(writer, "One ", "two ");
  await record.close();
  sent.length = 0;
  await send(writer, "three ");
  expect(sent).toEqual([]);
  await expect(writer.flush()).rejects.toThrow(/lease/);
  // The lease was released: no other owner has it.
  expect(record.lost.aborted).toBe(false);
});

test("stores text before sending it when the ledger does not say that it stores verbatim", async () => {
  const ledger = new MemoryLedger();
  Reflect.deleteProperty(ledger, "storesVerbatim");
  const { writer, record } = await opened(ledger);
  await send(writer, "One ", "two ", "three ");
  expect(record.writtenSeq).toBe(record.seq);
});

test("saves no snapshot when the session is closed with text that cannot be stored", async () => {
  const ledger = new FailingLedger();
  const kept: number[] = [];
  const { writer, record } = await opened(
    Object.assign(ledger, {
      keepSnapshot: async (_: Lease, { seq }: SessionSnapshot) => void kept.push(seq),
    }),
  );
  await record.append(Array.from({ length: 600 }, (_, index) => title(`${index}`)));
  await send(writer, "One ", "two ");
  ledger.isFull = true;
  await record.close();
  expect(kept).toEqual([]);
});

test("stores text before sending it when the ledger redacts", async () => {
  const inner = new MemoryLedger();
  const ledger = redactingLedger(inner);
  const record = await SessionRecord.open(ledger, question.sessionId, { owner: "someone" });
  onTestFinished(() => record.close());
  const writer = record.writer();
  await send(writer, "One ", "two ", "three ");
  expect(record.writtenSeq).toBe(record.seq);
  // A ledger that wraps this one says so too.
  expect(new Metrics().watched(ledger).storesVerbatim).toBe(false);
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("send"), message: fc.constantFrom("a", "a", "a", "b") }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("record", "fill the disk", "clear the disk", "catch up") }),
  },
);
const pause = fc.constantFrom("nothing", "a microtask", "a turn", "a turn" as const);

test("stores what was sent, with the same numbers, whatever comes in between", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, pause), { maxLength: 40 }), async (steps) => {
      const { ledger, writer, record, sent } = await opened(new FailingLedger());
      for (const [index, [what, next]] of steps.entries()) {
        if (what.do === "send") writer.add(chunk(`${index} `, "message" in what ? what.message : ""));
        if (what.do === "record") await record.append([title(`${index}`)]).catch(() => undefined);
        if (what.do === "catch up") await record.catchUp();
        if (what.do === "fill the disk") ledger.isFull = true;
        if (what.do === "clear the disk") ledger.isFull = false;
        if (next === "a microtask") await Promise.resolve();
        if (next === "a turn") await nextTurn();
      }
      ledger.isFull = false;
      await record.append([title("the end")]);
      const log = await ledger.read(question.sessionId);
      expect(joinedUp(sent)).toEqual(log);
      const events = log.map(({ event }) => event);
      expect(record.book.snapshot()).toEqual(new SessionBook(question.sessionId, events).snapshot());
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
  );
});

/** Pieces of one event, as that event. */
function joinedUp(sent: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const all: RecordedEvent[] = [];
  for (const one of sent) {
    const before = all.at(-1);
    const joined = before?.seq === one.seq ? joinedEvents(before.event, one.event) : undefined;
    if (joined) all.splice(-1, 1, { seq: one.seq, event: joined });
    else all.push(one);
  }
  return all;
}
