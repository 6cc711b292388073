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

test("returns a function's own result, not a copy", async () => {
  const gate = await aGate({ allow: "*" });
  const found = new Map([["key", () => "a function"]]);
  const { look } = gate.wrapTools({ look: ({ n }: { n: number }) => (n === 1 ? found : undefined) });
  expect(await look({ n: 1 })).toBe(found);
  expect([...gate.book.calls()]).toMatchObject([{ name: "look", rawInput: { n: 1 } }]);
});

test("returns each of many concurrent calls its own result", async () => {
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

test("keeps the shape of an AI SDK tool, checks its input, and returns its last yield", async () => {
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
  // Arguments that the AI SDK would pass, and others.
  const loose = wrapped as { execute(input: unknown, options: object): unknown };
  const execute = (input: unknown, options: object): unknown => loose.execute(input, options);
  expect(await execute({ to: 3 }, { toolCallId: "theirs" })).toBe(3);
  await expect(execute({ to: "3" }, {})).rejects.toThrow("count: the input is not valid");
  expect([...gate.book.calls()][0]?.providerCallId).toBe("theirs");
});

test("stops the tool by the caller's signal, and rejects the caller's promise", async () => {
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

test("never runs a refused call, and the error names who refused", async () => {
  const gate = await aGate({ deny: "drop" });
  let runs = 0;
  const { drop } = gate.wrapTools({ drop: () => (runs += 1) });
  await expect(drop()).rejects.toMatchObject({ name: "CallNotDone", message: /denied by rule deny drop/ });
  expect(runs).toBe(0);
});

test("sends an agent's own calls through the gate too, with all of their arguments", async () => {
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

/** A tool with an asynchronous schema, and how often it ran. */
function slowly(validate: (input: unknown) => Promise<unknown>) {
  const tool = {
    runs: 0,
    inputs: [] as unknown[],
    description: "Is checked slowly.",
    inputSchema: { "~standard": { version: 1, vendor: "test", validate } },
    execute(input: unknown, _options: object): unknown {
      tool.runs += 1;
      tool.inputs.push(input);
      return "ran";
    },
  };
  return tool;
}

test.each<[string, (input: unknown) => Promise<unknown>, string]>([
  [
    "does not accept the input",
    async () => ({ issues: [{ message: "no such user" }] }),
    "t: the input is not valid. no such user. Nothing was run.",
  ],
  [
    "breaks",
    () => Promise.reject(new Error("the database is down")),
    "t: the input could not be checked: the database is down. Nothing was run.",
  ],
  ["answers with nothing", async () => undefined, "t broke"],
])("runs nothing after an asynchronous schema that %s", async (_, validate, words) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const gate = await aGate({ allow: "*" });
  const tool = slowly(validate);
  const { t } = gate.wrapTools({ t: tool });
  await expect(t.execute({}, {})).rejects.toMatchObject({
    name: "CallNotDone",
    message: expect.stringContaining(words),
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([tool.runs, unhandled]).toEqual([0, []]);
  expect([...gate.book.calls()].map(({ state }) => state.status)).toEqual(["failed"]);
});

test("passes the output of an asynchronous schema to the tool", async () => {
  const gate = await aGate({ allow: "*" });
  const tool = slowly(async (input) => ({ value: { checked: input } }));
  const { t } = gate.wrapTools({ t: tool });
  expect(await t.execute({ a: 1 }, {})).toBe("ran");
  expect(tool.inputs).toEqual([{ checked: { a: 1 } }]);
});

test("checks by a schema that is a function", async () => {
  const gate = await aGate({ allow: "*" });
  const tool = slowly(async () => undefined);
  const inputSchema = Object.assign(() => undefined, {
    "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "never" }] }) },
  });
  const { t } = gate.wrapTools({ t: { ...tool, inputSchema } });
  await expect(t.execute({}, {})).rejects.toThrow("t: the input is not valid. never. Nothing was run.");
  expect(tool.runs).toBe(0);
});

test("passes a plain function its input and nothing else", async () => {
  const gate = await aGate({ allow: "*" });
  const { greet } = gate.wrapTools({
    greet: (...given: readonly [{ readonly name: string }, string?]) => [given.length, given[1] ?? "Hello"],
  });
  expect(await greet({ name: "Ada" })).toEqual([1, "Hello"]);
});

test("treats an undefined field as absent", async () => {
  const gate = await aGate({ allow: "*" });
  const { look } = gate.wrapTools({ look: (input: object) => input });
  expect(await look({ a: 1, b: undefined, c: [{ d: undefined }] })).toStrictEqual({ a: 1, c: [{}] });
  expect([...gate.book.calls()]).toMatchObject([{ rawInput: { a: 1, c: [{}] } }]);
});

test("refuses the second agent with a tool of the same name, and runs nothing of it", async () => {
  const gate = await aGate({ allow: "*" });
  const agent = (name: string) => ({ runs: [] as string[], name });
  const [one, two] = [agent("one"), agent("two")].map((own) =>
    gate.wrapCallTool({ ...own, callTool: async (tool: string, _input: object) => own.runs.push(tool) }),
  );
  expect(await one?.callTool("go", {})).toBe(1);
  await expect(two?.callTool("go", {})).rejects.toMatchObject({
    code: "DUPLICATE_TOOL",
    message: expect.stringMatching(/^A tool named "go" is wrapped already, .* nothing was run\./),
  });
  expect(await one?.callTool("go", {})).toBe(2);
  expect(two?.runs).toEqual([]);
});

test("wraps all tools of a set, or none", async () => {
  const gate = await aGate({ allow: "*" });
  gate.wrapTools({ known: () => 1 });
  expect(() => gate.wrapTools({ fresh: () => 2, known: () => 3 })).toThrow('"known" is wrapped already');
  expect(await gate.wrapTools({ fresh: () => 4 }).fresh()).toBe(4);
});

test("passes all options of the caller to an AI SDK tool, under the caller's own id", async () => {
  const gate = await aGate({ allow: "*" });
  const seen: unknown[] = [];
  const execute = async (_input: object, options: { toolCallId: string; messages: readonly string[] }) =>
    void seen.push([options.toolCallId, options.messages]);
  const { send } = gate.wrapTools({ send: { description: "Sends.", execute } });
  await send.execute({}, { toolCallId: "sdk-1", messages: ["hello"] });
  expect(seen).toEqual([["sdk-1", ["hello"]]]);
});

test("wraps an agent whose callTool takes name and arguments together, as MCP's client does", async () => {
  const gate = await aGate({ allow: "get_sum" });
  const client = gate.wrapCallTool({
    callTool: async ({ name, arguments: given }: { name: string; arguments: { a: number } }, more?: string) =>
      `${name} ${given.a} ${more}`,
  });
  expect(await client.callTool({ name: "get_sum", arguments: { a: 2 } }, "x")).toBe("get_sum 2 x");
  await expect(client.callTool({ name: "send", arguments: { a: 2 } })).rejects.toThrow(
    "there is nobody to ask",
  );
  expect(() => gate.wrapCallTool({} as never)).toThrow("must be an agent with a method callTool");
});
