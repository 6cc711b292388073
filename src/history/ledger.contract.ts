/**
 * What every ledger must keep, in memory, in a file or in a database.
 *
 * The suite knows a ledger only by its port and by the clock that it hands in, so one that is shared by
 * several processes can run it too: those who act "from elsewhere" use `openBeside`, a second way into
 * the same store. Every test opens a store of its own and closes it afterwards.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type {
  Answer,
  AnswerReceipt,
  Lease,
  Ledger,
  Question,
  RecordedEvent,
  SessionEvent,
} from "../call/index.js";
import { SessionBook } from "../call/index.js";

type Clock = { readonly now: () => number };
/** Opens an empty store. */
type Open = (clock: Clock) => Promise<Ledger>;
/** Opens the store of `first` once more, as another process would. Without it, others use `first` too. */
type OpenBeside = (first: Ledger, clock: Clock) => Promise<Ledger>;

export function ledgerContract(
  name: string,
  open: Open,
  { openBeside }: { readonly openBeside?: OpenBeside } = {},
): void {
  const openStore = async (): Promise<Store> => {
    const store = { time: NOON };
    const now = () => store.time;
    const ledger = await open({ now });
    const elsewhere = openBeside ? await openBeside(ledger, { now }) : ledger;
    return Object.assign(store, { ledger, elsewhere });
  };

  describe(`${name}, as every ledger:`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await openStore();
    });
    afterEach(() => closeStore(store));

    const given: Given = {
      store: () => store,
      inNewStore: async (body) => {
        const own = await openStore();
        try {
          await body(own);
        } finally {
          await closeStore(own);
        }
      },
    };
    for (const [part, tests] of PARTS) {
      describe(`${part}:`, () => {
        tests(given);
      });
    }
  });
}

type Store = { time: number; readonly ledger: Ledger; readonly elsewhere: Ledger };

type Given = {
  /** The store of the test that runs now. */
  readonly store: () => Store;
  /** For properties: each of their runs has a store of its own. */
  readonly inNewStore: (body: (store: Store) => Promise<void>) => Promise<void>;
};

const PARTS: readonly (readonly [string, (given: Given) => void])[] = [
  ["the log", theLog],
  ["leases", leases],
  ["answers", answers],
  ["questions in the log", questionsInTheLog],
  ["open questions", openQuestions],
  ["following", following],
  ["blobs", blobs],
  ["closing", closing],
  ["all of it together", together],
];

function theLog({ store }: Given): void {
  test("a session that nobody has written to reads as empty", async () => {
    expect(await store().ledger.read("never-heard-of")).toEqual([]);
    expect(await store().ledger.read("never-heard-of", { after: 3 })).toEqual([]);
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

  test("each session counts its own events", async () => {
    const { ledger } = store();
    const [one, other] = [await claim(ledger), await claim(ledger, { sessionId: "session-2" })];
    await ledger.append(one, [said("a"), said("b")], QUICK);
    expect(await ledger.append(other, [said("c")], QUICK)).toBe(1);
    expect(await textsOf(ledger)).toEqual(["a", "b"]);
    expect(await textsOf(ledger, "session-2")).toEqual(["c"]);
  });

  test("who has read up to an event gets only those after it", async () => {
    const { ledger } = store();
    await ledger.append(await claim(ledger), [said("one"), said("two"), said("three")], QUICK);
    const seqsAfter = async (after: number) => (await ledger.read(SESSION, { after })).map(({ seq }) => seq);
    expect(await seqsAfter(0)).toEqual([1, 2, 3]);
    expect(await seqsAfter(2)).toEqual([3]);
    expect(await seqsAfter(3)).toEqual([]);
    expect(await seqsAfter(99)).toEqual([]);
    expect(await seqsAfter(-1)).toEqual([1, 2, 3]);
  });

  test("appending nothing writes nothing and tells where the log ends", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    expect(await ledger.append(lease, [], DURABLE)).toBe(0);
    await ledger.append(lease, [said("one")], QUICK);
    expect(await ledger.append(lease, [], QUICK)).toBe(1);
    expect(await textsOf(ledger)).toEqual(["one"]);
  });

  test("appends made at once are all there, each in one piece, and each told its own end", async () => {
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

  test("what is read is what JSON makes of it", async () => {
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
  ])("an event with %s in it is turned away, and so are those beside it", async (_what, rawOutput) => {
    const { ledger } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [said("before")], QUICK);
    const appending = ledger.append(lease, finished("call-1", rawOutput), QUICK);
    await expect(appending).rejects.toMatchObject({ code: "ILLEGAL_EVENT" });
    expect(await ledger.append(lease, [said("after")], QUICK)).toBe(2);
    expect(await textsOf(ledger)).toEqual(["before", "after"]);
  });

  test("what is done to an event after it was appended does not reach the log", async () => {
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

  test("what a reader does to what it was given does not reach the next reader", async () => {
    const { ledger } = store();
    await ledger.append(await claim(ledger), [said("one"), ...callAt("call-1"), asked(QUESTION)], QUICK);
    const log = await ledger.read(SESSION);
    const open = await ledger.openQuestions();
    // Reflect.set, because a ledger may well hand out what cannot be changed.
    for (const { event } of log) Reflect.set(event, "at", 0);
    Reflect.set(log, "length", 0);
    for (const question of open) Reflect.set(question.options, "length", 0);
    Reflect.set(open, "length", 0);
    expect(await eventsOf(ledger)).toEqual([said("one"), ...callAt("call-1"), asked(QUESTION)]);
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
  });
}

function leases({ store }: Given): void {
  test("a lease tells its session, its owner and when it ends", async () => {
    const lease = await claim(store().ledger, { owner: "ann", milliseconds: 30_000 });
    expect(lease).toEqual({
      sessionId: SESSION,
      owner: "ann",
      fence: expect.any(Number),
      expiresAt: NOON + 30_000,
    });
  });

  test("a session that another holds cannot be claimed; the error names who, and until when", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    store().time += 29_999;
    const claiming = claim(elsewhere, { owner: "bob" });
    await expect(claiming).rejects.toMatchObject({
      code: "LEASE_HELD",
      message: expect.stringMatching(/session-1.*\bann\b.*2026-01-02T12:00:30\.000Z/),
    });
    expect(await ledger.append(lease, [said("still mine")], QUICK)).toBe(1);
  });

  test("a lease for ever can be had, and is told as such", async () => {
    const { ledger, elsewhere } = store();
    await claim(ledger, { owner: "ann", milliseconds: Infinity });
    store().time += 1e12;
    const claiming = claim(elsewhere, { owner: "bob" });
    await expect(claiming).rejects.toMatchObject({
      code: "LEASE_HELD",
      message: expect.stringContaining("ann until Infinity"),
    });
  });

  test("holding one session leaves the others free", async () => {
    const { ledger, elsewhere } = store();
    await claim(ledger, { owner: "ann" });
    const lease = await claim(elsewhere, { owner: "bob", sessionId: "session-2" });
    expect(lease).toMatchObject({ owner: "bob", sessionId: "session-2" });
  });

  test("the same owner may claim again; the older lease is then lost", async () => {
    const { ledger, elsewhere } = store();
    const older = await claim(ledger, { owner: "ann" });
    const newer = await claim(elsewhere, { owner: "ann" });
    expect(newer.fence).toBeGreaterThan(older.fence);
    await expectLost(ledger, older);
    expect(await elsewhere.append(newer, [said("mine")], QUICK)).toBe(1);
  });

  test("of two who claim at once, one gets it", async () => {
    const { ledger, elsewhere } = store();
    const claims = Array.from({ length: 20 }, (_, index) =>
      outcomeOf(claim(index % 2 === 0 ? ledger : elsewhere, { owner: `owner ${index}` })),
    );
    const codes = (await Promise.all(claims)).map((outcome) => ("code" in outcome ? outcome.code : "held"));
    expect(codes.filter((code) => code === "held")).toHaveLength(1);
    expect(codes.filter((code) => code === "LEASE_HELD")).toHaveLength(19);
  });

  test("a lease that ran out can be claimed by another, and the first owner can write no more", async () => {
    const { ledger, elsewhere } = store();
    const first = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    await ledger.append(first, [said("by ann")], QUICK);
    store().time += 30_000;
    const second = await claim(elsewhere, { owner: "bob" });
    expect(second.fence).toBeGreaterThan(first.fence);
    await expectLost(ledger, first);
    expect(await elsewhere.append(second, [said("by bob")], QUICK)).toBe(2);
    await expectLost(ledger, first);
    expect(await textsOf(ledger)).toEqual(["by ann", "by bob"]);
  });

  test("what the older lease was writing is there before the newer one is given, or never", async () => {
    const { ledger, elsewhere } = store();
    for (let round = 0; round < 20; round++) {
      const older = await claim(ledger);
      const writing = codeOf(ledger.append(older, [said("one"), said("two")], QUICK));
      await claim(elsewhere);
      const log = await elsewhere.read(SESSION);
      const code = await writing;
      expect(["none", "LEASE_LOST"]).toContain(code);
      expect(await elsewhere.read(SESSION)).toEqual(log);
    }
  });

  test("a lease that ran out still appends while nobody took the session", async () => {
    const { ledger } = store();
    const lease = await claim(ledger, { milliseconds: 30_000 });
    store().time += 60_000;
    expect(await ledger.append(lease, [said("late, and alone")], QUICK)).toBe(1);
  });

  test("renewing extends the lease, counted from now", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    store().time += 20_000;
    const renewed = await ledger.renew(lease, { milliseconds: 30_000 });
    expect(renewed).toEqual({ ...lease, expiresAt: NOON + 50_000 });
    store().time = NOON + 49_999;
    expect(await codeOf(claim(elsewhere, { owner: "bob" }))).toBe("LEASE_HELD");
    // Only the fence counts: the lease as it was before it was renewed is the same one.
    expect(await ledger.append(lease, [said("mine")], QUICK)).toBe(1);
    store().time = NOON + 50_000;
    expect((await claim(elsewhere, { owner: "bob" })).owner).toBe("bob");
  });

  test("a lease that ran out can be renewed while nobody took the session", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    store().time += 60_000;
    const renewed = await ledger.renew(lease, { milliseconds: 30_000 });
    expect(renewed.expiresAt).toBe(NOON + 90_000);
    expect(await codeOf(claim(elsewhere, { owner: "bob" }))).toBe("LEASE_HELD");
  });

  test("releasing frees the session at once, and the released lease is lost", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann" });
    await ledger.release(lease);
    await expectLost(ledger, lease);
    const next = await claim(elsewhere, { owner: "bob" });
    expect(next.fence).toBeGreaterThan(lease.fence);
    expect(await elsewhere.append(next, [said("by bob")], QUICK)).toBe(1);
  });

  test("a released lease stays lost when its owner claims again", async () => {
    const { ledger } = store();
    const released = await claim(ledger, { owner: "ann" });
    await ledger.release(released);
    const again = await claim(ledger, { owner: "ann" });
    expect(again.fence).toBeGreaterThan(released.fence);
    await expectLost(ledger, released);
  });

  test("releasing a lease that was already lost does nothing", async () => {
    const { ledger, elsewhere } = store();
    const older = await claim(ledger, { owner: "ann" });
    const newer = await claim(elsewhere, { owner: "ann" });
    await ledger.release(older);
    await ledger.release(older);
    expect(await codeOf(claim(ledger, { owner: "bob" }))).toBe("LEASE_HELD");
    expect(await elsewhere.append(newer, [said("still mine")], QUICK)).toBe(1);
  });
}

