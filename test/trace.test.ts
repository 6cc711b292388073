import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { Attributes, Span, SpanOptions, Tracer } from "@opentelemetry/api";
import { trace } from "@opentelemetry/api";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { MemoryLedger } from "../src/history/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";
import { builtInTools, defineTool, LocalWorkspace } from "../src/tools/index.js";
import { AgentSession } from "../src/agent/agent-session.js";
import { createAgent } from "../src/agent/create-agent.js";
import { taskTool } from "../src/agent/task-tool.js";
import { traceSession } from "../src/agent/trace-session.js";

/** Collects the spans, as a host's own tracer would see them. */
function keeping() {
  const spans: {
    name: string;
    attributes: Attributes;
    status?: number;
    ended: boolean;
    startedAt: unknown;
    endedAt?: unknown;
    parent: string | undefined;
  }[] = [];
  const names = new WeakMap<Span, string>();
  const startSpan = (
    name: string,
    options: SpanOptions = {},
    parent?: Parameters<Tracer["startSpan"]>[2],
  ): Span => {
    const above = parent && trace.getSpan(parent);
    const kept: (typeof spans)[number] = {
      name,
      attributes: { ...options.attributes },
      ended: false,
      startedAt: options.startTime,
      parent: above && names.get(above),
    };
    spans.push(kept);
    const span = {
      setAttribute: (key: string, value: string) => void (kept.attributes[key] = value),
      setAttributes: (more: Attributes) => void Object.assign(kept.attributes, more),
      setStatus: ({ code }: { code: number }) => void (kept.status = code),
      end: (at: unknown) => {
        kept.ended = true;
        kept.endedAt = at;
      },
      // Only the used methods of a span are needed.
    } as unknown as Span;
    names.set(span, name);
    return span;
  };
  return { spans, tracer: { startSpan } as unknown as Tracer };
}

test("makes spans of a turn and its calls with names and numbers, and no text", async () => {
  const script = parseScript({
    steps: [
      { say: "a secret word", calls: [{ tool: "terminal", input: { command: "echo secret" } }] },
      { calls: [{ tool: "read_file", input: { path: "secret-file" } }] },
      { say: "Done." },
    ],
  });
  const agent = createAgent({
    name: "tester",
    model: scriptedModel(script),
    tools: builtInTools,
    rules: [{ allow: "read" }, { allow: "execute" }],
  });
  const workspace = await LocalWorkspace.open(".");
  const session = await AgentSession.open({ agent, ledger: new MemoryLedger(), workspace });
  onTestFinished(() => session.close());
  const { spans, tracer } = keeping();
  traceSession(session, { name: "tester", modelId: "scripted" }, tracer);
  await session.prompt([{ type: "text", text: "my secret wish" }], new AbortController().signal);
  expect(spans).toMatchObject([
    {
      name: "invoke_agent tester",
      attributes: { "gen_ai.operation.name": "invoke_agent", "toolgate.turn.end": "end_turn" },
      ended: true,
    },
    {
      name: "execute_tool terminal",
      parent: "invoke_agent tester",
      attributes: {
        "gen_ai.tool.call.id": "call_1",
        "toolgate.call.status": "done",
        "toolgate.decision.by": "rule",
      },
      ended: true,
    },
    {
      name: "execute_tool read_file",
      attributes: { "toolgate.call.status": "failed" },
      status: 2,
      ended: true,
    },
  ]);
  expect(JSON.stringify(spans)).not.toContain("secret");
});

test("puts a sub-agent's spans below its task's, and counts its model's usage for the turn", async () => {
  const subAgent = [{ calls: [{ tool: "read_file", input: { path: "package.json" } }] }, { say: "Read." }];
  const input = { description: "Read", prompt: "Read it." };
  const scripted = scriptedModel(
    parseScript({ steps: [{ calls: [{ tool: "task", input, subAgent }] }, { say: "Done." }] }),
  );
  const counting: typeof scripted = {
    ...scripted,
    doStream: async (options) => {
      const { stream } = await scripted.doStream(options);
      const counted = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
        transform: (part, controller) => {
          const inputTokens = { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
          controller.enqueue(
            part.type === "finish" ? { ...part, usage: { ...part.usage, inputTokens } } : part,
          );
        },
      });
      return { stream: stream.pipeThrough(counted) };
    },
  };
  const agent = createAgent({
    name: "tester",
    model: counting,
    tools: [...builtInTools, taskTool()],
    rules: [{ allow: "read" }, { allow: "task" }],
  });
  const workspace = await LocalWorkspace.open(".");
  const session = await AgentSession.open({ agent, ledger: new MemoryLedger(), workspace });
  onTestFinished(() => session.close());
  const { spans, tracer } = keeping();
  traceSession(session, { name: "tester", modelId: "scripted" }, tracer);
  await session.prompt([{ type: "text", text: "go" }], new AbortController().signal);
  expect(spans).toMatchObject([
    { name: "invoke_agent tester", attributes: { "gen_ai.usage.input_tokens": 40 }, ended: true },
    { name: "execute_tool task", parent: "invoke_agent tester", ended: true },
    { name: "execute_tool read_file", parent: "execute_tool task", ended: true },
  ]);
});

test("gives a turn and its call their true durations when somebody sets the clock meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const jump of [3_600_000, -3_600_000]) {
    const setsClock = defineTool({
      name: "set_clock",
      description: "Works while somebody sets the clock.",
      kind: "other",
      input: z.object({}),
      run: async () => {
        vi.setSystemTime(Date.now() + jump);
        return "done";
      },
    });
    const model = scriptedModel({ steps: [{ calls: [{ tool: "set_clock", input: {} }] }, { say: "Done." }] });
    const agent = createAgent({ name: "tester", model, tools: [setsClock], rules: [{ allow: "*" }] });
    const workspace = await LocalWorkspace.open(".");
    const session = await AgentSession.open({ agent, ledger: new MemoryLedger(), workspace });
    const { spans, tracer } = keeping();
    traceSession(session, { name: "tester", modelId: "scripted" }, tracer);
    await session.prompt([{ type: "text", text: "go" }], new AbortController().signal);
    await session.close();
    const durations = spans.map(({ startedAt, endedAt }) => Number(endedAt) - Number(startedAt));
    expect(durations).toHaveLength(2);
    for (const duration of durations) {
      expect(duration).toBeGreaterThanOrEqual(0);
      expect(duration).toBeLessThan(600_000);
    }
  }
});
