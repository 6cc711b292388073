import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blocks, lives } from "./calls.samples.js";
import { bookOf, deepFreeze, isCallEvent } from "./events.samples.js";
import { savedSession, sessionFromSaved } from "./saved-session.js";
import type { Session, SessionEvent } from "./session.js";
import { SessionBook } from "./session-book.js";
import type { ToolCallEvent } from "./tool-call.js";

type SessionLevel = Exclude<SessionEvent, ToolCallEvent>;

/** Session events that are legal at any moment; undefined for those that belong to a turn or to a call's question. */
const TALK: { readonly [Type in SessionLevel["type"]]: fc.Arbitrary<SessionEvent> | undefined } = {
  "message-chunk": fc
    .record({
      messageId: fc.constantFrom("m1", "m2"),
      role: fc.constantFrom("user" as const, "agent" as const, "thought" as const),
      block: blocks,
    })
    .map((data): SessionEvent => ({ type: "message-chunk", at: 5, ...data })),
  "plan-updated": fc.string({ maxLength: 8 }).map((content): SessionEvent => ({
    type: "plan-updated",
    at: 5,
    entries: [{ content, priority: "high", status: "pending" }],
  })),
  "mode-changed": fc
    .constantFrom("ask", "code")
    .map((modeId): SessionEvent => ({ type: "mode-changed", at: 5, modeId })),
  "info-changed": fc
    .constantFrom({ title: "Tests" }, { cwd: "/a" }, { title: "Docs", agent: "goose" }, { _meta: { a: 1 } })
    .map((info): SessionEvent => ({ type: "info-changed", at: 5, info })),
  "step-ended": fc.constantFrom<SessionEvent>(
    { type: "step-ended", at: 5, turnId: "turn-1", stepId: "step-1", toolCallIds: ["call_1"] },
    {
      type: "step-ended",
      at: 5,
      turnId: "turn-1",
      stepId: "step-2",
      toolCallIds: [],
      usage: { inputTokens: 3 },
      answer: { model: "m", parts: [{ type: "text", length: 3, providerOptions: { a: { b: 1 } } }] },
    },
  ),
  "context-compacted": fc.constant<SessionEvent>({
    type: "context-compacted",
    at: 5,
    throughStepId: "step-1",
    summary: "It was long.",
  }),
  "window-learnt": fc
    .constantFrom(8_000, 16_000)
    .map((contextWindow): SessionEvent => ({ type: "window-learnt", at: 5, model: "m", contextWindow })),
  "traffic-repaired": fc.constant<SessionEvent>({
    type: "traffic-repaired",
    at: 5,
    repair: { repair: "late-update", toolCallId: "call_1", detail: "x" },
  }),
  "turn-started": undefined,
  "turn-parked": undefined,
  "turn-resumed": undefined,
  "turn-stopped": undefined,
  "question-answered": undefined,
  "question-withdrawn": undefined,
};
const talk: fc.Arbitrary<readonly SessionEvent[]> = fc.array(
  fc.oneof(...Object.values(TALK).flatMap((events) => events ?? [])),
  { maxLength: 8 },
);

const turnEvents: fc.Arbitrary<readonly SessionEvent[]> = fc
  .constantFrom(0, 1, 2, 3)
  .map((length) =>
    (["turn-started", "turn-parked", "turn-resumed"] as const)
      .slice(0, length)
      .map((type) => ({ type, at: 5, turnId: "turn-1" })),
  );

/** The events of a session with this many calls, all going on at once. */
function sessions(callCount: number): fc.Arbitrary<readonly SessionEvent[]> {
  const strands = [talk, turnEvents, ...Array.from({ length: callCount }, (_, index) => lives(index + 1))];
  return fc
    .record({
      strands: fc.tuple(...strands),
      picks: fc.array(fc.nat({ max: 1000 }), { minLength: 8, maxLength: 40 }),
    })
    .map((drawn) => interleaved(drawn.strands, drawn.picks));
}