function answers({ store }: Given): void {
  test("an answer is written into the log of its session, at the ledger's own time", async () => {
    const { ledger, elsewhere } = store();
    await ask(ledger, QUESTION);
    store().time += 5000;
    const answer: Answer = { ...YES, who: "ann", reason: "fine by me", at: NOON + 4000 };
    expect(await elsewhere.answer("question-1", answer)).toEqual({ counted: true, answer });
    expect((await ledger.read(SESSION)).at(-1)).toEqual({
      seq: 4,
      event: { type: "question-answered", at: NOON + 5000, questionId: "question-1", answer },
    });
  });

  test("a later answer gets the first one back", async () => {
    const { ledger, elsewhere } = store();
    await ask(ledger, QUESTION);
    const first: Answer = { ...NO, who: "ann", reason: "not that file" };
    await ledger.answer("question-1", first);
    const later = { counted: false, answer: first };
    expect(await elsewhere.answer("question-1", YES)).toEqual(later);
    expect(await ledger.answer("question-1", first)).toEqual(later);
    expect(await answersIn(ledger)).toEqual([first]);
  });

  test("a later answer gets the first one back, even one that would not have been taken", async () => {
    const { ledger } = store();
    await ask(ledger, { ...QUESTION, expiresAt: NOON + 1000 });
    await ledger.answer("question-1", YES);
    store().time += 2000;
    const later = { counted: false, answer: YES };
    expect(await ledger.answer("question-1", YES)).toEqual(later);
    expect(await ledger.answer("question-1", selected("whatever"))).toEqual(later);
    expect(await ledger.answer("question-1", { ...YES, intentHash: "other" })).toEqual(later);
  });

  test("of a hundred answers at once exactly one counts, and all get that one back", async () => {
    const { ledger, elsewhere } = store();
    await ask(ledger, QUESTION);
    const people = Array.from({ length: 100 }, (_, index) => ({
      ...(index % 3 === 0 ? NO : YES),
      who: `person ${index}`,
    }));
    const receipts = await Promise.all(
      people.map((answer, index) => (index % 2 === 0 ? ledger : elsewhere).answer("question-1", answer)),
    );
    const counted = receipts.flatMap(({ counted: one }, index) => (one ? [people[index]] : []));
    expect(counted).toHaveLength(1);
    expect(new Set(receipts.map(({ answer }) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify(counted[0])]),
    );
    expect(await answersIn(ledger)).toEqual(counted);
  });

  test("an answer needs no lease: it is taken while someone holds the session, who goes on appending", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann" });
    await ledger.append(lease, [...callAt("call-1"), asked(QUESTION)], QUICK);
    expect((await elsewhere.answer("question-1", YES)).counted).toBe(true);
    expect(await ledger.append(lease, [said("thank you")], QUICK)).toBe(5);
  });

  test("an answer is taken when nobody holds the session any more", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [...callAt("call-1"), asked(QUESTION)], QUICK);
    await ledger.release(lease);
    expect((await elsewhere.answer("question-1", YES)).counted).toBe(true);
  });

  test("a question that was never asked cannot be answered, not even refused", async () => {
    const { ledger } = store();
    await ask(ledger, QUESTION);
    const before = await ledger.read(SESSION);
    expect(await codeOf(ledger.answer("question-2", YES))).toBe("NO_SUCH_QUESTION");
    expect(await codeOf(ledger.answer("question-2", REFUSED))).toBe("NO_SUCH_QUESTION");
    expect(await codeOf(ledger.answer("__proto__", YES))).toBe("NO_SUCH_QUESTION");
    expect(await ledger.read(SESSION)).toEqual(before);
  });

  test.each<[string, string, Answer]>([
    ["an option that was not offered", "NOT_OFFERED", selected("allow-everything")],
    ["a yes to another intent", "INTENT_CHANGED", { ...YES, intentHash: "another-intent" }],
    ["an always to another intent", "INTENT_CHANGED", { ...ALWAYS, intentHash: "another-intent" }],
  ])("%s is %s: nothing is recorded and the question stays open", async (_what, code, answer) => {
    const { ledger, elsewhere } = store();
    await ask(ledger, QUESTION);
    const before = await ledger.read(SESSION);
    expect(await codeOf(elsewhere.answer("question-1", answer))).toBe(code);
    expect(await ledger.read(SESSION)).toEqual(before);
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
    expect(await ledger.answer("question-1", YES)).toEqual({ counted: true, answer: YES });
  });

  test("a yes that comes too late is EXPIRED by the ledger's clock: nothing is recorded, and a no is still taken", async () => {
    const { ledger } = store();
    const question = { ...QUESTION, expiresAt: NOON + 60_000 };
    await ask(ledger, question);
    const before = await ledger.read(SESSION);
    store().time += 60_000;
    expect(await codeOf(ledger.answer("question-1", { ...YES, at: NOON }))).toBe("EXPIRED");
    expect(await codeOf(ledger.answer("question-1", ALWAYS))).toBe("EXPIRED");
    expect(await ledger.read(SESSION)).toEqual(before);
    expect(await ledger.openQuestions()).toEqual([question]);
    expect(await ledger.answer("question-1", NO)).toEqual({ counted: true, answer: NO });
  });

  test("a yes in the last millisecond is in time", async () => {
    const { ledger } = store();
    await ask(ledger, { ...QUESTION, expiresAt: NOON + 60_000 });
    store().time += 59_999;
    expect((await ledger.answer("question-1", YES)).counted).toBe(true);
  });

  test.each<[string, Answer]>([
    ["a no", NO],
    ["a never", NEVER],
    ["an asker that failed", REFUSED],
  ])("%s is taken however late and whatever the intent", async (_what, answer) => {
    const { ledger } = store();
    await ask(ledger, { ...QUESTION, expiresAt: NOON + 1000 });
    store().time += 1e9;
    const refusal = { ...answer, intentHash: "another-intent" };
    expect(await ledger.answer("question-1", refusal)).toEqual({ counted: true, answer: refusal });
    expect(await answersIn(ledger)).toEqual([refusal]);
  });

  test("a question that was withdrawn takes no answer, not even a refusal", async () => {
    const { ledger, elsewhere } = store();
    const lease = await ask(ledger, QUESTION);
    await ledger.append(lease, [withdrawn("question-1")], QUICK);
    const before = await ledger.read(SESSION);
    expect(await codeOf(elsewhere.answer("question-1", YES))).toBe("WITHDRAWN");
    expect(await codeOf(elsewhere.answer("question-1", REFUSED))).toBe("WITHDRAWN");
    expect(await ledger.read(SESSION)).toEqual(before);
  });

  test("an answer that cannot be written as JSON is turned away and leaves the question open", async () => {
    const { ledger } = store();
    await ask(ledger, QUESTION);
    const answer = { ...YES, _meta: { big: 10n } };
    expect(await codeOf(ledger.answer("question-1", answer))).toBe("ILLEGAL_EVENT");
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
    expect(await answersIn(ledger)).toEqual([]);
  });

  test("what is done to an answer or a receipt afterwards does not change what was answered", async () => {
    const { ledger } = store();
    await ask(ledger, QUESTION);
    const answer = { ...YES, reason: "fine" };
    const receipt = await ledger.answer("question-1", answer);
    answer.reason = "changed";
    Reflect.set(receipt.answer, "reason", "changed");
    const later = await ledger.answer("question-1", NO);
    expect(later).toEqual({ counted: false, answer: { ...YES, reason: "fine" } });
    expect(await answersIn(ledger)).toEqual([{ ...YES, reason: "fine" }]);
  });
}

