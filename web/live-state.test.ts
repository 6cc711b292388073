import type { InboxQuestion, SessionSummary } from "toolgate/serve/client";
import { expect, test } from "vitest";
import { answerableIn, NOTHING_YET, withFrame } from "./live-state.js";

// Only the fields that the state reads.
const question = (questionId: string, askedAt: number, isAnswerable = true): InboxQuestion =>
  ({
    questionId,
    askedAt,
    isAnswerable,
    sessionId: "s",
    state: isAnswerable ? { status: "open" } : { status: "withdrawn", at: askedAt, reason: "" },
  }) as InboxQuestion;
const session = (sessionId: string, state: SessionSummary["state"]): SessionSummary =>
  ({ sessionId, state }) as SessionSummary;

test("keeps each question once, in the order of asking, and counts those that can be answered", () => {
  const inbox = { questions: [question("b", 2)], answerable: 1 };
  let state = withFrame(NOTHING_YET, { type: "inbox", inbox });
  state = withFrame(state, { type: "question", change: "asked", question: question("a", 1), answerable: 2 });
  state = withFrame(state, { type: "question", change: "asked", question: question("a", 1), answerable: 2 });
  expect(state.questions?.map(({ questionId }) => questionId)).toEqual(["a", "b"]);
  state = withFrame(state, {
    type: "question",
    change: "answered",
    question: question("b", 2, false),
    answerable: 1,
  });
  expect(answerableIn(state.questions)).toBe(1);
  // A new connection starts over from what the server has.
  expect(withFrame(state, { type: "inbox", inbox }).questions).toEqual(inbox.questions);
});

test("drops the oldest settled questions, and no open one, when more are settled than the server keeps", () => {
  let state = withFrame(NOTHING_YET, {
    type: "inbox",
    inbox: { questions: [question("open", 0)], answerable: 1 },
  });
  for (let number = 1; number <= 201; number += 1)
    for (const isAnswerable of [true, false])
      state = withFrame(state, {
        type: "question",
        change: isAnswerable ? "asked" : "withdrawn",
        question: question(`q${number}`, number, isAnswerable),
        answerable: 1,
      });
  expect(state.questions?.length).toBe(201);
  expect(state.questions?.slice(0, 2).map(({ questionId }) => questionId)).toEqual(["open", "q2"]);
});

test("lists sessions while they are under way", () => {
  let state = withFrame(NOTHING_YET, { type: "session", session: session("one", "running") });
  state = withFrame(state, { type: "session", session: session("one", "waiting") });
  expect(state.sessions).toEqual([session("one", "waiting")]);
  expect(withFrame(state, { type: "session", session: session("one", "idle") }).sessions).toEqual([]);
});

test("drops the questions of a session that was deleted", () => {
  const state = withFrame(
    { ...NOTHING_YET, questions: [question("a", 1)] },
    { type: "session-removed", sessionId: "s" },
  );
  expect(state.questions).toEqual([]);
});
