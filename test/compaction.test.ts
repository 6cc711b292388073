/** Compaction with the scripted model: no step repeats, whatever a summary replaces, in this process and after a kill. */
import { expect, onTestFinished, test } from "vitest";
import { AgentSession, createAgent, taskTool } from "../src/agent/index.js";
import type { AgentOptions } from "../src/agent/index.js";
import type { Ledger } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { counting, never, text, workspace } from "./agent-kit.js";

const calls = (tool: string, count: number, inputLength = 0) =>
  Array.from({ length: count }, (_, number) => ({ tool, input: { number, text: "x".repeat(inputLength) } }));

async function sessionWith(steps: readonly ScriptStep[], more: Partial<AgentOptions> = {}) {
  const counter = counting("counted");
  const agent = createAgent({
    name: "tester",
    model: scriptedModel({ steps }),
    tools: [counter.tool, taskTool()],
    rules: [{ allow: "*" }],
    ...more,
  });
  const ledger = new MemoryLedger();
  const open = async (on: Ledger = ledger) => {
    const session = await AgentSession.open({
      agent,
      ledger: on,
      workspace: await workspace(),
      sessionId: "s",
    });
    onTestFinished(() => session.close());
    return session;
  };
  return { counter, open };
}

const lastText = ({ book }: AgentSession): string =>
  book
    .snapshot()
    .timeline.flatMap((entry) =>
      entry.type === "message" && entry.message.role === "agent" ? entry.message.blocks : [],
    )
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("|");

test.each([
  { count: 300, inputLength: 0, contextWindow: 20_000 },
  { count: 40, inputLength: 20_000, contextWindow: 128_000 },
])(
  "a step of $count calls that fills the window runs once",
  async ({ count, inputLength, contextWindow }) => {
    const steps = [{ calls: calls("counted", count, inputLength) }, { say: "end" }];
    const { counter, open } = await sessionWith(steps, { contextWindow, maxSteps: 4 });
    const session = await open();
    expect(await session.prompt(text("go"), never())).toEqual({ status: "stopped", stopReason: "end_turn" });
    expect(counter.runs).toBe(count);
    expect(session.book.snapshot().compaction).toBeDefined();
    expect(lastText(session)).toBe("end");
  },
);

test("the script keeps its place over many compactions, turns and openings, and takes the right branch", async () => {
  const step = (number: number): ScriptStep => ({ say: `${number} `, calls: calls("counted", 3, 300) });
  const refused: ScriptStep = {
    calls: [{ tool: "missing" }],
    otherwise: [step(4), { say: "5 " }, step(6), { say: "7 " }],
  };
  const { counter, open } = await sessionWith([step(1), step(2), refused, { say: "wrong" }], {
    contextWindow: 400,
  });
  const first = await open();
  await first.prompt(text("go"), never());
  await first.close();
  const second = await open();
  await second.prompt(text("and on"), never());
  expect(lastText(second).replaceAll("|", "")).toBe("1 2 4 5 6 7 ");
  expect(counter.runs).toBe(12);
});

test("a sub-agent keeps its place when the session around it is compacted", async () => {
  const subAgent: readonly ScriptStep[] = [{ calls: calls("counted", 2) }, { say: "found" }];
  const task = {
    calls: [{ tool: "task", input: { description: "look", prompt: "Look into it." }, subAgent }],
  };
  const { counter, open } = await sessionWith(
    [
      { calls: calls("counted", 3, 2_000) },
      task,
      { calls: calls("counted", 3, 2_000) },
      task,
      { say: "end" },
    ],
    { contextWindow: 1_500 },
  );
  const session = await open();
  await session.prompt(text("go"), never());
  expect(counter.runs).toBe(10);
  expect(lastText(session)).toBe("end");
});