function questionsInTheLog({ store }: Given): void {
  test("an answer that the holder of the lease appended is the one that counts", async () => {
    const { ledger, elsewhere } = store();
    const lease = await ask(ledger, QUESTION);
    const byRule: Answer = { ...NO, by: "rule", rule: "rule 3" };
    await ledger.append(lease, [answered("question-1", byRule)], QUICK);
    expect(await elsewhere.answer("question-1", YES)).toEqual({ counted: false, answer: byRule });
    expect(await answersIn(ledger)).toEqual([byRule]);
  });

  test("a question may be asked and settled in one append", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    const events = [
      ...callAt("call-1"),
      asked(QUESTION),
      answered("question-1", NO),
      ...callAt("call-2"),
      asked(SECOND),
      withdrawn("question-2"),
    ];
    await ledger.append(lease, events, QUICK);
    expect(await ledger.openQuestions()).toEqual([]);
    expect(await ledger.answer("question-1", YES)).toEqual({ counted: false, answer: NO });
    expect(await codeOf(ledger.answer("question-2", YES))).toBe("WITHDRAWN");
  });

  const settle = { answered: answered("question-1", NO), withdrawn: withdrawn("question-1") };
  test.each([
    ["answered", "answered"],
    ["answered", "withdrawn"],
    ["withdrawn", "answered"],
    ["withdrawn", "withdrawn"],
  ] as const)("a question that was %s cannot be %s: the log could not be replayed", async (first, then) => {
    const { ledger } = store();
    const lease = await ask(ledger, QUESTION);
    if (first === "answered") await ledger.answer("question-1", YES);
    else await ledger.append(lease, [settle[first]], QUICK);
    expect(await tryToAppend(ledger, lease, [settle[then]])).toEqual(TURNED_AWAY);
  });

  test("a question is asked once, in whatever session", async () => {
    const { ledger } = store();
    const lease = await ask(ledger, QUESTION);
    expect(await tryToAppend(ledger, lease, [...callAt("call-2"), asked(QUESTION)])).toEqual(TURNED_AWAY);
    const other = await claim(ledger, { sessionId: "session-2" });
    expect(
      await tryToAppend(ledger, other, [...callAt("call-1"), asked({ ...QUESTION, sessionId: "session-2" })]),
    ).toEqual(TURNED_AWAY);
    expect(
      await tryToAppend(ledger, lease, [
        ...callAt("call-2"),
        asked(SECOND),
        ...callAt("call-3"),
        asked(SECOND),
      ]),
    ).toEqual(TURNED_AWAY);
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
  });

  test("a question is asked and settled in its own session", async () => {
    const { ledger } = store();
    await ask(ledger, QUESTION);
    const other = await claim(ledger, { sessionId: "session-2" });
    expect(await tryToAppend(ledger, other, [...callAt("call-2"), asked(SECOND)])).toEqual(TURNED_AWAY);
    expect(await tryToAppend(ledger, other, [withdrawn("question-1")])).toEqual(TURNED_AWAY);
    expect(await tryToAppend(ledger, other, [answered("question-1", YES)])).toEqual(TURNED_AWAY);
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
  });

  test("a question that was never asked cannot be settled", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    expect(await tryToAppend(ledger, lease, [withdrawn("question-1")])).toEqual(TURNED_AWAY);
    expect(await tryToAppend(ledger, lease, [answered("question-1", YES)])).toEqual(TURNED_AWAY);
  });

  test("when the last event of an append is turned away, those before it were never there", async () => {
    const { ledger } = store();
    const lease = await ask(ledger, QUESTION);
    expect(
      await tryToAppend(ledger, lease, [
        said("one"),
        withdrawn("question-1"),
        ...callAt("call-2"),
        asked(SECOND),
        withdrawn("question-3"),
      ]),
    ).toEqual(TURNED_AWAY);
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
    expect(await codeOf(ledger.answer("question-2", YES))).toBe("NO_SUCH_QUESTION");
    expect(await ledger.answer("question-1", YES)).toEqual({ counted: true, answer: YES });
  });

  test("a lost lease asks nothing and settles nothing", async () => {
    const { ledger } = store();
    const lost = await ask(ledger, QUESTION);
    await claim(ledger);
    const appending = ledger.append(
      lost,
      [withdrawn("question-1"), ...callAt("call-2"), asked(SECOND)],
      DURABLE,
    );
    expect(await codeOf(appending)).toBe("LEASE_LOST");
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
    expect(await codeOf(ledger.answer("question-2", YES))).toBe("NO_SUCH_QUESTION");
  });

  test("when one answers while another withdraws, one of them wins and the log can be replayed", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    for (let round = 0; round < 20; round++) {
      const question = aQuestion(`question-${round}`, `call-${round}`);
      await ledger.append(lease, [...callAt(question.toolCallId), asked(question)], QUICK);
      const answering = () => codeOf(elsewhere.answer(question.questionId, YES));
      const withdrawing = () => codeOf(ledger.append(lease, [withdrawn(question.questionId)], QUICK));
      const codes = await Promise.all(
        round % 2 === 0 ? [answering(), withdrawing()] : [withdrawing(), answering()],
      );
      expect(["ILLEGAL_EVENT", "WITHDRAWN"]).toContain(codes.find((code) => code !== "none"));
      expect(codes).toContain("none");
    }
    await expectReplays(ledger, SESSION);
  });
}

