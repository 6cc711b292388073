/**
 * An answer's words are told at once and written a moment later. Whatever comes in between, what was told is what the
 * log then has, in the same order and with the same numbers; and what must be on record first still is.
 */
import { setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { joinedEvents, SessionBook } from "../src/call/index.js";
import { Metrics } from "../src/aap/server/metrics.js";
import { asked, question } from "../src/call/events.samples.js";
import type {
  AppendOptions,
  Lease,
  RecordedEvent,
  SessionEvent,
  SessionSnapshot,
} from "../src/call/index.js";
import { MemoryLedger, redactingLedger } from "../src/history/index.js";
import { EventWriter, SessionRecord } from "../src/run/index.js";

const chunk = (text: string, messageId = "m", role: "agent" | "thought" = "agent"): SessionEvent => ({
  type: "message-chunk",
  at: 1,
  messageId,
  role,
  block: { type: "text", text },
});
const title = (text: string): SessionEvent => ({ type: "info-changed", at: 1, info: { title: text } });

/** Fails when it is told to, as a full disk does. */
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
  const told: RecordedEvent[] = [];
  record.onRecorded((events) =>
    told.push(...events.map((event, index) => ({ seq: record.seq - events.length + 1 + index, event }))),
  );
  return { ledger, record, told, writer: new EventWriter(record) };
}

const textsIn = (events: readonly RecordedEvent[]): readonly string[] =>
  events.map(({ event }) =>
    event.type === "message-chunk" && event.block.type === "text" ? event.block.text : event.type,
  );
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The next warning of this process. */
const warnings = (): Promise<string> =>
  new Promise((resolve) => process.once("warning", ({ message }) => resolve(message)));

/** Says words one by one, each in a moment of its own. */
async function say(writer: EventWriter, ...pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    writer.add(chunk(piece));
    await nextTurn();
  }
}

test("a message's first words are on record when they are told, and what goes on with them is told at once", async () => {
  const { ledger, writer, told, record } = await opened(new FailingLedger());
  record.onRecorded(() => {
    if (told.length === 1) expect(ledger.appends).toBe(1);
  });
  await say(writer, "One ", "two ", "three ");
  expect(textsIn(told)).toEqual(["One ", "two ", "three "]);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One "]);
  expect({ seq: record.seq, written: record.writtenSeq }).toEqual({ seq: 2, written: 1 });
});

test("words that nothing follows are on record within a second", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await say(writer, "One ", "two ", "three ");
  await wait(1_000);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two three "]);
  expect({ appends: ledger.appends, seq: record.seq, written: record.writtenSeq }).toEqual({
    appends: 2,
    seq: 2,
    written: 2,
  });
});

test("what is said next is held up while words are written, so the ledger is asked to do that at once", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await say(writer, "One ", "two ");
  await wait(1_000);
  await record.record([title("Counting")]);
  expect(ledger.wereUrgent).toEqual([false, true, false]);
});

test("what is recorded next takes them along, in one append and after them", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await say(writer, "One ", "two ");
  await record.record([title("Counting")]);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two ", "info-changed"]);
  expect(ledger.appends).toBe(2);
  // After something else has happened, the message's next words must be on record first again.
  await say(writer, "three ");
  expect(ledger.appends).toBe(3);
});

test("another message's words, and a thought's beside a text's, are on record first", async () => {
  const { ledger, writer } = await opened(new FailingLedger());
  await say(writer, "One ", "two ");
  writer.add(chunk("Hm. ", "m", "thought"));
  await nextTurn();
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two ", "Hm. "]);
});

test("words that could not be written are kept, and written with what can be", async () => {
  const { ledger, writer, record, told } = await opened(new FailingLedger());
  await say(writer, "One ", "two ");
  ledger.isFull = true;
  await expect(record.record([title("Lost")])).rejects.toThrow("The disk is full.");
  await say(writer, "three ");
  ledger.isFull = false;
  await record.record([title("Kept")]);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two three ", "info-changed"]);
  expect(told.at(-1)?.seq).toBe(3);
});

