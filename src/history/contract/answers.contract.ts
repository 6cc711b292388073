/** Questions: each is asked once, answered or withdrawn once, and listed while it is open. */
import { expect, test } from "vitest";
import type { Answer } from "../../call/index.js";
import { allOpenQuestions } from "../../call/index.js";
import type { Given } from "./contract.samples.js";
import {
  ALWAYS,
  DURABLE,
  NEVER,
  NO,
  NOON,
  QUESTION,
  QUICK,
  REFUSED,
  SECOND,
  SESSION,
  TURNED_AWAY,
  YES,
  aQuestion,
  answered,
  answersIn,
  ask,
  asked,
  callAt,
  claim,
  codeOf,
  expectReplays,
  said,
  selected,
  tryToAppend,
  withdrawn,
} from "./contract.samples.js";

export function answers({ store }: Given): void {
  test("writes an answer into the log of its session, at the ledger's own time", async () => {
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

  test("returns the first answer to a later one", async () => {
    const { ledger, elsewhere } = store();
    await ask(ledger, QUESTION);
    const first: Answer = { ...NO, who: "ann", reason: "not that file" };
    await ledger.answer("question-1", first);
    const later = { counted: false, answer: first };
    expect(await elsewhere.answer("question-1", YES)).toEqual(later);
    expect(await ledger.answer("question-1", first)).toEqual(later);
    expect(await answersIn(ledger)).toEqual([first]);
  });

  test("returns the first answer to a later one, even to one that would be refused", async () => {
    const { ledger } = store();
    await ask(ledger, { ...QUESTION, expiresAt: NOON + 1000 });
    await ledger.answer("question-1", YES);
    store().time += 2000;
    const later = { counted: false, answer: YES };
    expect(await ledger.answer("question-1", YES)).toEqual(later);
    expect(await ledger.answer("question-1", selected("whatever"))).toEqual(later);
    expect(await ledger.answer("question-1", { ...YES, intentHash: "other" })).toEqual(later);
  });

  test("counts exactly one of a hundred answers at once and returns it to all", async () => {
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

  test("takes an answer without a lease while the holder of the session keeps appending", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann" });
    await ledger.append(lease, [...callAt("call-1"), asked(QUESTION)], QUICK);
    expect((await elsewhere.answer("question-1", YES)).counted).toBe(true);
    expect(await ledger.append(lease, [said("thank you")], QUICK)).toBe(5);
  });

  test("takes an answer when nobody holds the session any more", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [...callAt("call-1"), asked(QUESTION)], QUICK);
    await ledger.release(lease);
    expect((await elsewhere.answer("question-1", YES)).counted).toBe(true);
  });

  test("refuses every answer to a question that was never asked, a refusal too", async () => {
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

  test("throws EXPIRED for a late yes by the ledger's clock, records nothing, and still takes a no", async () => {
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

  test("takes a yes in the last millisecond", async () => {
    const { ledger } = store();
    await ask(ledger, { ...QUESTION, expiresAt: NOON + 60_000 });
    store().time += 59_999;
    expect((await ledger.answer("question-1", YES)).counted).toBe(true);
  });

  test.each<[string, Answer]>([
    ["a no", NO],
    ["a never", NEVER],
    ["an asker that failed", REFUSED],
  ])("accepts %s at any time and for any intent", async (_what, answer) => {
    const { ledger } = store();
    await ask(ledger, { ...QUESTION, expiresAt: NOON + 1000 });
    store().time += 1e9;
    const refusal = { ...answer, intentHash: "another-intent" };
    expect(await ledger.answer("question-1", refusal)).toEqual({ counted: true, answer: refusal });
    expect(await answersIn(ledger)).toEqual([refusal]);
  });

  test("refuses every answer to a withdrawn question, a refusal too", async () => {
    const { ledger, elsewhere } = store();
    const lease = await ask(ledger, QUESTION);
    await ledger.append(lease, [withdrawn("question-1")], QUICK);
    const before = await ledger.read(SESSION);
    expect(await codeOf(elsewhere.answer("question-1", YES))).toBe("WITHDRAWN");
    expect(await codeOf(elsewhere.answer("question-1", REFUSED))).toBe("WITHDRAWN");
    expect(await ledger.read(SESSION)).toEqual(before);
  });

  test("refuses an answer that cannot be written as JSON, and leaves the question open", async () => {
    const { ledger } = store();
    await ask(ledger, QUESTION);
    const answer = { ...YES, _meta: { big: 10n } };
    expect(await codeOf(ledger.answer("question-1", answer))).toBe("ILLEGAL_EVENT");
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
    expect(await answersIn(ledger)).toEqual([]);
  });

  test("keeps the answer when the caller changes its object afterwards", async () => {
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

export function questionsInTheLog({ store }: Given): void {
  test("counts the answer that the holder of the lease appended", async () => {
    const { ledger, elsewhere } = store();
    const lease = await ask(ledger, QUESTION);
    const byRule: Answer = { ...NO, by: "rule", rule: "rule 3" };
    await ledger.append(lease, [answered("question-1", byRule)], QUICK);
    expect(await elsewhere.answer("question-1", YES)).toEqual({ counted: false, answer: byRule });
    expect(await answersIn(ledger)).toEqual([byRule]);
  });

  test("takes a question and its answer in one append", async () => {
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
  ] as const)(
    "refuses to record a question that was %s as %s, since the log could not be replayed",
    async (first, then) => {
      const { ledger } = store();
      const lease = await ask(ledger, QUESTION);
      if (first === "answered") await ledger.answer("question-1", YES);
      else await ledger.append(lease, [settle[first]], QUICK);
      expect(await tryToAppend(ledger, lease, [settle[then]])).toEqual(TURNED_AWAY);
    },
  );

  test("refuses a second question with the same id in any session", async () => {
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

  test("asks and settles a question only in its own session", async () => {
    const { ledger } = store();
    await ask(ledger, QUESTION);
    const other = await claim(ledger, { sessionId: "session-2" });
    expect(await tryToAppend(ledger, other, [...callAt("call-2"), asked(SECOND)])).toEqual(TURNED_AWAY);
    expect(await tryToAppend(ledger, other, [withdrawn("question-1")])).toEqual(TURNED_AWAY);
    expect(await tryToAppend(ledger, other, [answered("question-1", YES)])).toEqual(TURNED_AWAY);
    expect(await ledger.openQuestions()).toEqual([QUESTION]);
  });

  test("judges an event that becomes another one when it is written as that one", async () => {
    const { ledger } = store();
    const lease = await ask(ledger, QUESTION);
    await ledger.answer("question-1", YES);
    const disguised = { ...said("nothing"), toJSON: () => answered("question-1", NO) };
    expect(await tryToAppend(ledger, lease, [disguised])).toEqual(TURNED_AWAY);
  });

  test("refuses to settle a question that was never asked", async () => {
    const { ledger } = store();
    const lease = await claim(ledger);
    expect(await tryToAppend(ledger, lease, [withdrawn("question-1")])).toEqual(TURNED_AWAY);
    expect(await tryToAppend(ledger, lease, [answered("question-1", YES)])).toEqual(TURNED_AWAY);
  });

  test("stores no event of an append when the last one is refused", async () => {
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

  test("asks and settles nothing with a lost lease", async () => {
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

  test("lets one of an answer and a withdrawal at the same time win, and the log can be replayed", async () => {
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

export function openQuestions({ store }: Given): void {
  test("lists no open questions before one is asked", async () => {
    expect(await store().ledger.openQuestions()).toEqual([]);
    expect(await store().ledger.openQuestions({ sessionId: "unknown" })).toEqual([]);
  });

  test("lists open questions as they were asked, whatever the clock says, of one session or of all", async () => {
    const { ledger, elsewhere } = store();
    const first = aQuestion("c", "call-1", { askedAt: NOON + 3 });
    const third = aQuestion("b", "call-2", { askedAt: NOON + 1 });
    const second = aQuestion("a", "call-1", { askedAt: NOON + 2, sessionId: "session-2" });
    await ask(ledger, first);
    await ask(ledger, second);
    await ask(ledger, third);
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

  test("lists a question no more once it is answered or withdrawn", async () => {
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

  test("lists open questions in pages, also after one that was settled since", async () => {
    const { ledger, elsewhere } = store();
    const questions = ["d", "b", "c", "a"].map((questionId) => aQuestion(questionId, `call-${questionId}`));
    const other = aQuestion("e", "call-1", { sessionId: "session-2" });
    await ask(ledger, ...questions);
    await ask(ledger, other);
    const [first, second, third, fourth] = questions;
    expect(await elsewhere.openQuestions({ limit: 2 })).toEqual([first, second]);
    await ledger.answer("b", NO);
    expect(await elsewhere.openQuestions({ after: "b", limit: 2 })).toEqual([third, fourth]);
    expect(await elsewhere.openQuestions({ after: "b", sessionId: SESSION })).toEqual([third, fourth]);
    expect(await elsewhere.openQuestions({ after: "a" })).toEqual([other]);
    expect(await elsewhere.openQuestions({ after: "e" })).toEqual([]);
  });

  test("refuses a page after a question whose session was removed, and starts a list of all again", async () => {
    const { ledger, elsewhere } = store();
    const other = aQuestion("other", "call-1", { sessionId: "session-2" });
    const lease = await ask(ledger, QUESTION);
    await ask(ledger, other);
    await ledger.remove(lease);
    const gone = elsewhere.openQuestions({ after: QUESTION.questionId });
    expect(await codeOf(gone)).toBe("NO_SUCH_QUESTION");
    expect(await allOpenQuestions(elsewhere)).toEqual([other]);
  });

  test("lists an expired question as open, for a refusal", async () => {
    const { ledger } = store();
    const question = { ...QUESTION, expiresAt: NOON + 1000 };
    await ask(ledger, question);
    store().time += 5000;
    expect(await ledger.openQuestions()).toEqual([question]);
  });
}