function openQuestions({ store }: Given): void {
  test("nobody has asked anything yet", async () => {
    expect(await store().ledger.openQuestions()).toEqual([]);
    expect(await store().ledger.openQuestions({ sessionId: "never-heard-of" })).toEqual([]);
  });

  test("open questions come oldest first, of one session or of all", async () => {
    const { ledger, elsewhere } = store();
    const third = aQuestion("c", "call-1", { askedAt: NOON + 3 });
    const first = aQuestion("b", "call-2", { askedAt: NOON + 1 });
    const second = aQuestion("a", "call-1", { askedAt: NOON + 2, sessionId: "session-2" });
    await ask(ledger, third);
    await ask(ledger, second);
    await ask(ledger, first);
    expect(await elsewhere.openQuestions()).toEqual([first, second, third]);
    expect(await elsewhere.openQuestions({ sessionId: SESSION })).toEqual([first, third]);
    expect(await elsewhere.openQuestions({ sessionId: "session-2" })).toEqual([second]);
  });

  test("questions of the same moment come in the order in which they were asked", async () => {
    const { ledger } = store();
    const questions = ["z", "m", "a", "q"].map((questionId) => aQuestion(questionId, `call-${questionId}`));
    await ask(ledger, ...questions);
    expect(await ledger.openQuestions()).toEqual(questions);
  });

  test("a question is gone once it was answered or withdrawn", async () => {
    const { ledger, elsewhere } = store();
    const third = aQuestion("question-3", "call-3");
    const lease = await ask(ledger, QUESTION, SECOND, third);
    await elsewhere.answer("question-2", NO);
    expect(await ledger.openQuestions()).toEqual([QUESTION, third]);
    await ledger.append(lease, [withdrawn("question-1")], QUICK);
    expect(await elsewhere.openQuestions({ sessionId: SESSION })).toEqual([third]);
    await ledger.append(lease, [answered("question-3", YES)], QUICK);
    expect(await elsewhere.openQuestions()).toEqual([]);
  });

  test("a question that expired is still open, for a refusal", async () => {
    const { ledger } = store();
    const question = { ...QUESTION, expiresAt: NOON + 1000 };
    await ask(ledger, question);
    store().time += 5000;
    expect(await ledger.openQuestions()).toEqual([question]);
  });
}