test("words that could not be written when it was time are tried again with those that follow", async () => {
  const { ledger, writer } = await opened(new FailingLedger());
  await say(writer, "One ", "two ");
  ledger.isFull = true;
  await expect.poll(() => ledger.appends, { timeout: 2_000 }).toBe(2);
  ledger.isFull = false;
  await say(writer, "three ");
  await expect.poll(() => ledger.appends, { timeout: 2_000 }).toBe(3);
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two three "]);
});

test("a clock that was stopped, and a session that was closed then, keep no other session's words from being written", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stopped = await opened(new FailingLedger());
  await say(stopped.writer, "One ", "two ");
  await stopped.record.close();
  vi.useRealTimers();
  const { ledger, writer } = await opened(new FailingLedger());
  await say(writer, "One ", "two ");
  await expect.poll(() => ledger.appends, { timeout: 2_000 }).toBe(2);
});

test("a session that is closed has all of its words on record", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await say(writer, "One ", "two ");
  await record.close();
  expect(textsIn(await ledger.read(question.sessionId))).toEqual(["One ", "two "]);
});

test("while a question is open, someone's answer to it may come next: words are on record first", async () => {
  const { ledger, writer, record } = await opened(new FailingLedger());
  await record.record(asked);
  await say(writer, "One ", "two ", "three ");
  expect(textsIn(await ledger.read(question.sessionId)).slice(asked.length)).toEqual([
    "One ",
    "two ",
    "three ",
  ]);
});

test("who hears a word may want something recorded: it comes after that word, and is on record when they are told so", async () => {
  const { ledger, record, writer } = await opened(new FailingLedger());
  const wanted: Promise<void>[] = [];
  const stop = record.onRecorded(([event]) => {
    if (event?.type === "message-chunk" && wanted.length < 2) wanted.push(record.record([title("Wanted")]));
  });
  await say(writer, "One ", "two ", "three ");
  await Promise.all(wanted);
  stop();
  const log = textsIn(await ledger.read(question.sessionId));
  expect(log.filter((text) => text === "info-changed")).toHaveLength(2);
  expect(log.filter((text) => text !== "info-changed").join("")).toBe("One two three ");
});

test("who hears a word may look for what is new, and hears none twice for it", async () => {
  const { ledger, record, writer, told } = await opened(new FailingLedger());
  record.onRecorded(() => void record.catchUp());
  await say(writer, "One ", "two ", "three ");
  await record.close();
  expect(textsIn(await ledger.read(question.sessionId)).join("")).toBe("One two three ");
  expect(textsIn(told).join("")).toBe("One two three ");
});

test("who cannot hear a word keeps nobody else from it", async () => {
  const { ledger, record, writer, told } = await opened(new FailingLedger());
  const warned = warnings();
  await say(writer, "One ");
  record.book.subscribe(() => {
    throw new Error("It cannot be shown.");
  });
  await say(writer, "two ", "three ");
  expect(textsIn(told).join("")).toBe("One two three ");
  expect(await warned).toBe("It cannot be shown.");
  await record.close().catch(() => undefined);
  expect(textsIn(await ledger.read(question.sessionId)).join("")).toBe("One two three ");
});

/** A session that has words to write, and that somebody else has claimed since. */
async function openedAndTaken() {
  let ahead = 0;
  const ledger = new MemoryLedger({ now: () => Date.now() + ahead });
  const { writer, record, told } = await opened(ledger);
  await say(writer, "One ", "two ");
  ahead = 60_000;
  await ledger.claim(question.sessionId, "somebody else", { milliseconds: 60_000 });
  return { writer, record, told };
}

test("once the session is somebody else's, its words are told to nobody for longer than a moment", async () => {
  const { writer, record, told } = await openedAndTaken();
  await wait(1_000);
  expect(record.lost.aborted).toBe(true);
  told.length = 0;
  await say(writer, "three ", "four ");
  expect(told).toEqual([]);
  await expect(writer.flush()).rejects.toThrow(/lease/);
});

