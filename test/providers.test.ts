/**
 * One conversation with every provider: the agent, the gate and `openModel` against servers on the loopback
 * with each vendor's wire format (`fakes/`, which the vendors' own SDKs accept). The live services are not used.
 */
import type { LanguageModelV3Prompt, SharedV3ProviderMetadata } from "@ai-sdk/provider";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { AgentSession, createAgent } from "../src/agent/index.js";
import type { SessionEvent, ToolCall, Usage } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { openModel, usageOf } from "../src/model/index.js";
import type { LanguageModelV3, OpenModelOptions, Retry } from "../src/model/index.js";
import { builtInTools, defineTool } from "../src/tools/index.js";
import { counting, never, text, workspace } from "./agent-kit.js";
import { anthropic } from "./fakes/anthropic.js";
import { USED } from "./fakes/dialect.js";
import { KEY, startFake } from "./fakes/fake-provider.js";
import type { Dialect, FakeAnswer } from "./fakes/dialect.js";
import type { FakeProvider, FakeStep } from "./fakes/fake-provider.js";
import { google } from "./fakes/google.js";
import { openAiChat } from "./fakes/openai-chat.js";
import { openAiResponses } from "./fakes/openai-responses.js";

type Provider = {
  readonly name: string;
  readonly dialect: Dialect;
  /** The path of the base URL. */
  readonly version: string;
  readonly variable: string;
  readonly streamsInput: boolean;
  /** True when a request can mark a result as an error. */
  readonly marksErrors: boolean;
  /** The signature of the thoughts of the fake, if the vendor wants it back. */
  readonly signature?: string;
};

const providers: readonly Provider[] = [
  {
    name: "anthropic/claude-sonnet-4-5",
    dialect: anthropic,
    version: "/v1",
    variable: "ANTHROPIC_API_KEY",
    streamsInput: true,
    marksErrors: true,
    signature: "c2lnbmF0dXJl",
  },
  {
    name: "openai/gpt-5",
    dialect: openAiResponses,
    version: "/v1",
    variable: "OPENAI_API_KEY",
    streamsInput: true,
    marksErrors: false,
    signature: "ZW5jcnlwdGVk",
  },
  {
    name: "google/gemini-3-pro-preview",
    dialect: google,
    version: "/v1beta",
    variable: "GEMINI_API_KEY",
    streamsInput: false,
    marksErrors: false,
    signature: "c2lnbmF0dXJl",
  },
  {
    name: "openai-compatible/llama3.2",
    dialect: openAiChat,
    version: "/v1",
    variable: "TOOLGATE_MODEL_KEY",
    streamsInput: true,
    marksErrors: false,
  },
];

const broken = defineTool({
  name: "broken",
  description: "Fails.",
  kind: "other",
  input: z.looseObject({}),
  run: () => Promise.reject(new Error("the disk is on fire")),
});

/** A model on a fake that plays the steps, without waits between retries. */
async function modelAt(provider: Provider, steps: readonly FakeStep[], more: Partial<OpenModelOptions> = {}) {
  const fake = await startFake(provider.dialect, steps);
  const retries: Retry[] = [];
  const opened = await openModel(provider.name, {
    baseUrl: `${fake.url}${provider.version}`,
    env: { [provider.variable]: KEY },
    retry: { sleep: () => Promise.resolve(), onRetry: (retry) => void retries.push(retry) },
    ...more,
  });
  return { opened, fake, retries };
}

/** A session of an agent with that model, in a real folder. */
async function sessionAt(
  provider: Provider,
  steps: readonly FakeStep[],
  more: Partial<OpenModelOptions> = {},
) {
  const { opened, fake, retries } = await modelAt(provider, steps, more);
  const counter = counting("counted");
  const agent = createAgent({
    name: "tester",
    model: opened.model,
    instructions: "You are a careful helper.",
    tools: [...builtInTools, broken, counter.tool],
    rules: [{ allow: "read" }, { allow: "broken" }, { allow: "counted" }, { deny: "terminal" }],
  });
  const session = await AgentSession.open({
    agent,
    ledger: new MemoryLedger(),
    workspace: await workspace({ "a.txt": "hello" }),
  });
  onTestFinished(() => session.close());
  const events: SessionEvent[] = [];
  session.onRecorded((recorded) => void events.push(...recorded));
  return { session, fake, retries, events, counter };
}

const statusOf = ({ name, state }: ToolCall): string => `${name} ${state.status}`;