function following({ store, inNewStore }: Given): void {
  test("a follower gets what is there and then what comes", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [said("one"), said("two")], QUICK);
    const follower = startFollowing(elsewhere);
    await follower.has(2);
    await ledger.append(lease, [said("three")], QUICK);
    await follower.has(3);
    await ledger.append(lease, [said("four"), said("five")], DURABLE);
    await follower.has(5);
    expect(follower.seen).toEqual(await ledger.read(SESSION));
    await follower.stop();
  });

  test("a follower may wait for a session that has not begun", async () => {
    const { ledger, elsewhere } = store();
    const follower = startFollowing(elsewhere);
    await setImmediate();
    await ledger.append(await claim(ledger), [said("at last")], QUICK);
    await follower.has(1);
    expect(follower.seen).toEqual([{ seq: 1, event: said("at last") }]);
    await follower.stop();
  });

  test("a follower that has read up to an event gets only those after it", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [said("one"), said("two"), said("three")], QUICK);
    const followers = [-1, 0, 2, 3, 4].map((after) => startFollowing(ledger, { after }));
    await ledger.append(lease, [said("four"), said("five")], QUICK);
    const seqs: number[][] = [];
    for (const follower of followers) {
      await follower.hasSeq(5);
      await follower.stop();
      seqs.push(follower.seen.map(({ seq }) => seq));
    }
    expect(seqs).toEqual([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [3, 4, 5], [4, 5], [5]]);
  });

  test("a follower sees the answer that someone else gave", async () => {
    const { ledger, elsewhere } = store();
    await ask(ledger, QUESTION);
    const follower = startFollowing(ledger, { after: 3 });
    await elsewhere.answer("question-1", YES);
    await follower.has(1);
    expect(follower.seen).toEqual([{ seq: 4, event: answered("question-1", YES) }]);
    await follower.stop();
  });

  test("a follower sees only its own session", async () => {
    const { ledger } = store();
    const follower = startFollowing(ledger);
    await ledger.append(await claim(ledger, { sessionId: "session-2" }), [said("elsewhere")], QUICK);
    await ledger.append(await claim(ledger), [said("here")], QUICK);
    await follower.has(1);
    await follower.stop();
    expect(follower.seen).toEqual([{ seq: 1, event: said("here") }]);
  });

  test("all followers see the same, the slow ones too", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    const followers = [0, 0, 1, 3].flatMap((pause) => [
      startFollowing(ledger, { pause }),
      startFollowing(elsewhere, { pause }),
    ]);
    for (let count = 0; count < 20; count++)
      await ledger.append(lease, [said(`a ${count}`), said(`b ${count}`)], QUICK);
    const log = await ledger.read(SESSION);
    for (const follower of followers) {
      await follower.hasSeq(40);
      await follower.stop();
      expect(follower.seen).toEqual(log);
    }
  });

  test("many may follow under one signal, and one abort ends them all", async () => {
    const { ledger } = store();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    const controller = new AbortController();
    const followers = Array.from({ length: 50 }, () => startFollowing(ledger, { controller }));
    await ledger.append(await claim(ledger), [said("one")], QUICK);
    for (const follower of followers) await follower.has(1);
    controller.abort();
    for (const follower of followers) await follower.stop();
    await setImmediate();
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });

  test("when one of those who share a signal leaves, an abort still ends the others", async () => {
    const { ledger } = store();
    const controller = new AbortController();
    const { signal } = controller;
    const leave = async () => {
      for await (const _ of ledger.follow(SESSION, { signal })) break;
    };
    const leaving = leave();
    const other = startFollowing(ledger, { controller, sessionId: "session-2" });
    await setImmediate();
    await ledger.append(await claim(ledger), [said("one")], QUICK);
    await soon(leaving, "the one that leaves has its event");
    await other.stop();
    expect(other.seen).toEqual([]);
  });

  test("an abort ends a follower that waits, and leaves the others", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    const [one, other] = [startFollowing(ledger), startFollowing(ledger)];
    await ledger.append(lease, [said("one")], QUICK);
    await Promise.all([one.has(1), other.has(1)]);
    await one.stop();
    await ledger.append(lease, [said("two")], QUICK);
    await other.has(2);
    await other.stop();
    expect(one.seen).toHaveLength(1);
  });

  test("an abort ends a follower that still has much to read", async () => {
    const { ledger } = store();
    const events = Array.from({ length: 1000 }, (_, index) => said(`${index}`));
    await ledger.append(await claim(ledger), events, QUICK);
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of ledger.follow(SESSION, { signal: controller.signal })) {
      seen.push(seq);
      if (seq === 3) controller.abort();
    }
    expect(seen).toEqual([1, 2, 3]);
  });

  test("with a signal that is already aborted there is nothing to follow", async () => {
    const { ledger } = store();
    await ledger.append(await claim(ledger), [said("one")], QUICK);
    const follower = startFollowing(ledger, { controller: abortedController() });
    await soon(follower.ended, "the follower ends");
    expect(follower.seen).toEqual([]);
  });

  test("a follower may leave by itself, and follow again from where it was", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [said("one"), said("two")], QUICK);
    const { signal } = new AbortController();
    for await (const { seq } of ledger.follow(SESSION, { signal })) if (seq === 1) break;
    const follower = startFollowing(ledger, { after: 1 });
    await ledger.append(lease, [said("three")], QUICK);
    await follower.has(2);
    await follower.stop();
    expect(follower.seen.map(({ seq }) => seq)).toEqual([2, 3]);
  });

  /** Some turns of the event loop, so that whatever runs beside gets in between at random. */
  const pause = fc.nat(3);
  const writers = fc.array(fc.record({ pause, writes: fc.constantFrom("one", "three", "question") }), {
    minLength: 1,
    maxLength: 12,
  });
  const followers = fc.array(fc.record({ pause, startsAfter: fc.nat(8), after: fc.nat(4) }), {
    minLength: 1,
    maxLength: 5,
  });
  test("no follower ever misses an event or gets one twice, however appends, answers and followers race", async () => {
    await fc.assert(
      fc.asyncProperty(writers, followers, pause, async (steps, follows, answererPause) =>
        inNewStore(async ({ ledger, elsewhere }) => {
          const lease = await ask(ledger, QUESTION);
          const write = async () => {
            for (const [index, step] of steps.entries()) {
              await turns(step.pause);
              const question = aQuestion(`race-${index}`, `race-${index}`);
              const events = {
                one: [said(`${index}`)],
                three: [said("a"), said("b"), said("c")],
                question: [...callAt(question.toolCallId), asked(question)],
              }[step.writes];
              await ledger.append(lease, events, QUICK);
            }
          };
          const answerAll = async () => {
            let open = 1 + steps.filter(({ writes }) => writes === "question").length;
            const { signal } = new AbortController();
            for await (const { event } of elsewhere.follow(SESSION, { signal })) {
              if (event.type !== "question-asked") continue;
              await turns(answererPause);
              await elsewhere.answer(event.question.questionId, YES);
              open -= 1;
              if (open === 0) return;
            }
          };
          const start = async (follow: { pause: number; startsAfter: number; after: number }) => {
            await turns(follow.startsAfter);
            return startFollowing(elsewhere, follow);
          };
          const [started] = await Promise.all([
            Promise.all(follows.map(start)),
            write(),
            soon(answerAll(), "all questions are answered"),
          ]);
          const end = await ledger.append(lease, [said("the end")], QUICK);

          const log = await ledger.read(SESSION);
          expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: end }, (_, index) => index + 1));
          for (const [index, follower] of started.entries()) {
            await follower.hasSeq(end);
            await follower.stop();
            expect(follower.seen).toEqual(log.slice(follows[index]?.after));
          }
        }),
      ),
      // A race that was lost takes its time to show, and is seldom lost again in the same way.
      { endOnFailure: true },
    );
  });
}

function blobs({ store }: Given): void {
  const hello = new Uint8Array([104, 101, 108, 108, 111]);
  const helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  test("bytes are stored under their SHA-256 in hex", async () => {
    const { ledger, elsewhere } = store();
    expect(await ledger.putBlob(hello)).toBe(helloHash);
    expect(await ledger.putBlob(new Uint8Array())).toBe(emptyHash);
    expect(bytesOf(await elsewhere.getBlob(helloHash))).toEqual([104, 101, 108, 108, 111]);
    expect(bytesOf(await elsewhere.getBlob(emptyHash))).toEqual([]);
  });

  test("the same bytes get the same hash again, and other bytes another", async () => {
    const { ledger, elsewhere } = store();
    const hashes = await Promise.all([
      ledger.putBlob(hello),
      elsewhere.putBlob(hello.slice()),
      ledger.putBlob(Buffer.from("hello")),
    ]);
    expect(hashes).toEqual([helloHash, helloHash, helloHash]);
    expect(await ledger.putBlob(Buffer.from("hello!"))).not.toBe(helloHash);
    expect(bytesOf(await ledger.getBlob(helloHash))).toEqual([...hello]);
  });

  test("only the part of the memory that was handed in is stored", async () => {
    const { ledger } = store();
    const around = new Uint8Array([1, ...hello, 2]);
    expect(await ledger.putBlob(around.subarray(1, 6))).toBe(helloHash);
    expect(bytesOf(await ledger.getBlob(helloHash))).toEqual([...hello]);
  });

  test("a blob that nobody stored is undefined", async () => {
    const { ledger } = store();
    expect(await ledger.getBlob(helloHash)).toBeUndefined();
    expect(await ledger.getBlob("no hash at all")).toBeUndefined();
  });

  test("what is done to the bytes, before or after, does not reach the store", async () => {
    const { ledger } = store();
    const handedIn = hello.slice();
    const storing = ledger.putBlob(handedIn);
    handedIn.fill(0);
    const hash = await storing;
    const handedOut = await ledger.getBlob(hash);
    handedOut?.fill(0);
    expect(hash).toBe(helloHash);
    expect(bytesOf(await ledger.getBlob(hash))).toEqual([...hello]);
  });
}

