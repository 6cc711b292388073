import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { MemoryLedger } from "../src/history/index.js";
import type { Rule } from "../src/policy/index.js";
import { openGate } from "../src/run/open-gate.js";

async function aGate(...rules: readonly Rule[]) {
  const gate = await openGate({ ledger: new MemoryLedger(), workspace: tmpdir(), rules });
  onTestFinished(() => gate.close());
  return gate;
}

test("a function gets its own result back, as it is and not as a copy", async () => {
  const gate = await aGate({ allow: "*" });
  const found = new Map([["key", () => "a function"]]);
  const { look } = gate.wrapTools({ look: ({ n }: { n: number }) => (n === 1 ? found : undefined) });
  expect(await look({ n: 1 })).toBe(found);
  expect([...gate.book.calls()]).toMatchObject([{ name: "look", rawInput: { n: 1 } }]);
});

test("many calls at once each get their own result", async () => {
  const gate = await aGate({ allow: "*" });
  const { echo } = gate.wrapTools({
    echo: async ({ n }: { n: number }) => {
      await new Promise((resolve) => setTimeout(resolve, n % 7));
      return n;
    },
  });
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  expect(await Promise.all(numbers.map((n) => echo({ n })))).toEqual(numbers);
});

test("a tool of the AI SDK keeps its shape, its input is checked, and its last yield counts", async () => {
  const gate = await aGate({ allow: "*" });
  const count = {
    description: "Counts.",
    inputSchema: z.object({ to: z.number() }),
    async *execute({ to }: { to: number }) {
      for (let n = 1; n <= to; n += 1) yield n;
    },
  };
  const { count: wrapped } = gate.wrapTools({ count });
  expect(wrapped).toMatchObject({ description: "Counts.", inputSchema: count.inputSchema });
  // What the AI SDK would hand it, and what it would not.
  const loose = wrapped as { execute(input: unknown, options: object): unknown };
  const execute = (input: unknown, options: object): unknown => loose.execute(input, options);
  expect(await execute({ to: 3 }, { toolCallId: "theirs" })).toBe(3);
  await expect(execute({ to: "3" }, {})).rejects.toThrow("count: the input is not valid");
  expect([...gate.book.calls()].map(({ providerCallId }) => providerCallId)).toEqual(["theirs", undefined]);
});

test("the caller's signal stops the tool, and the caller hears that it was stopped", async () => {
  const gate = await aGate({ allow: "*" });
  const stop = new AbortController();
  const tool = {
    description: "Waits.",
    execute: (_input: object, { abortSignal }: { abortSignal?: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
        stop.abort();
      }),
  };
  const { wait } = gate.wrapTools({ wait: tool });
  await expect(wait.execute({}, { abortSignal: stop.signal })).rejects.toThrow("stopped");
  expect([...gate.book.calls()].map(({ state }) => state.status)).toEqual(["cancelled"]);
});

test("what is refused never runs, and the error says who refused", async () => {
  const gate = await aGate({ deny: "drop" });
  let runs = 0;
  const { drop } = gate.wrapTools({ drop: () => (runs += 1) });
  await expect(drop()).rejects.toMatchObject({ name: "CallNotDone", message: /denied by rule deny drop/ });
  expect(runs).toBe(0);
});

test("an agent's own calls go through the gate too, each with what it came with", async () => {
  const gate = await aGate({ allow: "*" });
  class Agent {
    readonly seen: unknown[] = [];
    async callTool(name: string, input: { n: number }, ...more: unknown[]) {
      this.seen.push([name, input, ...more]);
      return `${name} ${input.n}`;
    }
    work() {
      return Promise.all([1, 2].map((n) => this.callTool("go", { n }, { tag: `tag ${n}` })));
    }
  }
  const agent = new Agent();
  expect(gate.wrapCallTool(agent)).toBe(agent);
  expect(await agent.work()).toEqual(["go 1", "go 2"]);
  expect(agent.seen).toEqual([
    ["go", { n: 1 }, { tag: "tag 1" }],
    ["go", { n: 2 }, { tag: "tag 2" }],
  ]);
  expect([...gate.book.calls()].map(({ state }) => state.status)).toEqual(["done", "done"]);
});