/** The joined text or thoughts. */
const said = (events: readonly SessionEvent[], role: "agent" | "thought"): string =>
  events
    .map((event) =>
      event.type === "message-chunk" && event.role === role && event.block.type === "text"
        ? event.block.text
        : "",
    )
    .join("");

/** Every provider refuses a call without its result, and a result without its call. */
function expectPaired({ requests }: FakeProvider): void {
  for (const { seen } of requests)
    expect(seen.results.map(({ id }) => id)).toEqual(seen.calls.map(({ id }) => id));
}

/** The calls of a response with their input, if it has no error. */
async function outcome(model: LanguageModelV3): Promise<string> {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  const calls: string[] = [];
  try {
    const { stream } = await model.doStream({ prompt });
    for await (const part of stream) {
      if (part.type === "error") return "an error";
      if (part.type === "tool-call") calls.push(`${part.toolName} ${part.input}`);
    }
  } catch {
    return "an error";
  }
  return calls.join(", ");
}

const call = (id: string, tool: string, input: unknown = {}) => ({ id, tool, input });

describe.each(providers)("$name", (provider) => {
  test("has a conversation: words, thoughts, streamed input, results, an error and a refusal", async () => {
    const { session, fake, events } = await sessionAt(provider, [
      {
        think: "First I look, then I see.",
        say: "I will look at it.",
        calls: [
          call("call_1", "read_file", { path: "a.txt" }),
          call("call_2", "broken", { why: "to see it fail" }),
        ],
      },
      { say: "Now a command.", calls: [call("call_3", "terminal", { command: "rm -rf build" })] },
      { say: "That is all." },
    ]);
    expect(await session.prompt(text("What is in a.txt?"), never())).toEqual({
      status: "stopped",
      stopReason: "end_turn",
    });

    expect([...session.book.calls()].map(statusOf)).toEqual([
      "read_file done",
      "broken failed",
      "terminal refused",
    ]);
    expect(session.book.snapshot().steps.map(({ usage }) => usage?.inputTokens)).toEqual([
      USED.input,
      USED.input,
      USED.input,
    ]);
    expect(said(events, "thought")).toBe("First I look, then I see.");
    expect(said(events, "agent")).toBe("I will look at it.Now a command.That is all.");
    const deltas = events.filter(({ type }) => type === "input-delta");
    if (provider.streamsInput) expect(deltas.length).toBeGreaterThan(3);
    else expect(deltas).toHaveLength(3);

    expect(fake.requests).toHaveLength(3);
    expectPaired(fake);
    const [first, second, third] = fake.requests.map(({ seen }) => seen);
    expect(first).toEqual({ system: "You are a careful helper.", calls: [], results: [] });
    expect(second?.calls).toMatchObject([
      { tool: "read_file", input: { path: "a.txt" } },
      { tool: "broken", input: { why: "to see it fail" } },
    ]);
    expect(second?.results[0]?.text).toContain("hello");
    expect(second?.results[1]?.text).toContain("the disk is on fire");
    expect(third?.results).toHaveLength(3);
    expect(third?.results[2]?.text).toMatch(/deny terminal/);
    if (provider.marksErrors)
      expect(third?.results.map(({ isError }) => isError)).toEqual([false, true, true]);
  });

  test("runs a second turn that knows the first", async () => {
    const { session, fake } = await sessionAt(provider, [
      { calls: [call("call_1", "counted")] },
      { say: "Once." },
      // Some providers use the ids of an earlier answer again.
      { calls: [call("call_1", "counted")] },
      { say: "Twice." },
    ]);
    await session.prompt(text("count"), never());
    await session.prompt(text("again"), never());
    expect([...session.book.calls()].map(statusOf)).toEqual(["counted done", "counted done"]);
    expectPaired(fake);
    expect(fake.requests.at(-1)?.seen.results.map(({ text: result }) => result)).toEqual([
      "counted ran 1 time(s)",
      "counted ran 2 time(s)",
    ]);
  });

  test("retries after too many requests, an overload and a stream that broke before any text", async () => {
    const waits: number[] = [];
    const { session, fake, counter } = await sessionAt(
      provider,
      [
        { status: 429, headers: { "retry-after": "7" } },
        { status: 529 },
        { end: "cut" },
        { end: "closed" },
        { calls: [call("call_1", "counted")] },
        { status: 500 },
        { say: "At last." },
      ],
      {
        retry: {
          sleep: (milliseconds) => {
            waits.push(milliseconds);
            return Promise.resolve();
          },
          random: () => 1,
        },
      },
    );
    expect(await session.prompt(text("go"), never())).toMatchObject({ stopReason: "end_turn" });
    expect(waits).toEqual([7000, 2000, 4000, 8000, 1000]);
    expect(fake.requests).toHaveLength(7);
    expect(counter.runs).toBe(1);
    expectPaired(fake);
  });

  test.each(["cut", "closed", "malformed", "overloaded"] as const)(
    "whose answer is %s half-way ends the turn with an error; nothing of it runs, and the next turn is clean",
    async (end) => {
      const { session, fake, counter, retries } = await sessionAt(provider, [
        {
          say: "I begin",
          calls: [call("call_1", "counted", { a: 1 }), call("call_2", "counted", { b: "some more of it" })],
          end,
        },
        { say: "Here I am." },
      ]);
      const stopped = await session.prompt(text("go"), never());
      expect(stopped).toMatchObject({ status: "stopped", stopReason: "error" });
      expect(stopped).toHaveProperty("error", expect.stringContaining(provider.name));
      expect([counter.runs, fake.requests.length, retries.length]).toEqual([0, 1, 0]);
      expect(session.book.openCalls()).toEqual([]);

      expect(await session.prompt(text("are you there?"), never())).toMatchObject({ stopReason: "end_turn" });
      expect(fake.requests[1]?.seen).toMatchObject({ calls: [], results: [] });
    },
  );

  test.each(["cut", "closed"] as const)(
    "says how much came when the connection is %s in the middle, and keeps that",
    async (end) => {
      const { session, events } = await sessionAt(provider, [
        { say: "I begin to explain how this works in detail.", end },
      ]);
      const stopped = await session.prompt(text("go"), never());
      const came = said(events, "agent");
      const words = came.split(/\s+/).filter((word) => word !== "").length;
      expect(words).toBeGreaterThan(2);
      expect(stopped).toHaveProperty(
        "error",
        expect.stringMatching(
          new RegExp(
            `^The connection to ${provider.name} dropped after ${words} words: .*[^.]\\. The rest of the response did not come, and none of its calls ran; try again\\.$`,
          ),
        ),
      );
      expect(JSON.stringify(session.book.snapshot().timeline)).toContain("I begin to");
    },
  );

  test("gives a whole response or an error when the stream closes at any byte, and runs all or nothing", async () => {
    const answer: FakeAnswer = {
      think: "Grüß dich.",
      say: "Zwei Dinge, bitte: 🐢",
      calls: [call("call_1", "counted", { a: "ä🐢" }), call("call_2", "counted", { b: [1, { c: 2 }] })],
    };
    const { head, body, tail } = provider.dialect.frames(answer);
    const length = Buffer.byteLength([...head, ...body, ...tail].join(""));
    const count = process.env["TOOLGATE_LONG"] ? 60 : 21;
    const cuts = Array.from({ length: count }, (_, index) => Math.floor((length * index) / count));
    const steps = [...cuts, length].map((bytes): FakeStep => ({ ...answer, bytes }));
    const { opened } = await modelAt(provider, steps, { retry: { attempts: 1 } });
    const outcomes: string[] = [];
    for (let asked = 0; asked < steps.length; asked += 1) outcomes.push(await outcome(opened.model));
    const whole = 'counted {"a":"ä🐢"}, counted {"b":[1,{"c":2}]}';
    expect(new Set(outcomes)).toEqual(new Set(["an error", whole]));
    expect(outcomes.at(-1)).toBe(whole);
    // Only bytes after the end of the response may be missing.
    expect(outcomes.slice(0, (count * 2) / 3)).not.toContain(whole);
  });

  test("reports a stop at the limit or a refusal, and runs nothing", async () => {
    const { session, counter } = await sessionAt(provider, [
      { say: "On and on", calls: [call("call_1", "counted")], end: "max_tokens" },
      { say: "I will not.", end: "refusal" },
    ]);
    expect(await session.prompt(text("go"), never())).toMatchObject({ stopReason: "max_tokens" });
    expect(await session.prompt(text("go"), never())).toMatchObject({ stopReason: "refusal" });
    expect(counter.runs).toBe(0);
  });

  test("names the wrong key without showing it, and does not retry", async () => {
    const { session, fake, retries } = await sessionAt(provider, [{ say: "never" }], {
      env: { [provider.variable]: "wrong-key-987" },
    });
    const stopped = await session.prompt(text("go"), never());
    expect(stopped).toMatchObject({ stopReason: "error" });
    expect(stopped).toHaveProperty("error", expect.stringContaining(`check ${provider.variable}`));
    expect(JSON.stringify(stopped)).not.toContain("wrong-key-987");
    expect([fake.requests.length, retries.length]).toEqual([0, 0]);
  });

  test("gives up after the last attempt, and says why", async () => {
    const { session, fake, retries } = await sessionAt(
      provider,
      Array.from({ length: 9 }, () => ({ status: 500 })),
    );
    const stopped = await session.prompt(text("go"), never());
    expect(stopped).toMatchObject({ stopReason: "error" });
    expect(stopped).toHaveProperty("error", expect.stringContaining("500: failing with 500"));
    expect(fake.requests).toHaveLength(5);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  test("can be cancelled in the middle of a response", async () => {
    const stop = new AbortController();
    const { session, counter } = await sessionAt(provider, [
      { say: "word ".repeat(200), calls: [call("call_1", "counted")], pause: 20 },
    ]);
    session.onRecorded((events) => {
      if (said(events, "agent") !== "") stop.abort();
    });
    expect(await session.prompt(text("go"), stop.signal)).toMatchObject({ stopReason: "cancelled" });
    expect(counter.runs).toBe(0);
  });

  test("can be cancelled while it waits for a retry", async () => {
    const stop = new AbortController();
    const { session, fake } = await sessionAt(
      provider,
      [{ status: 429, headers: { "retry-after": "50" } }, { say: "late" }],
      { retry: { onRetry: () => stop.abort() } },
    );
    expect(await session.prompt(text("go"), stop.signal)).toMatchObject({ stopReason: "cancelled" });
    expect(fake.requests).toHaveLength(1);
  });

  test("reports the usage of a response", async () => {
    const { opened } = await modelAt(provider, [{ think: "Hm.", say: "Yes." }]);
    const { stream } = await opened.model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }],
    });
    const used: Usage[] = [];
    for await (const part of stream) used.push(...[usageOf(part)].flatMap((usage) => usage ?? []));
    expect(used).toMatchObject([
      {
        inputTokens: USED.input,
        outputTokens: USED.output,
        reasoningTokens: USED.reasoning,
        cachedTokens: USED.cached,
      },
    ]);
  });

  test("passes signatures through, so that they can be sent back", async () => {
    const { opened, fake } = await modelAt(provider, [
      { think: "Hm.", calls: [call("call_1", "counted")] },
      { say: "Yes." },
    ]);
    const asked = { role: "user" as const, content: [{ type: "text" as const, text: "go" }] };
    const answer: Extract<LanguageModelV3Prompt[number], { role: "assistant" }>["content"] = [];
    const { stream } = await opened.model.doStream({ prompt: [asked] });
    let signed: SharedV3ProviderMetadata | undefined;
    for await (const part of stream) {
      if (part.type.startsWith("reasoning-") && "providerMetadata" in part)
        signed = part.providerMetadata ?? signed;
      if (part.type === "reasoning-end")
        answer.push({ type: "reasoning", text: "Hm.", ...(signed && { providerOptions: signed }) });
      if (part.type === "tool-call") {
        const { toolCallId, toolName, providerMetadata } = part;
        const input: unknown = JSON.parse(part.input);
        const providerOptions = providerMetadata && { providerOptions: providerMetadata };
        answer.push({ type: "tool-call", toolCallId, toolName, input, ...providerOptions });
      }
    }
    const output = { type: "text" as const, value: "1" };
    const result = { type: "tool-result" as const, toolCallId: "call_1", toolName: "counted", output };
    await opened.model.doStream({
      prompt: [asked, { role: "assistant", content: answer }, { role: "tool", content: [result] }],
    });
    expect(JSON.stringify(fake.requests[1]?.body)).toContain(provider.signature ?? "Hm.");
  });

  test("gets the key in its own header and nowhere else", async () => {
    const { session, fake } = await sessionAt(provider, [{ say: "Yes." }]);
    await session.prompt(text("go"), never());
    const { body, path, headers } = fake.requests[0]!;
    expect(JSON.stringify(body) + path).not.toContain(KEY);
    expect(Object.values(headers).filter((value) => String(value).includes(KEY))).toHaveLength(1);
  });
});

test("asks OpenAI not to store the conversation", async () => {
  const { session, fake } = await sessionAt(providers[1]!, [{ say: "Yes." }]);
  await session.prompt(text("go"), never());
  expect(fake.requests[0]?.body).toMatchObject({ store: false });
});