function closing({ store }: Given): void {
  test("closing ends every follower, those that wait and those that still read", async () => {
    const { ledger } = store();
    const events = Array.from({ length: 100 }, (_, index) => said(`${index}`));
    await ledger.append(await claim(ledger), events, QUICK);
    const followers = [
      startFollowing(ledger, { after: 100 }),
      startFollowing(ledger, { after: 50, pause: 2 }),
      startFollowing(ledger, { sessionId: "never-heard-of" }),
    ];
    await followers[1]?.has(1);
    await ledger.close();
    for (const follower of followers) await soon(follower.ended, "the follower ends");
    expect(followers[1]?.seen.length).toBeLessThan(50);
  });

  test("a closed ledger says so, whatever is asked of it", async () => {
    const { ledger } = store();
    const lease = await ask(ledger, QUESTION);
    await ledger.close();
    const follow = async () => {
      for await (const _ of ledger.follow(SESSION, { signal: new AbortController().signal })) break;
    };
    const calls: [string, () => Promise<unknown>][] = [
      ["claim", () => claim(ledger)],
      ["renew", () => ledger.renew(lease, { milliseconds: 1 })],
      ["release", () => ledger.release(lease)],
      ["append", () => ledger.append(lease, [said("one")], QUICK)],
      ["read", () => ledger.read(SESSION)],
      ["follow", follow],
      ["answer", () => ledger.answer("question-1", YES)],
      ["openQuestions", () => ledger.openQuestions()],
      ["putBlob", () => ledger.putBlob(new Uint8Array())],
      ["getBlob", () => ledger.getBlob("")],
    ];
    const codes = await Promise.all(calls.map(async ([name, call]) => [name, await codeOf(call())]));
    expect(codes).toEqual(calls.map(([name]) => [name, "LEDGER_CLOSED"]));
  });

  test("closing twice is fine", async () => {
    const { ledger } = store();
    await ledger.close();
    await expect(ledger.close()).resolves.toBeUndefined();
  });
}

function together({ inNewStore }: Given): void {
  const fates = fc.array(
    fc.record({
      fate: fc.constantFrom("allowed", "refused", "withdrawn", "not asked"),
      words: fc.string({ unit: "binary", maxLength: 8 }),
      // As the doors make it: what JSON would change (-0, say) has been changed before it gets here.
      rawOutput: fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text)),
    }),
    { maxLength: 6 },
  );
  test("a session replayed from the log reads as it did live", async () => {
    await fc.assert(
      fc.asyncProperty(fates, async (calls) =>
        inNewStore(async ({ ledger, elsewhere }) => {
          const lease = await claim(ledger);
          const live = new SessionBook(SESSION);
          const happen = async (...events: SessionEvent[]) => {
            await ledger.append(lease, events, QUICK);
            live.applyAll(events);
          };
          const answer = async (questionId: string, given: Answer) => {
            const receipt = await elsewhere.answer(questionId, given);
            live.apply(answered(questionId, receipt.answer));
          };

          await happen({ type: "turn-started", at: NOON, turnId: "turn-1" });
          for (const [index, { fate, words, rawOutput }] of calls.entries()) {
            const question = aQuestion(`question-${index}`, `call-${index}`);
            const { questionId, toolCallId } = question;
            await happen(said(words), ...callAt(toolCallId));
            if (fate !== "not asked") await happen(asked(question));
            if (fate === "allowed") await answer(questionId, { ...YES, reason: words });
            if (fate === "refused") await answer(questionId, { ...NO, reason: words });
            if (fate === "withdrawn") await happen(withdrawn(questionId));
            const isRun = fate === "allowed" || fate === "not asked";
            if (isRun) await happen(...ran(toolCallId, rawOutput));
            else await happen({ type: "call-cancelled", at: NOON, toolCallId, reason: words });
          }
          await happen({ type: "turn-stopped", at: NOON, turnId: "turn-1", stopReason: "end_turn" });

          const replayed = new SessionBook(SESSION, await eventsOf(elsewhere));
          expect(replayed.snapshot()).toEqual(live.snapshot());
        }),
      ),
    );
  });

  test("whatever is asked of it, in whatever order, it does as a much simpler one would", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { maxLength: 40 }), async (steps) =>
        inNewStore(async (store) => {
          const model = new Model();
          const held: Lease[] = [];
          for (const command of steps) {
            store.time += command.type === "time-passes" ? command.milliseconds : 0;
            const expected = model.outcome(command, store.time);
            const outcome = await realOutcome(store, held, command);
            expect({ command, outcome }).toEqual({ command, outcome: expected });
          }
          for (const sessionId of SESSIONS) {
            expect(await eventsOf(store.elsewhere, sessionId)).toEqual(model.log(sessionId));
            expect(await idsOfOpen(store.elsewhere, sessionId)).toEqual(model.open(sessionId));
            await expectReplays(store.ledger, sessionId);
          }
          expect(await idsOfOpen(store.ledger)).toEqual(model.open());
        }),
      ),
      { numRuns: 300 },
    );
  });
}

// --- The simpler ledger: two sessions, three owners, five questions, one for each call ---

const SESSIONS = ["session-1", "session-2"] as const;

type Command =
  | {
      readonly type: "claim";
      readonly sessionId: string;
      readonly owner: string;
      readonly milliseconds: number;
    }
  | { readonly type: "renew"; readonly lease: number; readonly milliseconds: number }
  | { readonly type: "release"; readonly lease: number }
  | { readonly type: "say"; readonly lease: number; readonly texts: readonly string[] }
  | { readonly type: "ask" | "withdraw"; readonly lease: number; readonly number: number }
  | { readonly type: "answer"; readonly number: number; readonly answer: Answer }
  | { readonly type: "time-passes"; readonly milliseconds: number };

/** Counted from the newest lease back, so that most are tried soon after they were given. */
const leaseNumber = fc.nat(3);
const questionNumber = fc.nat(4);
const milliseconds = fc.constantFrom(1, 10, 25);
const answersGiven = fc.constantFrom<Answer>(
  { outcome: { type: "selected", optionId: "yes" }, intentHash: "intent-1", by: "person", at: 0 },
  { outcome: { type: "selected", optionId: "yes" }, intentHash: "other", by: "person", at: 0 },
  { outcome: { type: "selected", optionId: "no" }, intentHash: "other", by: "person", at: 0 },
  { outcome: { type: "selected", optionId: "maybe" }, intentHash: "intent-1", by: "person", at: 0 },
  { outcome: { type: "refused" }, intentHash: "", by: "rule", at: 0 },
);
const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant("claim" as const),
    sessionId: fc.constantFrom(...SESSIONS),
    owner: fc.constantFrom("ann", "bob", "cleo"),
    milliseconds,
  }),
  fc.record({ type: fc.constant("renew" as const), lease: leaseNumber, milliseconds }),
  fc.record({ type: fc.constant("release" as const), lease: leaseNumber }),
  fc.record({
    type: fc.constant("say" as const),
    lease: leaseNumber,
    texts: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constantFrom("ask" as const, "ask" as const, "withdraw" as const),
    lease: leaseNumber,
    number: questionNumber,
  }),
  fc.record({ type: fc.constant("answer" as const), number: questionNumber, answer: answersGiven }),
  fc.record({ type: fc.constant("time-passes" as const), milliseconds }),
);

