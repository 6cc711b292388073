/** Turns of an agent through gate and ledger: allowed, asked, refused, cancelled, taken over. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AgentSession, waitForTurn } from "../src/agent/index.js";
import type { Question } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { Ask } from "../src/run/index.js";
import { defineTool } from "../src/tools/index.js";
import { z } from "zod";
import { counting, never, scripted, text, workspace } from "./agent-kit.js";

const yes: Ask = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" });
const no: Ask = () =>
  Promise.resolve({
    outcome: { type: "selected", optionId: "reject_once" },
    by: "person",
    who: "ann",
    reason: "not that",
  });

const statuses = ({ book }: AgentSession) =>
  [...book.calls()].map(({ name, state }) => `${name} ${state.status}`);

describe("a turn", () => {
  test("runs a call that a rule allows, sends the model its result, and stops when the model does", async () => {
    const ws = await workspace({ "a.txt": "hello" });
    const agent = scripted(
      [
        { say: "I look.", calls: [{ tool: "read_file", input: { path: "a.txt" } }] },
        { say: "It says hello." },
      ],
      { rules: [{ allow: "read" }] },
    );
    const session = await AgentSession.open({ agent, ledger: new MemoryLedger(), workspace: ws });
    expect(await session.prompt(text("What is in a.txt?"), never())).toEqual({
      status: "stopped",
      stopReason: "end_turn",
    });
    expect(statuses(session)).toEqual(["read_file done"]);
    const [call] = session.book.calls();
    expect(call).toMatchObject({
      title: "Read a.txt",
      decision: { by: "rule", rule: "allow read" },
      rawOutput: "hello",
    });
  });

  test("asks about a call that no rule covers, and parks until someone answers", async () => {
    const ledger = new MemoryLedger();
    const ws = await workspace({ "a.txt": "hello" });
    const agent = scripted([
      { calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "hello", newText: "bye" } }] },
      { say: "Done." },
    ]);
    const session = await AgentSession.open({ agent, ledger, workspace: ws });
    expect(await session.prompt(text("Say bye"), never())).toEqual({ status: "parked" });
    const [question] = await ledger.openQuestions();
    expect(question).toMatchObject({ title: "Edit a.txt", sessionId: session.sessionId });
    const [call] = session.book.calls();
    expect(call?.content).toMatchObject([
      { type: "diff", operation: "modify", oldText: "hello", newText: "bye" },
    ]);
    await ledger.answer(question!.questionId, answer(question!, "allow_once"));
    expect(await session.advance(never())).toEqual({ status: "stopped", stopReason: "end_turn" });
    expect(await readFile(join(ws.root, "a.txt"), "utf8")).toBe("bye");
  });

  test("a no with a reason reaches the model, and nothing runs", async () => {
    const counter = counting("risky");
    const agent = scripted([{ calls: [{ tool: "risky", input: {} }] }, { say: "Then not." }], {
      tools: [counter.tool],
    });
    const session = await AgentSession.open({
      agent,
      ledger: new MemoryLedger(),
      workspace: await workspace(),
    });
    await waitForTurn(session, no, never(), () => session.prompt(text("go"), never()));
    expect(statuses(session)).toEqual(["risky refused"]);
    expect(counter.runs).toBe(0);
    const [call] = session.book.calls();
    expect(call?.decision).toMatchObject({ by: "person", who: "ann", reason: "not that" });
  });

  test("an asker that breaks, or answers what was not offered, is a no", async () => {
    const counter = counting("risky");
    const agent = scripted(
      [
        {
          calls: [
            { tool: "risky", input: {} },
            { tool: "risky", input: { a: 1 } },
          ],
        },
        { say: "Well." },
      ],
      { tools: [counter.tool] },
    );
    const session = await AgentSession.open({
      agent,
      ledger: new MemoryLedger(),
      workspace: await workspace(),
    });
    let asked = 0;
    const odd: Ask = () => {
      asked += 1;
      if (asked === 1) return Promise.reject(new Error("the editor crashed"));
      return Promise.resolve({ outcome: { type: "selected", optionId: "allow_always" }, by: "person" });
    };
    await waitForTurn(session, odd, never(), () => session.prompt(text("go"), never()));
    expect(statuses(session)).toEqual(["risky refused", "risky refused"]);
    expect(counter.runs).toBe(0);
  });

  test("a rule that denies gives the model its reason and asks nobody", async () => {
    const counter = counting("risky");
    const agent = scripted([{ calls: [{ tool: "risky", input: {} }] }, { say: "Ok." }], {
      tools: [counter.tool],
      rules: [{ allow: "*" }, { deny: "risky", reason: "never" }],
    });
    const session = await AgentSession.open({
      agent,
      ledger: new MemoryLedger(),
      workspace: await workspace(),
    });
    await session.prompt(text("go"), never());
    const [call] = session.book.calls();
    expect(call).toMatchObject({
      state: { status: "refused" },
      decision: { rule: "deny risky", reason: "never" },
    });
    expect(counter.runs).toBe(0);
  });

  test("an unknown tool and a bad input fail with words for the model, and the turn goes on", async () => {
    const agent = scripted(
      [
        {
          calls: [
            { tool: "teleport", input: {} },
            { tool: "read_file", input: { path: 7 } },
          ],
        },
        { say: "I see." },
      ],
      { rules: [{ allow: "*" }] },
    );
    const session = await AgentSession.open({
      agent,
      ledger: new MemoryLedger(),
      workspace: await workspace(),
    });
    expect(await session.prompt(text("go"), never())).toMatchObject({ stopReason: "end_turn" });
    const errors = [...session.book.calls()].map(({ state }) =>
      state.status === "failed" ? state.error : "",
    );
    expect(errors[0]).toMatch(/no tool named "teleport".*read_file/);
    expect(errors[1]).toMatch(/read_file: the input is not valid.*Nothing was run/s);
  });
});

function answer(question: Question, optionId: string) {
  return {
    outcome: { type: "selected", optionId },
    intentHash: question.intentHash,
    by: "person",
    at: 1,
  } as const;
}

describe("a yes", () => {
  test("is for what was asked about: a file that changed since is asked about again", async () => {
    const ledger = new MemoryLedger();
    const ws = await workspace({ "a.txt": "one two" });
    const agent = scripted([
      { calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "1" } }] },
      { say: "Done." },
    ]);
    const session = await AgentSession.open({ agent, ledger, workspace: ws });
    await session.prompt(text("go"), never());
    const [first] = await ledger.openQuestions();
    await ws.write(join(ws.root, "a.txt"), "one two three");
    await ledger.answer(first!.questionId, answer(first!, "allow_once"));
    expect(await session.advance(never())).toEqual({ status: "parked" });
    const [second] = await ledger.openQuestions();
    expect(second!.questionId).not.toBe(first!.questionId);
    expect(await readFile(join(ws.root, "a.txt"), "utf8")).toBe("one two three");
    await ledger.answer(second!.questionId, answer(second!, "allow_once"));
    await session.advance(never());
    expect(await readFile(join(ws.root, "a.txt"), "utf8")).toBe("1 two three");
  });

  test("works once: going on again runs nothing twice", async () => {
    const ledger = new MemoryLedger();
    const counter = counting("risky");
    const agent = scripted([{ calls: [{ tool: "risky", input: {} }] }, { say: "Done." }], {
      tools: [counter.tool],
    });
    const session = await AgentSession.open({ agent, ledger, workspace: await workspace() });
    await session.prompt(text("go"), never());
    const [question] = await ledger.openQuestions();
    await Promise.all(
      [1, 2, 3].map(() => ledger.answer(question!.questionId, answer(question!, "allow_once"))),
    );
    await session.advance(never());
    await expect(session.advance(never())).rejects.toMatchObject({ code: "NO_OPEN_TURN" });
    expect(counter.runs).toBe(1);
  });
});

describe("cancelling", () => {
  test("a turn that waits withdraws its questions and cancels its calls before it ends", async () => {
    const ledger = new MemoryLedger();
    const counter = counting("risky");
    const agent = scripted([{ calls: [{ tool: "risky", input: {} }] }, { say: "x" }], {
      tools: [counter.tool],
    });
    const session = await AgentSession.open({ agent, ledger, workspace: await workspace() });
    const stop = new AbortController();
    const waits: Ask = (_question, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stop asking")));
        setTimeout(() => stop.abort(), 10);
      });
    const end = await waitForTurn(session, waits, stop.signal, () => session.prompt(text("go"), stop.signal));
    expect(end).toEqual({ status: "stopped", stopReason: "cancelled" });
    expect(statuses(session)).toEqual(["risky cancelled"]);
    expect(await ledger.openQuestions()).toEqual([]);
  });

  test("a running tool gets the signal and then says what really happened", async () => {
    const stop = new AbortController();
    const stubborn = defineTool({
      name: "stubborn",
      description: "Finishes all the same.",
      kind: "other",
      input: z.object({}),
      run: async (_input, { signal }) => {
        stop.abort();
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { output: signal.aborted ? "finished after the wish" : "finished" };
      },
    });
    const agent = scripted(
      [
        {
          calls: [
            { tool: "stubborn", input: {} },
            { tool: "terminal", input: { command: "sleep 30" } },
          ],
        },
        { say: "x" },
      ],
      {
        tools: [stubborn, ...scripted([{ say: "" }]).tools],
        rules: [{ allow: "*" }],
      },
    );
    const session = await AgentSession.open({
      agent,
      ledger: new MemoryLedger(),
      workspace: await workspace(),
    });
    expect(await session.prompt(text("go"), stop.signal)).toEqual({
      status: "stopped",
      stopReason: "cancelled",
    });
    expect(statuses(session)).toEqual(["stubborn done", "terminal cancelled"]);
  });
});

test("parallel calls run in parallel, and their results come in the order of the calls", async () => {
  const order: string[] = [];
  const slow = (name: string, milliseconds: number) =>
    defineTool({
      name,
      description: name,
      kind: "read",
      input: z.object({}),
      run: async () => {
        order.push(`${name} starts`);
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        order.push(`${name} ends`);
        return { output: name };
      },
    });
  const agent = scripted(
    [
      {
        calls: [
          { tool: "slow", input: {} },
          { tool: "quick", input: {} },
        ],
      },
      { say: "Done." },
    ],
    {
      tools: [slow("slow", 40), slow("quick", 5)],
      rules: [{ allow: "*" }],
    },
  );
  const session = await AgentSession.open({
    agent,
    ledger: new MemoryLedger(),
    workspace: await workspace(),
  });
  await session.prompt(text("go"), never());
  expect(order).toEqual(["slow starts", "quick starts", "quick ends", "slow ends"]);
  expect([...session.book.calls()].map(({ rawOutput }) => rawOutput)).toEqual(["slow", "quick"]);
});

test("a plan comes from todo_write, and the session is one timeline", async () => {
  const todos = [
    { content: "Look", status: "completed" },
    { content: "Act", status: "pending" },
  ];
  const agent = scripted([{ calls: [{ tool: "todo_write", input: { todos } }] }, { say: "Planned." }], {
    rules: [{ allow: "*" }],
  });
  const session = await AgentSession.open({
    agent,
    ledger: new MemoryLedger(),
    workspace: await workspace(),
  });
  await session.prompt(text("plan"), never());
  expect(session.book.snapshot().plan).toEqual([
    { content: "Look", priority: "medium", status: "completed" },
    { content: "Act", priority: "medium", status: "pending" },
  ]);
});

test("another process takes over a parked turn from the log alone", async () => {
  const ledger = new MemoryLedger();
  const counter = counting("risky");
  const agent = scripted([{ say: "First.", calls: [{ tool: "risky", input: {} }] }, { say: "Second." }], {
    tools: [counter.tool],
  });
  const ws = await workspace();
  const one = await AgentSession.open({ agent, ledger, workspace: ws, sessionId: "s" });
  await one.prompt(text("go"), never());
  await one.close();
  const [question] = await ledger.openQuestions();
  await ledger.answer(question!.questionId, answer(question!, "allow_once"));
  const two = await AgentSession.open({ agent, ledger, workspace: ws, sessionId: "s" });
  expect(await two.advance(never())).toEqual({ status: "stopped", stopReason: "end_turn" });
  expect(counter.runs).toBe(1);
  expect(
    two.book
      .snapshot()
      .timeline.map((entry) => (entry.type === "call" ? entry.call.name : entry.message.blocks)),
  ).toEqual([text("go"), text("First."), "risky", text("Second.")]);
});

test("yes from a held line runs it", async () => {
  const counter = counting("risky");
  const agent = scripted([{ calls: [{ tool: "risky", input: {} }] }, { say: "Done." }], {
    tools: [counter.tool],
  });
  const session = await AgentSession.open({
    agent,
    ledger: new MemoryLedger(),
    workspace: await workspace(),
  });
  expect(await waitForTurn(session, yes, never(), () => session.prompt(text("go"), never()))).toMatchObject({
    stopReason: "end_turn",
  });
  expect(counter.runs).toBe(1);
});

test("stops waiting for the model when another process took the session", async () => {
  let time = 0;
  const ledger = new MemoryLedger({ now: () => time });
  const given: AbortSignal[] = [];
  const model = {
    ...scripted([{ say: "Never." }]).model,
    doStream: ({ abortSignal }: { abortSignal?: AbortSignal }) => {
      if (abortSignal) given.push(abortSignal);
      return new Promise<never>(() => undefined);
    },
  };
  const agent = scripted([{ say: "Never." }], { model });
  const session = await AgentSession.open({
    agent,
    ledger,
    workspace: await workspace(),
    leaseMs: 60,
  });
  const turn = session.prompt(text("go"), never());
  await expect.poll(() => given.length).toBe(1);
  time += 1_000;
  await ledger.claim(session.sessionId, "someone else", { milliseconds: 60_000 });
  await expect(turn).rejects.toMatchObject({ code: "LEASE_LOST" });
  expect(given[0]?.reason).toMatchObject({ code: "LEASE_LOST" });
});
