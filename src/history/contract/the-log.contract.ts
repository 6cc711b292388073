/** The log: reads return the appended events in order, whole and as JSON makes them. */
import { expect, test } from "vitest";
import type { SessionEvent } from "../../call/index.js";
import { DEFAULT_READ_LIMIT, readAll } from "../../call/index.js";
import type { Given } from "./contract.samples.js";
import {
  DURABLE,
  NOON,
  QUESTION,
  QUICK,
  SESSION,
  asked,
  callAt,
  claim,
  cycle,
  eventsOf,
  finished,
  said,
  textsOf,
} from "./contract.samples.js";

const titled = (title: string): SessionEvent => ({ type: "info-changed", at: NOON, info: { title } });

export function theLog({ store }: Given): void {
  test("reads an unwritten session as empty", async () => {
    expect(await store().ledger.read("unknown")).toEqual([]);
    expect(await store().ledger.read("unknown", { after: 3 })).toEqual([]);
  });

  test("reads one bounded page at a time, and all pages make the whole log", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    const count = DEFAULT_READ_LIMIT + 5;
    const events = Array.from({ length: count }, (_, index) =>
      index % 100 === 7 ? titled(`${index}`) : said(`mentions "info-changed" ${index}`),
    );
    await ledger.append(lease, events, QUICK);
    const page = await elsewhere.read(SESSION);
    expect(page.map(({ seq }) => seq)).toEqual(
      Array.from({ length: DEFAULT_READ_LIMIT }, (_, index) => index + 1),
    );
    expect((await elsewhere.read(SESSION, { after: 3, limit: 2 })).map(({ seq }) => seq)).toEqual([4, 5]);
    expect((await readAll(elsewhere, SESSION)).map(({ event }) => event)).toEqual(events);
    const rest = await elsewhere.read(SESSION, { after: DEFAULT_READ_LIMIT });
    expect(rest).toEqual((await readAll(elsewhere, SESSION)).slice(DEFAULT_READ_LIMIT));
    const titles = await elsewhere.read(SESSION, { type: "info-changed", after: 8, limit: 3 });
    expect(titles.map(({ seq }) => seq)).toEqual([108, 208, 308]);
    expect(await readAll(elsewhere, SESSION, { type: "info-changed" })).toHaveLength(10);
  });

  test("events are read in the order in which they were appended, counted from 1 without gaps", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    expect(await ledger.append(lease, [said("one"), said("two")], QUICK)).toBe(2);
    expect(await ledger.append(lease, [said("three")], DURABLE)).toBe(3);
    const expected = [
      { seq: 1, event: said("one") },
      { seq: 2, event: said("two") },
      { seq: 3, event: said("three") },
    ];
    expect(await ledger.read(SESSION)).toEqual(expected);
    expect(await elsewhere.read(SESSION)).toEqual(expected);
  });

  test("counts the events of each session apart", async () => {
    const { ledger } = store();
    const [one, other] = [await claim(ledger), await claim(ledger, { sessionId: "session-2" })];
    await ledger.append(one, [said("a"), said("b")], QUICK);
    expect(await ledger.append(other, [said("c")], QUICK)).toBe(1);
    expect(await textsOf(ledger)).toEqual(["a", "b"]);
    expect(await textsOf(ledger, "session-2")).toEqual(["c"]);
  });

  test("reads only the events after the given one", async () => {
    const { ledger } = store();
    await ledger.append(await claim(ledger), [said("one"), said("two"), said("three")], QUICK);
    const seqsAfter = async (after: number) => (await ledger.read(SESSION, { after })).map(({ seq }) => seq);
    expect(await seqsAfter(0)).toEqual([1, 2, 3]);
    expect(await seqsAfter(2)).toEqual([3]);
    expect(await seqsAfter(3)).toEqual([]);
    expect(await seqsAfter(99)).toEqual([]);
    expect(await seqsAfter(-1)).toEqual([1, 2, 3]);
  });

  test("reads only events of the given type", async () => {
    const { ledger, elsewhere } = store();
    // The same event with its type last: the order of fields means nothing.
    const turned = { info: { title: "two" }, at: NOON, type: "info-changed" } as const;
    const events = [
      titled("one"),
      said(`{"type":"info-changed"}`),
      ...finished("call-1", { type: "info-changed", '"info-changed"': "INFO-CHANGED" }),
      turned,
      said("info-changed"),
      titled(`%_"message-chunk"`),
    ];
    await ledger.append(await claim(ledger), events, QUICK);
    const log = await ledger.read(SESSION);
    for (const type of new Set(events.map((event) => event.type))) {
      const ofType = log.filter(({ event }) => event.type === type);
      expect(await ledger.read(SESSION, { type })).toEqual(ofType);
      expect(await elsewhere.read(SESSION, { after: 1, type })).toEqual(ofType.filter(({ seq }) => seq > 1));
    }
    expect(await ledger.read(SESSION, { type: "plan-updated" })).toEqual([]);
    expect(await ledger.read("unknown", { type: "info-changed" })).toEqual([]);
  });

  test("writes nothing and returns the last seq when there are no events to append", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    expect(await ledger.append(lease, [], DURABLE)).toBe(0);
    await ledger.append(lease, [said("one")], QUICK);
    expect(await ledger.append(lease, [], QUICK)).toBe(1);
    expect(await textsOf(ledger)).toEqual(["one"]);
  });

  test("stores concurrent appends each in one piece, and returns to each its own last seq", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    const ends = await Promise.all(
      words.map((word) => ledger.append(lease, [said(word), said(`${word}, again`)], QUICK)),
    );
    const log = await ledger.read(SESSION);
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    for (const [index, word] of words.entries()) {
      const end = ends[index] ?? 0;
      expect(log.slice(end - 2, end).map(({ event }) => event)).toEqual([said(word), said(`${word}, again`)]);
    }
  });

  test("reads events as JSON makes them", async () => {
    const { ledger } = store();
    const rawOutput = {
      nothing: undefined,
      notANumber: Number.NaN,
      minusZero: -0,
      date: new Date(0),
      list: [undefined, 1],
    };
    await ledger.append(await claim(ledger), finished("call-1", rawOutput), QUICK);
    const event = (await eventsOf(ledger)).at(-1);
    expect(event).toStrictEqual({
      type: "call-done",
      toolCallId: "call-1",
      at: NOON,
      rawOutput: { notANumber: null, minusZero: 0, date: "1970-01-01T00:00:00.000Z", list: [null, 1] },
    });
  });

  test("odd text and odd names come back as they were", async () => {
    const { ledger } = store();
    const odd = `NUL \u0000, half a pair \uD83D, its other half \uDE00, a whole one 😀, \u2028, ' " \\`;
    const rawOutput = JSON.parse(
      `{"__proto__": {"polluted": true}, "constructor": 1, "": ${JSON.stringify(odd)}}`,
    );
    const events = [said(odd), ...finished("call-1", rawOutput)];
    await ledger.append(await claim(ledger), events, QUICK);
    // Compared as text: toEqual is blind to a field named __proto__.
    expect((await eventsOf(ledger)).map((event) => JSON.stringify(event))).toEqual(
      events.map((event) => JSON.stringify(event)),
    );
  });

  test.each([
    ["a BigInt", 10n],
    ["a cycle", cycle()],
    [
      "something that throws when it is read",
      {
        get broken() {
          throw new Error("no");
        },
      },
    ],
  ])("refuses a batch that has an event with %s in it", async (_what, rawOutput) => {
    const { ledger } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [said("before")], QUICK);
    const appending = ledger.append(lease, finished("call-1", rawOutput), QUICK);
    await expect(appending).rejects.toMatchObject({ code: "ILLEGAL_EVENT" });
    expect(await ledger.append(lease, [said("after")], QUICK)).toBe(2);
    expect(await textsOf(ledger)).toEqual(["before", "after"]);
  });

  test("keeps an event when the caller changes it after the append", async () => {
    const { ledger } = store();
    const rawOutput = { files: ["a.ts"] };
    const appending = ledger.append(await claim(ledger), finished("call-1", rawOutput), QUICK);
    rawOutput.files.push("b.ts");
    await appending;
    rawOutput.files.push("c.ts");
    expect((await eventsOf(ledger)).at(-1)).toMatchObject({
      type: "call-done",
      rawOutput: { files: ["a.ts"] },
    });
  });

  test("keeps events when a reader changes its copy", async () => {
    const { ledger } = store();
    await ledger.append(await claim(ledger), [said("one"), ...callAt("call-1"), asked(QUESTION)], QUICK);
    const log = await ledger.read(SESSION);
    const open = await ledger.openQuestions();
    // Reflect.set returns false instead of throwing, since a ledger may return frozen values.
    for (const { event } of log) Reflect.set(event, "at", 0);
    Reflect.set(log, "length", 0);
    for (const question of open) Reflect.set(question.options, "length", 0);
    Reflect.set(open, "length", 0);
    expect(await eventsOf(ledger)).toEqual([said("one"), ...callAt("call-1"), asked(QUESTION)]);
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
  });
}