type ModelLease = { readonly sessionId: string; readonly owner: string; expiresAt: number };
type ModelQuestion = { readonly question: Question; status: "open" | "withdrawn" | Answer };

/** Says what each command must come to. It knows nothing of fences: a lease is lost when it is not the newest. */
class Model {
  readonly #leases: ModelLease[] = [];
  readonly #newest = new Map<string, ModelLease | undefined>();
  readonly #logs = new Map<string, SessionEvent[]>(SESSIONS.map((sessionId) => [sessionId, []]));
  readonly #questions = new Map<number, ModelQuestion>();

  log(sessionId: string): readonly SessionEvent[] {
    return this.#logs.get(sessionId) ?? [];
  }

  open(sessionId?: string): readonly string[] {
    return [...this.#questions.values()]
      .filter(
        ({ status, question }) =>
          status === "open" && question.sessionId === (sessionId ?? question.sessionId),
      )
      .map(({ question }) => question.questionId);
  }

  outcome(command: Command, now: number): unknown {
    if (command.type === "time-passes") return "nothing";
    if (command.type === "claim") return this.#claim(command, now);
    if (command.type === "answer") return this.#answer(command, now);
    const lease = this.#leases.at(-1 - command.lease);
    if (!lease) return "nothing";
    const isNewest = this.#newest.get(lease.sessionId) === lease;
    switch (command.type) {
      case "renew":
        if (!isNewest) return { code: "LEASE_LOST" };
        lease.expiresAt = now + command.milliseconds;
        return { ...lease };
      case "release":
        if (isNewest) this.#newest.delete(lease.sessionId);
        return "nothing";
      case "say":
        return isNewest ? this.#append(lease.sessionId, command.texts.map(said)) : { code: "LEASE_LOST" };
      case "ask": {
        if (!isNewest) return { code: "LEASE_LOST" };
        if (this.#questions.has(command.number)) return { code: "ILLEGAL_EVENT" };
        const question = numbered(command.number, lease.sessionId, now);
        this.#questions.set(command.number, { question, status: "open" });
        return this.#append(lease.sessionId, [...callAt(question.toolCallId), asked(question)]);
      }
      case "withdraw": {
        if (!isNewest) return { code: "LEASE_LOST" };
        const known = this.#questions.get(command.number);
        if (known?.status !== "open" || known.question.sessionId !== lease.sessionId)
          return { code: "ILLEGAL_EVENT" };
        known.status = "withdrawn";
        return this.#append(lease.sessionId, [withdrawn(known.question.questionId)]);
      }
      default:
        return command satisfies never;
    }
  }

  #claim({ sessionId, owner, milliseconds: length }: Command & { type: "claim" }, now: number): unknown {
    const newest = this.#newest.get(sessionId);
    if (newest && newest.owner !== owner && newest.expiresAt > now) return { code: "LEASE_HELD" };
    const lease = { sessionId, owner, expiresAt: now + length };
    this.#newest.set(sessionId, lease);
    this.#leases.push(lease);
    return { ...lease };
  }

  #answer({ number, answer }: Command & { type: "answer" }, now: number): unknown {
    const known = this.#questions.get(number);
    if (!known) return { code: "NO_SUCH_QUESTION" };
    if (known.status === "withdrawn") return { code: "WITHDRAWN" };
    if (known.status !== "open") return { counted: false, answer: known.status };
    const picked = answer.outcome.type === "selected" ? answer.outcome.optionId : "no";
    if (picked === "maybe") return { code: "NOT_OFFERED" };
    if (picked === "yes" && answer.intentHash !== "intent-1") return { code: "INTENT_CHANGED" };
    if (picked === "yes" && now >= (known.question.expiresAt ?? Infinity)) return { code: "EXPIRED" };
    known.status = answer;
    const { questionId, sessionId } = known.question;
    this.#append(sessionId, [{ type: "question-answered", at: now, questionId, answer }]);
    return { counted: true, answer };
  }

  #append(sessionId: string, events: readonly SessionEvent[]): number {
    const log = this.#logs.get(sessionId) ?? [];
    log.push(...events);
    return log.length;
  }
}

async function realOutcome(
  { ledger, elsewhere, time }: Store,
  held: Lease[],
  command: Command,
): Promise<unknown> {
  if (command.type === "time-passes") return "nothing";
  if (command.type === "claim") {
    const outcome = await outcomeOf(claim(ledger, command));
    if ("code" in outcome) return outcome;
    held.push(outcome);
    return withoutFence(outcome);
  }
  if (command.type === "answer")
    return outcomeOf(elsewhere.answer(`question-${command.number}`, command.answer));
  const lease = held.at(-1 - command.lease);
  if (!lease) return "nothing";
  switch (command.type) {
    case "renew":
      return withoutFence(await outcomeOf(elsewhere.renew(lease, command)));
    case "release":
      await ledger.release(lease);
      return "nothing";
    case "say":
      return outcomeOf(elsewhere.append(lease, command.texts.map(said), QUICK));
    case "ask": {
      const question = numbered(command.number, lease.sessionId, time);
      return outcomeOf(ledger.append(lease, [...callAt(question.toolCallId), asked(question)], QUICK));
    }
    case "withdraw":
      return outcomeOf(ledger.append(lease, [withdrawn(`question-${command.number}`)], QUICK));
    default:
      return command satisfies never;
  }
}

/** Those with an even number expire, the others never do. */
function numbered(number: number, sessionId: string, askedAt: number): Question {
  const expiry = number % 2 === 0 ? { expiresAt: askedAt + 15 } : {};
  return aQuestion(`question-${number}`, `call-${number}`, { sessionId, askedAt, ...expiry });
}

function withoutFence(outcome: Lease | Failed): unknown {
  if ("code" in outcome) return outcome;
  const { fence: _, ...rest } = outcome;
  return rest;
}

const idsOfOpen = async (ledger: Ledger, sessionId?: string) =>
  (await ledger.openQuestions(sessionId === undefined ? {} : { sessionId })).map(
    ({ questionId }) => questionId,
  );

// --- Events, questions and answers ---

const NOON = Date.UTC(2026, 0, 2, 12);
const SESSION = "session-1";
const QUICK = { durable: false };
const DURABLE = { durable: true };

function said(text: string): SessionEvent {
  return {
    type: "message-chunk",
    at: NOON,
    messageId: "message-1",
    role: "agent",
    block: { type: "text", text },
  };
}

/** A call up to where it may be asked about. */
function callAt(toolCallId: string): readonly SessionEvent[] {
  const title = "Write src/app.ts";
  return [
    {
      type: "call-announced",
      toolCallId,
      at: NOON,
      name: "write_file",
      title,
      kind: "edit",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at: NOON, rawInput: { path: "/src/app.ts" } },
  ];
}

/** The same call from its clearing to its end. */
function ran(toolCallId: string, rawOutput: unknown): readonly SessionEvent[] {
  return [
    { type: "call-cleared", toolCallId, at: NOON },
    { type: "run-started", toolCallId, at: NOON },
    { type: "call-done", toolCallId, at: NOON, rawOutput },
  ];
}

const finished = (toolCallId: string, rawOutput: unknown) => [
  ...callAt(toolCallId),
  ...ran(toolCallId, rawOutput),
];

