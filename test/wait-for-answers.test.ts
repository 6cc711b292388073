/** A wait for a question ends when that question is settled, and at no other's end, however the waits overlap. */
import { expect, test } from "vitest";
import { AgentSession, waitForTurn } from "../src/agent/index.js";
import { after as callAfter, question, way, yes } from "../src/call/events.samples.js";
import { shownQuestion } from "../src/call/index.js";
import type { Ledger, Question, RecordedEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { waitForAnswers } from "../src/run/index.js";
import type { Ask } from "../src/run/index.js";
import { onQuestionSettled } from "../src/run/wait-for-answers.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { folder, never, scripted, text } from "./agent-kit.js";
import { aWhile, deferred } from "./raw-agent.js";
import { until } from "./until.js";

const withCall = (one: Question) => shownQuestion(one, callAfter(...way.ready));

type FollowOptions = Parameters<Ledger["follow"]>[1];

class CountingLedger extends MemoryLedger {
  follows = 0;

  override follow(sessionId: string, options: FollowOptions): AsyncIterable<RecordedEvent> {
    this.follows += 1;
    return super.follow(sessionId, options);
  }
}

/** Its followers end some time after the request, as those of a file or a network may: here, when the test says. */
class SlowLedger extends MemoryLedger {
  readonly end = deferred();

  override async *follow(sessionId: string, options: FollowOptions): AsyncIterable<RecordedEvent> {
    yield* super.follow(sessionId, options);
    await this.end.promise;
  }
}

/** A session with open questions, and the sequence number after them. */
async function asked(ledger: Ledger, count: number) {
  const { sessionId } = question;
  const questions = Array.from({ length: count }, (_, index): Question => ({
    ...question,
    questionId: `q${index + 1}`,
    toolCallId: `call_${index + 1}`,
  }));
  const lease = await ledger.claim(sessionId, "someone", { milliseconds: 60_000 });
  const seq = await ledger.append(
    lease,
    questions.map((one) => ({ type: "question-asked", at: 0, toolCallId: one.toolCallId, question: one })),
    { durable: false },
  );
  return { questions, lease, seq };
}

/** A wait whose state can be read. */
function waiting(ledger: Ledger, one: Question, after: number, signal = never()) {
  const wait = { isOver: false };
  const over = new Promise<void>((resolve) => {
    const leave = onQuestionSettled(ledger, one, after, resolve);
    signal.addEventListener("abort", () => (leave(), resolve()), { once: true });
  }).finally(() => {
    wait.isOver = true;
  });
  return Object.assign(wait, { over });
}

test("follows many questions of a session once, and ends each wait with its own question", async () => {
  const ledger = new CountingLedger();
  const { questions, seq } = await asked(ledger, 100);
  const waits = questions.map((one) => waiting(ledger, one, seq));
  await aWhile();
  for (const [index, { questionId }] of questions.entries()) {
    await ledger.answer(questionId, yes);
    await waits[index]?.over;
    expect(waits.filter(({ isOver }) => isOver)).toHaveLength(index + 1);
  }
  expect(ledger.follows).toBe(1);
});

test("ends all waits for one question, and at once for one that is settled already", async () => {
  const ledger = new CountingLedger();
  const { questions, seq } = await asked(ledger, 2);
  const [first, second] = questions as [Question, Question];
  const waits = [waiting(ledger, first, seq), waiting(ledger, first, seq), waiting(ledger, second, seq)];
  await ledger.answer(first.questionId, yes);
  await Promise.all([waits[0]?.over, waits[1]?.over]);
  await waiting(ledger, first, seq).over;
  expect(waits[2]?.isOver).toBe(false);
  await ledger.answer(second.questionId, yes);
  await waits[2]?.over;
  expect(ledger.follows).toBe(1);
});

test("starts a new wait when the last one has just stopped", async () => {
  const ledger = new MemoryLedger();
  const { questions, seq } = await asked(ledger, 2);
  const [first, second] = questions as [Question, Question];
  const stop = new AbortController();
  const before = waiting(ledger, first, seq, stop.signal);
  await aWhile();
  stop.abort();
  const after = waiting(ledger, second, seq);
  await before.over;
  await aWhile();
  expect(after.isOver).toBe(false);
  await ledger.answer(second.questionId, yes);
  await after.over;
});

test("starts a new wait when the last question was just settled, however slowly the follower ends", async () => {
  const ledger = new SlowLedger();
  const { questions, seq } = await asked(ledger, 2);
  const [first, second] = questions as [Question, Question];
  const before = waiting(ledger, first, seq);
  await ledger.answer(first.questionId, yes);
  await before.over;
  const after = waiting(ledger, second, seq);
  ledger.end.resolve();
  await aWhile();
  expect(after.isOver).toBe(false);
  await ledger.answer(second.questionId, yes);
  await after.over;
});

test("finds a question that was settled before the followed events", async () => {
  const ledger = new MemoryLedger();
  const { questions, seq } = await asked(ledger, 2);
  const [first, second] = questions as [Question, Question];
  await ledger.answer(first.questionId, yes);
  const later = waiting(ledger, second, seq + 1);
  await waiting(ledger, first, seq).over;
  expect(later.isOver).toBe(false);
  await ledger.answer(second.questionId, yes);
  await later.over;
});

test("shows no question when the signal has aborted, and stops waiting when it aborts", async () => {
  const ledger = new CountingLedger();
  const { questions, seq: after } = await asked(ledger, 1);
  const [one] = questions as [Question];
  const shown: AbortSignal[] = [];
  const ask: Ask = (_question, signal) => (shown.push(signal), new Promise(() => undefined));
  await waitForAnswers({ ledger, question: withCall(one), ask, signal: AbortSignal.abort(), after });
  expect([shown, ledger.follows]).toEqual([[], 0]);
  const stop = new AbortController();
  const held = waitForAnswers({ ledger, question: withCall(one), ask, signal: stop.signal, after });
  await aWhile();
  stop.abort();
  await held;
  expect(shown.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await ledger.openQuestions()).toEqual(questions);
});

test("ends the waits when the session is removed", async () => {
  const ledger = new MemoryLedger();
  const { questions, lease, seq } = await asked(ledger, 2);
  const waits = questions.map((one) => waiting(ledger, one, seq));
  await aWhile();
  expect(waits.map(({ isOver }) => isOver)).toEqual([false, false]);
  await ledger.remove(lease);
  await Promise.all(waits.map(({ over }) => over));
});

test("ends the waits when the ledger is closed", async () => {
  const ledger = new MemoryLedger();
  const { questions, seq } = await asked(ledger, 2);
  const waits = questions.map((one) => waiting(ledger, one, seq));
  await aWhile();
  expect(waits.map(({ isOver }) => isOver)).toEqual([false, false]);
  await ledger.close();
  await Promise.all(waits.map(({ over }) => over));
});

test("asks one question after the other, also where followers end slowly", async () => {
  const edit = (path: string) => ({
    calls: [{ tool: "edit_file", input: { path, oldText: "one", newText: "two" } }],
  });
  const ledger = new SlowLedger();
  const session = await AgentSession.open({
    agent: scripted([edit("a.txt"), edit("b.txt"), { say: "Done." }]),
    ledger,
    workspace: await LocalWorkspace.open(await folder({ "a.txt": "one\n", "b.txt": "one\n" })),
  });
  const stop = new AbortController();
  let resumed = 0;
  session.onRecorded((events) => {
    resumed += events.filter(({ type }) => type === "turn-resumed").length;
    // A turn that continues without an answer would never end.
    if (resumed > 5) stop.abort();
  });
  const shown: string[] = [];
  const ask: Ask = async ({ toolCallId, options }) => {
    shown.push(toolCallId);
    if (shown.length === 2) {
      // The follower that received the first answer ends only now.
      ledger.end.resolve();
      await aWhile();
    }
    return { outcome: { type: "selected", optionId: options[0]?.optionId ?? "" }, by: "person" };
  };
  const end = await waitForTurn(session, ask, stop.signal, () => session.prompt(text("Go"), stop.signal));
  expect({ end, shown }).toEqual({
    end: { status: "stopped", stopReason: "end_turn" },
    shown: ["call_1", "call_2"],
  });
  await session.close();
});

/** Somebody else answers the first question at the moment at which the turn parks. */
class AnsweredAtParking extends MemoryLedger {
  #isAnswered = false;

  override async append(...given: Parameters<MemoryLedger["append"]>): Promise<number> {
    const [, events] = given;
    const [first] = await this.openQuestions();
    if (first && !this.#isAnswered && events.some(({ type }) => type === "turn-parked")) {
      this.#isAnswered = true;
      const optionId = first.options[0]?.optionId ?? "";
      const { questionId, intentHash } = first;
      await this.answer(questionId, {
        outcome: { type: "selected", optionId },
        intentHash,
        by: "person",
        at: 0,
      });
    }
    return super.append(...given);
  }
}

test("a turn goes on with an answer that came with its parking while another question is open", async () => {
  const calls = ["a", "b"].map((path) => ({ tool: "write_file", input: { path, content: "x" } }));
  const cwd = await folder();
  const stop = new AbortController();
  const ledger = new AnsweredAtParking();
  const session = await AgentSession.open({
    agent: scripted([{ calls }, { say: "Done." }]),
    ledger,
    workspace: await LocalWorkspace.open(cwd),
  });
  const nobody: Ask = () => new Promise(() => undefined);
  const end = waitForTurn(session, nobody, stop.signal, () => session.prompt(text("Go"), stop.signal));
  await until(() => session.book.call("call_1")?.state.status === "done");
  expect(session.book.call("call_2")?.state.status).toBe("waiting");
  stop.abort();
  expect(await end).toEqual({ status: "stopped", stopReason: "cancelled" });
  await session.close();
});