/** One sequence of all the strands that keeps the order within each; `picks` are used round and round. */
function interleaved(
  strands: readonly (readonly SessionEvent[])[],
  picks: readonly number[],
): readonly SessionEvent[] {
  let left = strands.filter((strand) => strand.length > 0);
  const all: SessionEvent[] = [];
  for (let step = 0; left.length > 0; step++) {
    const chosen = (picks[step % picks.length] ?? 0) % left.length;
    all.push(...(left[chosen]?.slice(0, 1) ?? []));
    left = left
      .map((strand, index) => (index === chosen ? strand.slice(1) : strand))
      .filter((strand) => strand.length > 0);
  }
  return all;
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const callsOf = ({ timeline }: Session) =>
  timeline.flatMap((entry) => (entry.type === "call" ? entry.call : []));
const besideCalls = (session: Session) => ({ ...session, timeline: [] });
const isOpen = (status: string) => ["drafting", "ready", "waiting", "cleared", "running"].includes(status);

const refusalOf = (apply: () => void): string | undefined => {
  try {
    apply();
    return undefined;
  } catch (thrown) {
    return String(thrown);
  }
};

describe.each([1, 3, 8])("a session with %i calls at once", (callCount) => {
  const anySession = sessions(callCount);
  const runs = { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? (callCount === 8 ? 15 : 50)) };

  test("replayed from its log, reads as it did live", () => {
    fc.assert(
      fc.property(anySession, (log) => {
        const live = bookOf();
        for (const each of log) live.apply(deepFreeze(each));
        const replayed = bookOf(...log);
        expect(replayed.snapshot()).toStrictEqual(live.snapshot());
        expect(replayed.openCalls()).toEqual(live.openCalls());
      }),
      runs,
    );
  });

  test("reads the same when its log has been written down as JSON and read again", () => {
    fc.assert(
      fc.property(anySession, (log) => {
        const read = asJson(log) as SessionEvent[];
        expect(asJson(bookOf(...read).snapshot())).toEqual(asJson(bookOf(...log).snapshot()));
      }),
      runs,
    );
  });

  test("written down at any moment, read again and gone on with, is as if its whole log had been folded", () => {
    fc.assert(
      fc.property(anySession, fc.nat(), (drawn, at) => {
        const log = asJson(drawn) as SessionEvent[];
        const cut = at % (log.length + 1);
        const session = sessionFromSaved(savedSession(bookOf(...log.slice(0, cut)).snapshot()));
        if (!session) throw new Error("What this version wrote, this version reads.");
        const restored = SessionBook.restored(session);
        for (const each of log.slice(cut)) restored.apply(each);
        const whole = bookOf(...log);
        expect(restored.snapshot()).toStrictEqual(whole.snapshot());
        expect([...restored.calls()]).toStrictEqual([...whole.calls()]);
        expect(restored.openCalls()).toStrictEqual(whole.openCalls());
        expect(restored.turn).toStrictEqual(whole.turn);
      }),
      runs,
    );
  });

  test("turns the same events away after it was written down and read again", () => {
    fc.assert(
      fc.property(anySession, anySession, fc.nat(), (drawn, others, at) => {
        const log = asJson(drawn) as SessionEvent[];
        const past = log.slice(0, at % (log.length + 1));
        const session = sessionFromSaved(savedSession(bookOf(...past).snapshot()));
        const books = [bookOf(...past), SessionBook.restored(session ?? bookOf().snapshot())];
        for (const other of asJson(others) as SessionEvent[]) {
          const [one, two] = books.map((book) => refusalOf(() => book.apply(other)));
          expect(two).toEqual(one);
        }
      }),
      runs,
    );
  });

  test("does not depend on the batches in which the events came", () => {
    fc.assert(
      fc.property(anySession, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (log, sizes) => {
        const book = bookOf();
        for (let from = 0, batch = 0; from < log.length; batch++) {
          const size = sizes[batch % sizes.length] ?? 1;
          book.applyAll(log.slice(from, from + size));
          from += size;
        }
        expect(book.snapshot()).toEqual(bookOf(...log).snapshot());
      }),
      runs,
    );
  });

  test("comes out the same when its batches are checked first and applied as they were checked", () => {
    fc.assert(
      fc.property(anySession, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (log, sizes) => {
        const [checked, plain] = [bookOf(), bookOf()];
        const received: unknown[][] = [[], []];
        for (const [index, book] of [checked, plain].entries())
          book.subscribe((changes) => received[index]?.push(changes));
        for (let from = 0, batch = 0; from < log.length; batch++) {
          const events = log.slice(from, from + (sizes[batch % sizes.length] ?? 1));
          from += events.length;
          const before = checked.snapshot();
          const found = checked.check(events);
          expect(checked.snapshot()).toEqual(before);
          checked.applyChecked(found);
          plain.applyAll(events);
        }
        expect(checked.snapshot()).toEqual(plain.snapshot());
        expect([...checked.calls()]).toEqual([...plain.calls()]);
        expect(checked.openCalls()).toEqual(plain.openCalls());
        expect(checked.hasOpenQuestions).toBe(plain.hasOpenQuestions);
        expect(received[0]).toEqual(received[1]);
      }),
      runs,
    );
  });

  test("never changes a snapshot that was taken, and what did not change is the very same", () => {
    fc.assert(
      fc.property(anySession, fc.nat(), (log, at) => {
        const book = bookOf(...log.slice(0, at % log.length));
        const snapshot = book.snapshot();
        const copy = structuredClone(snapshot);
        const next = log[at % log.length];
        deepFreeze(snapshot);
        book.applyAll(log.slice(at % log.length, (at % log.length) + 1));
        const changed = callsOf(snapshot).filter((call) => call !== book.call(call.toolCallId));
        expect(
          changed.filter((call) => !next || !isCallEvent(next) || next.toolCallId !== call.toolCallId),
        ).toEqual([]);
        book.applyAll(log.slice((at % log.length) + 1));
        expect(snapshot).toEqual(copy);
      }),
      runs,
    );
  });

  test("keeps its calls in the order of their announcements, each as if it were alone", () => {
    fc.assert(
      fc.property(anySession, (log) => {
        const announced = log.flatMap((each) => (each.type === "call-announced" ? each.toolCallId : []));
        const book = bookOf(...log);
        expect([...book.calls()].map((call) => call.toolCallId)).toEqual(announced);
        expect(callsOf(book.snapshot())).toEqual([...book.calls()]);
        for (const toolCallId of announced) {
          const alone = log.filter((each) => concerns(each, toolCallId));
          expect(bookOf(...alone).call(toolCallId)).toEqual(book.call(toolCallId));
        }
      }),
      runs,
    );
  });

  test("lists as open exactly the calls that have not ended, and no question is open without its call waiting", () => {
    fc.assert(
      fc.property(anySession, (log) => {
        const book = bookOf(...log);
        expect(book.openCalls()).toEqual([...book.calls()].filter(({ state }) => isOpen(state.status)));
        expect(book.callCount).toBe(callCount);
        const { questions } = book.snapshot();
        expect(book.hasOpenQuestions).toBe(questions.some(({ state }) => state.status === "open"));
        expect(SessionBook.restored(book.snapshot()).hasOpenQuestions).toBe(book.hasOpenQuestions);
        for (const { question, state } of questions) {
          const call = book.call(question.toolCallId)?.state;
          const isAsking =
            call?.status === "waiting" &&
            call.waitingFor.type === "question" &&
            call.waitingFor.questionId === question.questionId;
          expect(state.status !== "open" || isAsking).toBe(true);
        }
      }),
      runs,
    );
  });

  test("reports exactly the changes of each batch to its listeners", () => {
    fc.assert(
      fc.property(anySession, fc.nat(), (log, at) => {
        const cut = at % log.length;
        const book = bookOf(...log.slice(0, cut));
        const reported: unknown[] = [];
        book.subscribe(({ toolCallIds }) => reported.push([...toolCallIds].toSorted()));
        const batch = log.slice(cut);
        book.applyAll(batch);
        const ids = new Set(batch.filter(isCallEvent).map(({ toolCallId }) => toolCallId));
        expect(reported).toEqual([[...ids].toSorted()]);
      }),
      runs,
    );
  });

  test("says of a batch that nothing beside the calls changed only when that is so", () => {
    fc.assert(
      fc.property(anySession, (log) => {
        const book = bookOf();
        let isBeyond = false;
        book.subscribe((changes) => (isBeyond = changes.beyondCalls));
        const unreported = log.filter((each) => {
          const before = besideCalls(book.snapshot());
          book.apply(each);
          return !isBeyond && !isDeepStrictEqual(besideCalls(book.snapshot()), before);
        });
        expect(unreported).toEqual([]);
      }),
      runs,
    );
  });
});

/** The events of one call and of its questions, whose ids in the samples begin with it. */
function concerns(each: SessionEvent, toolCallId: string): boolean {
  if (isCallEvent(each)) return each.toolCallId === toolCallId;
  return "questionId" in each && each.questionId.startsWith(`q-${toolCallId}-`);
}