function aQuestion(questionId: string, toolCallId: string, changes: Partial<Question> = {}): Question {
  return {
    questionId,
    sessionId: SESSION,
    toolCallId,
    intentHash: "intent-1",
    title: "Write src/app.ts",
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
      { optionId: "never", name: "Always reject", kind: "reject_always" },
    ],
    askedAt: NOON,
    ...changes,
  };
}

const QUESTION = aQuestion("question-1", "call-1");
const SECOND = aQuestion("question-2", "call-2");

function asked(question: Question): SessionEvent {
  return { type: "question-asked", toolCallId: question.toolCallId, at: question.askedAt, question };
}

function answered(questionId: string, answer: Answer): SessionEvent {
  return { type: "question-answered", at: NOON, questionId, answer };
}

function withdrawn(questionId: string): SessionEvent {
  return { type: "question-withdrawn", at: NOON, questionId, reason: "the turn was cancelled" };
}

function selected(optionId: string): Answer {
  return { outcome: { type: "selected", optionId }, intentHash: "intent-1", by: "person", at: NOON };
}

const YES = selected("yes");
const ALWAYS = selected("always");
const NO = selected("no");
const NEVER = selected("never");
const REFUSED: Answer = { outcome: { type: "refused" }, intentHash: "intent-1", by: "person", at: NOON };

function cycle(): unknown {
  const self: Record<string, unknown> = {};
  self["self"] = self;
  return self;
}

// --- What the tests do again and again ---

type ClaimOptions = { readonly sessionId?: string; readonly owner?: string; readonly milliseconds?: number };

function claim(ledger: Ledger, options: ClaimOptions = {}): Promise<Lease> {
  const { sessionId = SESSION, owner = "ann", milliseconds: length = 30_000 } = options;
  return ledger.claim(sessionId, owner, { milliseconds: length });
}

/** Asks the questions, all of one session, and returns the lease that did. */
async function ask(ledger: Ledger, ...questions: readonly Question[]): Promise<Lease> {
  const lease = await claim(ledger, { sessionId: questions[0]?.sessionId ?? SESSION });
  const events = questions.flatMap((question) => [...callAt(question.toolCallId), asked(question)]);
  await ledger.append(lease, events, QUICK);
  return lease;
}

async function eventsOf(ledger: Ledger, sessionId = SESSION): Promise<readonly SessionEvent[]> {
  return (await ledger.read(sessionId)).map(({ event }) => event);
}

async function textsOf(ledger: Ledger, sessionId = SESSION): Promise<readonly string[]> {
  return (await eventsOf(ledger, sessionId)).flatMap((event) =>
    event.type === "message-chunk" && event.block.type === "text" ? [event.block.text] : [],
  );
}

async function answersIn(ledger: Ledger): Promise<readonly Answer[]> {
  return (await eventsOf(ledger)).flatMap((event) =>
    event.type === "question-answered" ? [event.answer] : [],
  );
}

const bytesOf = (bytes: Uint8Array | undefined) => bytes && Array.from(bytes);

type Failed = { readonly code: unknown };

/** What was promised, or the code of the error. */
async function outcomeOf<Value extends Lease | AnswerReceipt | number>(
  promise: Promise<Value>,
): Promise<Value | Failed> {
  try {
    return await promise;
  } catch (thrown) {
    return { code: codeIn(thrown) };
  }
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return "none";
  } catch (thrown) {
    return codeIn(thrown);
  }
}

function codeIn(thrown: unknown): unknown {
  if (thrown instanceof Error && "code" in thrown) return thrown.code;
  throw thrown;
}

async function expectLost(ledger: Ledger, lease: Lease): Promise<void> {
  const before = await ledger.read(lease.sessionId);
  expect(await codeOf(ledger.append(lease, [said("too late"), said("much too late")], DURABLE))).toBe(
    "LEASE_LOST",
  );
  expect(await codeOf(ledger.append(lease, [], QUICK))).toBe("LEASE_LOST");
  expect(await codeOf(ledger.renew(lease, { milliseconds: 30_000 }))).toBe("LEASE_LOST");
  expect(await ledger.read(lease.sessionId)).toEqual(before);
}

const TURNED_AWAY = { code: "ILLEGAL_EVENT", written: [] };

async function tryToAppend(ledger: Ledger, lease: Lease, events: readonly SessionEvent[]): Promise<unknown> {
  const before = await ledger.read(lease.sessionId);
  const code = await codeOf(ledger.append(lease, events, DURABLE));
  return { code, written: await ledger.read(lease.sessionId, { after: before.length }) };
}

async function expectReplays(ledger: Ledger, sessionId: string): Promise<void> {
  const events = await eventsOf(ledger, sessionId);
  expect(() => new SessionBook(sessionId, events)).not.toThrow();
}

async function closeStore({ ledger, elsewhere }: Store): Promise<void> {
  await elsewhere.close();
  await ledger.close();
}

// --- Following ---

type FollowOptions = {
  readonly sessionId?: string;
  readonly after?: number;
  /** Turns of the event loop that the follower takes over each event. */
  readonly pause?: number;
  readonly controller?: AbortController;
};

type Follower = {
  readonly seen: readonly RecordedEvent[];
  readonly ended: Promise<void>;
  /** Waits until so many events were seen. */
  readonly has: (count: number) => Promise<void>;
  readonly hasSeq: (seq: number) => Promise<void>;
  /** Aborts, and waits until the loop has ended by itself. */
  readonly stop: () => Promise<void>;
};

function startFollowing(ledger: Ledger, options: FollowOptions = {}): Follower {
  const { sessionId = SESSION, after, pause = 0, controller = new AbortController() } = options;
  const { signal } = controller;
  const seen: RecordedEvent[] = [];
  const follow = async () => {
    for await (const recorded of ledger.follow(
      sessionId,
      after === undefined ? { signal } : { after, signal },
    )) {
      seen.push(recorded);
      await turns(pause);
    }
  };
  const ended = follow();
  const until = async (isThere: () => boolean, what: string) => {
    const deadline = Date.now() + PATIENCE;
    while (!isThere()) {
      if (Date.now() > deadline)
        throw new Error(`${what}: only ${seen.map(({ seq }) => seq).join(", ")} came`);
      await setImmediate();
    }
  };
  return {
    seen,
    ended,
    has: (count) => until(() => seen.length >= count, `waited for ${count} events`),
    hasSeq: (seq) => until(() => seen.at(-1)?.seq === seq, `waited for event ${seq}`),
    stop: () => {
      controller.abort();
      return soon(ended, "the follower ends after the abort");
    },
  };
}

const PATIENCE = 5000;

async function soon(promise: Promise<void>, what: string): Promise<void> {
  const controller = new AbortController();
  const tooLate = async () => {
    await setTimeout(PATIENCE, undefined, { signal: controller.signal });
    throw new Error(`${what}: not within ${PATIENCE} ms`);
  };
  const waiting = tooLate();
  // When the promise wins, the timer is aborted and nobody awaits it any more.
  waiting.catch(() => undefined);
  try {
    await Promise.race([promise, waiting]);
  } finally {
    controller.abort();
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await (turn % 2 === 0 ? Promise.resolve() : setImmediate());
}

function abortedController(): AbortController {
  const controller = new AbortController();
  controller.abort();
  return controller;
}
