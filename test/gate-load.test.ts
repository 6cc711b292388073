/** Very many calls at once through one gate, and answers from other processes, on the built package. */
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { AgentSession, waitForTurn } from "../src/agent/index.js";
import { readAll } from "../src/call/index.js";
import { MemoryLedger, openLedger } from "../src/history/index.js";
import { openGate } from "../src/run/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import { counting, folder, never, scripted, text } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { startTogether } from "./start-together.js";

const run = promisify(execFile);

async function child(name: string, ...args: readonly string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, [childProgram(name), ...args], { timeout: 170_000 });
  return JSON.parse(stdout);
}

const allDone = (count: number) => ({
  ends: { done: count },
  wrong: 0,
  ran: count,
  ranTwice: 0,
  recorded: count,
});

const CALLS = process.env["TOOLGATE_LONG"] ? 10_000 : 1_000;

test.each(["call", "proceed"])(
  `${CALLS} calls at once by %s all end, each ran once, in half a gigabyte`,
  async (how) => {
    const end = await child("gate-load.mjs", await folder(), String(CALLS), how);
    expect(end).toMatchObject(allDone(CALLS));
    expect((end as { peakMegabytes: number }).peakMegabytes).toBeLessThan(512);
  },
);

test("ends and records all of 500 calls at once in a file", async () => {
  const cwd = await folder();
  const file = join(cwd, "ledger.sqlite");
  expect(await child("gate-load.mjs", cwd, "500", "call", file)).toMatchObject(allDone(500));
  const ledger = await openLedger(file);
  const [session] = await ledger.sessions();
  const events = await readAll(ledger, session?.sessionId ?? "");
  expect(events.filter(({ event }) => event.type === "call-done")).toHaveLength(500);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  await ledger.close();
});

test("runs a call once when two processes send the same yes a thousand times", async () => {
  const cwd = await folder();
  const file = join(cwd, "ledger.sqlite");
  const ledger = await openLedger(file);
  const counter = counting("t");
  const gate = await openGate({ ledger, workspace: cwd, tools: [counter.tool] });
  onTestFinished(async () => {
    await gate.close();
    await ledger.close();
  });
  await gate.submit([{ name: "t", input: {} }]);
  const answers = startTogether([1, 2].map(() => [childProgram("gate-answers.mjs"), file, "500"]));
  const waited = { isOver: false };
  void answers.finally(() => (waited.isOver = true));
  while (!waited.isOver) {
    await gate.proceed(never());
    await setTimeout(1);
  }
  expect((await answers).toSorted()).toEqual(["0", "1"]);
  await gate.proceed(never());
  expect(counter.runs).toBe(1);
  expect([...gate.book.calls()].map(({ state }) => state.status)).toEqual(["done"]);
});

test("applies a yes from another process at once while a long call still runs", async () => {
  const cwd = await folder();
  const file = join(cwd, "ledger.sqlite");
  const ledger = await openLedger(file);
  let quickRan: () => void = () => undefined;
  const otherRan = new Promise<string>((resolve) => {
    quickRan = () => resolve("the other ran");
  });
  const long = defineTool({
    name: "long",
    description: "Runs until the other one has.",
    kind: "other",
    input: z.object({}),
    run: async (_, { signal }) => {
      const first = await Promise.race([otherRan, setTimeout(120_000, "nobody ran", { signal, ref: false })]);
      return { output: first };
    },
  });
  const quick = defineTool({
    name: "quick",
    description: "Is asked about.",
    kind: "other",
    input: z.object({}),
    run: async () => {
      quickRan();
      return { output: "ran" };
    },
  });
  const agent = scripted(
    [
      {
        calls: [
          { tool: "long", input: {} },
          { tool: "quick", input: {} },
        ],
      },
      { say: "The end." },
    ],
    { tools: [long, quick], rules: [{ allow: "long" }] },
  );
  const session = await AgentSession.open({
    agent,
    ledger,
    workspace: await LocalWorkspace.open(cwd),
    sessionId: "s",
  });
  onTestFinished(async () => {
    await session.close();
    await ledger.close();
  });
  session.onRecorded((events) => {
    if (!events.some(({ type }) => type === "question-asked")) return;
    const other = spawn(process.execPath, [childProgram("answer.mjs"), file, "bob"], {
      stdio: "ignore",
    });
    onTestFinished(() => void other.kill());
  });
  const nobodyHere = () => new Promise<never>(() => undefined);
  const end = await waitForTurn(session, nobodyHere, never(), () => session.prompt(text("go"), never()));
  expect(end).toMatchObject({ status: "stopped", stopReason: "end_turn" });
  const [longCall, quickCall] = [...session.book.calls()];
  expect(longCall?.rawOutput).toBe("the other ran");
  expect(quickCall?.decision).toMatchObject({ by: "person", who: "bob" });
});

test("applies an answer that arrives while other answers are being applied", async () => {
  const ledger = new MemoryLedger();
  const counter = counting("t");
  const stop = new AbortController();
  const long = defineTool({
    name: "long",
    description: "Runs until it is stopped.",
    kind: "other",
    input: z.object({}),
    run: async (_, { signal }) => setTimeout(120_000, "", { signal }),
  });
  const gate = await openGate({
    ledger,
    workspace: await folder(),
    tools: [long, counter.tool],
    rules: [{ allow: "long" }],
  });
  onTestFinished(() => gate.close());
  await gate.submit([
    { name: "long", input: {} },
    { name: "t", input: {} },
  ]);
  const [question] = await ledger.openQuestions();
  if (!question) throw new Error("nothing was asked");
  const read = ledger.read.bind(ledger);
  let isAnswered = false;
  // The moment between reading the ledger and waiting for its next event.
  ledger.read = async (...args) => {
    const events = await read(...args);
    if (!isAnswered) {
      isAnswered = true;
      await ledger.answer(question.questionId, {
        outcome: { type: "selected", optionId: "allow_once" },
        intentHash: question.intentHash,
        by: "person",
        at: Date.now(),
      });
      gate.wake();
    }
    return events;
  };
  gate.onRecorded((events) => {
    if (events.some(({ type }) => type === "call-done")) stop.abort();
  });
  await gate.proceed(stop.signal);
  expect(counter.runs).toBe(1);
});

test("exits when all calls of a process were stopped", async () => {
  expect(await child("gate-over.mjs", await folder())).toEqual([
    "slow cancelled",
    "asking done",
    "limited failed",
    "loud cancelled",
    "question cancelled",
    "instant done",
    "terminal cancelled",
  ]);
});