test("once an append was refused because the session is somebody else's, its words are told to nobody", async () => {
  const { writer, record, told } = await openedAndTaken();
  await expect(record.record([title("Lost")])).rejects.toThrow(/lease/);
  expect(record.lost.aborted).toBe(true);
  told.length = 0;
  await say(writer, "three ");
  expect(told).toEqual([]);
});

test("after a session was closed nothing more of it is told", async () => {
  const { writer, record, told } = await opened(new MemoryLedger());
  await say(writer, "One ", "two ");
  await record.close();
  told.length = 0;
  await say(writer, "three ");
  expect(told).toEqual([]);
  await expect(writer.flush()).rejects.toThrow(/lease/);
  // It was given back: nobody has taken it.
  expect(record.lost.aborted).toBe(false);
});

test("a ledger that does not say whether it alters words counts as one that does", async () => {
  const ledger = new MemoryLedger();
  Reflect.deleteProperty(ledger, "altersWords");
  const { writer, record } = await opened(ledger);
  await say(writer, "One ", "two ", "three ");
  expect(record.writtenSeq).toBe(record.seq);
});

test("a session that is closed while words cannot be written keeps no snapshot of them", async () => {
  const ledger = new FailingLedger();
  const kept: number[] = [];
  const { writer, record } = await opened(
    Object.assign(ledger, {
      keepSnapshot: async (_: Lease, { seq }: SessionSnapshot) => void kept.push(seq),
    }),
  );
  await record.record(Array.from({ length: 600 }, (_, index) => title(`${index}`)));
  await say(writer, "One ", "two ");
  ledger.isFull = true;
  await record.close();
  expect(kept).toEqual([]);
});

test("a ledger that takes secrets out of words has them before anyone is told", async () => {
  const inner = new MemoryLedger();
  const ledger = redactingLedger(inner);
  const record = await SessionRecord.open(ledger, question.sessionId, { owner: "someone" });
  onTestFinished(() => record.close());
  const writer = new EventWriter(record);
  await say(writer, "One ", "two ", "three ");
  expect(record.writtenSeq).toBe(record.seq);
  // Those who only watch what goes through a ledger know it too.
  expect(new Metrics().watched(ledger).altersWords).toBe(true);
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("say"), message: fc.constantFrom("a", "a", "a", "b") }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("record", "fill the disk", "clear the disk", "catch up") }),
  },
);
const pause = fc.constantFrom("nothing", "a moment", "a turn", "a turn" as const);

test("whatever comes in between, the log has what was told, where it was told to be", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, pause), { maxLength: 40 }), async (steps) => {
      const { ledger, writer, record, told } = await opened(new FailingLedger());
      for (const [index, [what, next]] of steps.entries()) {
        if (what.do === "say") writer.add(chunk(`${index} `, "message" in what ? what.message : ""));
        if (what.do === "record") await record.record([title(`${index}`)]).catch(() => undefined);
        if (what.do === "catch up") await record.catchUp();
        if (what.do === "fill the disk") ledger.isFull = true;
        if (what.do === "clear the disk") ledger.isFull = false;
        if (next === "a moment") await Promise.resolve();
        if (next === "a turn") await nextTurn();
      }
      ledger.isFull = false;
      await record.record([title("the end")]);
      const log = await ledger.read(question.sessionId);
      expect(joinedUp(told)).toEqual(log);
      const events = log.map(({ event }) => event);
      expect(record.book.snapshot()).toEqual(new SessionBook(question.sessionId, events).snapshot());
    }),
    { numRuns: 300 },
  );
});

/** Pieces of one event, as that event. */
function joinedUp(told: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const all: RecordedEvent[] = [];
  for (const one of told) {
    const before = all.at(-1);
    const joined = before?.seq === one.seq ? joinedEvents(before.event, one.event) : undefined;
    if (joined) all.splice(-1, 1, { seq: one.seq, event: joined });
    else all.push(one);
  }
  return all;
}
