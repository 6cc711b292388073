/**
 * Models that refuse a prompt for its length, each in its own words over its own wire (`fakes/`): the turn goes on with
 * less, no call runs twice, and the window that was learnt is remembered.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { AgentSession, createAgent, taskTool } from "../src/agent/index.js";
import type { SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { openModel } from "../src/model/index.js";
import { defineTool } from "../src/tools/index.js";
import { never, text, workspace } from "./agent-kit.js";
import { anthropic } from "./fakes/anthropic.js";
import { USED } from "./fakes/dialect.js";
import { KEY, startFake } from "./fakes/fake-provider.js";
import type { Dialect } from "./fakes/dialect.js";
import type { FakeStep, FakeWindow } from "./fakes/fake-provider.js";
import { google } from "./fakes/google.js";
import { openAiChat } from "./fakes/openai-chat.js";
import { openAiResponses } from "./fakes/openai-responses.js";

type Refusing = {
  readonly words: string;
  readonly name: string;
  readonly dialect: Dialect;
  readonly version?: string;
  readonly variable: string;
  readonly refusal: FakeWindow["refusal"];
};

const openAiError = (message: string) => ({
  error: { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded" },
});

const compatible = (words: string, refusal: FakeWindow["refusal"]): Refusing => ({
  words,
  name: "openai-compatible/llama3.2",
  dialect: openAiChat,
  variable: "TOOLGATE_MODEL_KEY",
  refusal,
});

const refusing: readonly Refusing[] = [
  {
    words: "Anthropic",
    name: "anthropic/claude-sonnet-4-5",
    dialect: anthropic,
    variable: "ANTHROPIC_API_KEY",
    refusal: (tokens, window) => ({
      status: 400,
      body: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
        },
      },
    }),
  },
  {
    words: "OpenAI",
    name: "openai/gpt-5",
    dialect: openAiResponses,
    variable: "OPENAI_API_KEY",
    refusal: () => ({
      status: 400,
      body: openAiError("Your input exceeds the context window of this model. Please adjust your input."),
    }),
  },
  {
    words: "OpenAI, in the stream",
    name: "openai/gpt-5",
    dialect: openAiResponses,
    variable: "OPENAI_API_KEY",
    refusal: () => ({
      stream: [
        `event: error\ndata: ${JSON.stringify({
          type: "error",
          sequence_number: 1,
          error: {
            type: "invalid_request_error",
            code: "context_length_exceeded",
            message: "Your input exceeds the context window of this model.",
            param: "input",
          },
        })}\n\n`,
      ],
    }),
  },
  {
    words: "Google",
    name: "google/gemini-3-pro-preview",
    dialect: google,
    version: "/v1beta",
    variable: "GEMINI_API_KEY",
    refusal: (tokens, window) => ({
      status: 400,
      body: {
        error: {
          code: 400,
          message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
          status: "INVALID_ARGUMENT",
        },
      },
    }),
  },
  compatible("llama.cpp", (tokens, window) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: tokens,
        n_ctx: window,
      },
    },
  })),
  compatible("vLLM", (tokens, window) => ({
    status: 400,
    body: {
      object: "error",
      message: `This model's maximum context length is ${window} tokens. However, you requested ${tokens} tokens (${tokens - 256} in the messages, 256 in the completion). Please reduce the length of the messages or completion.`,
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  })),
  compatible("Ollama", () => ({
    status: 400,
    body: { error: { message: "the input length exceeds the context length", type: "api_error" } },
  })),
  compatible("a proxy", () => ({ status: 413, body: "Request Entity Too Large" })),
];

const WINDOW_TOKENS = 4_000;

/** Prints as many characters as it is asked for, and counts its runs. */
function printer() {
  const runs: number[] = [];
  const tool = defineTool({
    name: "print",
    description: "Prints.",
    kind: "read",
    input: z.object({ length: z.number() }),
    run: ({ length }) => {
      runs.push(length);
      return Promise.resolve(`begin${"x".repeat(length)}end`);
    },
  });
  return { tool, runs };
}

const print = (id: string, length: number): FakeStep => ({
  calls: [{ id, tool: "print", input: { length } }],
});

async function sessionAt(
  { name, dialect, version = "/v1", variable, refusal }: Refusing,
  steps: readonly FakeStep[],
  { tokens = WINDOW_TOKENS, summary = { say: "It printed." } }: Partial<FakeWindow> = {},
) {
  const fake = await startFake(dialect, steps, { tokens, refusal, summary });
  const { model } = await openModel(name, {
    baseUrl: `${fake.url}${version}`,
    env: { [variable]: KEY },
    retry: { attempts: 1 },
  });
  const printed = printer();
  const agent = createAgent({
    name: "tester",
    model,
    tools: [printed.tool, taskTool()],
    rules: [{ allow: "*" }],
  });
  const ledger = new MemoryLedger();
  const events: SessionEvent[] = [];
  const open = async () => {
    const session = await AgentSession.open({
      agent,
      ledger,
      workspace: await workspace(),
      sessionId: "s",
    });
    session.onRecorded((recorded) => void events.push(...recorded));
    onTestFinished(() => session.close());
    return session;
  };
  return { session: await open(), open, fake, runs: printed.runs, events };
}

const DONE = { status: "stopped", stopReason: "end_turn" };

describe.each(refusing)("$words", (provider) => {
  test("cuts a result that is larger than the window, and goes on in the same turn", async () => {
    const { session, fake, runs, events } = await sessionAt(provider, [
      print("call_1", 60_000),
      { say: "Long." },
    ]);
    expect(await session.prompt(text("print it"), never())).toEqual(DONE);
    expect(runs).toEqual([60_000]);
    expect(fake.refused).toHaveLength(1);
    expect(fake.requests.at(-1)?.seen.results[0]?.text).toMatch(/^beginx+\n\[… \d+ characters are left out/);
    const learnt = events.flatMap((event) => (event.type === "window-learnt" ? [event.contextWindow] : []));
    expect(learnt).toHaveLength(1);
    expect(learnt[0]).toBeLessThan(18_000);
    expect(events.filter(({ type }) => type === "context-compacted")).toEqual([]);
  });

  test("sums up a conversation that does not fit, goes on, and remembers the window", async () => {
    const { session, open, fake, runs } = await sessionAt(provider, [
      ...Array.from({ length: 8 }, (_, index) => print(`call_${index}`, 3_000 + index)),
      { say: "All printed." },
      print("call_9", 3_100),
      { say: "Again." },
    ]);
    expect(await session.prompt(text("print it"), never())).toEqual(DONE);
    expect(runs).toHaveLength(8);
    const { compactions, windows } = session.book.snapshot();
    expect(compactions.length).toBeGreaterThan(0);
    expect(compactions[0]).toMatchObject({
      summary: "It printed.",
      usage: { inputTokens: USED.input, outputTokens: USED.output },
      turnId: session.book.turn?.turnId,
    });
    expect(windows).toHaveLength(1);
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain("It printed.");
    const refusedBefore = fake.refused.length;
    expect(refusedBefore).toBeGreaterThan(0);
    await session.close();
    const again = await open();
    expect(again.book.snapshot().windows).toEqual(windows);
    expect(await again.prompt(text("and once more"), never())).toEqual(DONE);
    expect(runs).toHaveLength(9);
    expect(fake.refused).toHaveLength(refusedBefore);
  });
});

const [provider] = refusing;
if (!provider) throw new Error("There is no provider.");

test("a prompt that is too long by itself is refused in a sentence, and the next one is answered", async () => {
  const { session, fake } = await sessionAt(provider, [{ say: "Short." }]);
  const stopped = await session.prompt(text("x".repeat(40_000)), never());
  expect(stopped).toMatchObject({ stopReason: "error" });
  expect(stopped).toHaveProperty(
    "error",
    expect.stringMatching(
      /^anthropic\/claude-sonnet-4-5 refused the prompt as too long \(400: .*4000 maximum\)\. No response came; send less at once/,
    ),
  );
  expect(fake.refused).toHaveLength(1);
  expect(await session.prompt(text("then this"), never())).toEqual(DONE);
  expect(JSON.stringify(fake.requests.at(-1)?.body)).toMatch(/x\\n\[… 3\d+ characters are left out here/);
});

test("goes on without a summary when the model gives none", async () => {
  const { session, runs, fake } = await sessionAt(
    provider,
    [
      ...Array.from({ length: 8 }, (_, index) => print(`call_${index}`, 3_000 + index)),
      { say: "All printed." },
    ],
    { summary: { status: 500 } },
  );
  expect(await session.prompt(text("print it"), never())).toEqual(DONE);
  expect(runs).toHaveLength(8);
  expect(session.book.compactions[0]?.summary).toMatch(/user: print it[^]*\[call of print with/);
  expect(fake.refused.length).toBeGreaterThan(0);
});

test("a sub-agent goes on too, with its results cut", async () => {
  const { session, runs, fake } = await sessionAt(provider, [
    { calls: [{ id: "call_1", tool: "task", input: { description: "print", prompt: "Print a lot." } }] },
    print("call_2", 60_000),
    { say: "It was long." },
    { say: "Done." },
  ]);
  expect(await session.prompt(text("go"), never())).toEqual(DONE);
  expect(runs).toEqual([60_000]);
  expect(fake.refused).toHaveLength(1);
  const [task] = session.book.calls();
  expect(task).toMatchObject({ state: { status: "done" }, rawOutput: "It was long." });
});

test("a model that refuses everything ends the turn after a few tries", async () => {
  const { session, fake } = await sessionAt(provider, [], { tokens: 0 });
  expect(await session.prompt(text("go"), never())).toMatchObject({ stopReason: "error" });
  expect(fake.refused).toHaveLength(1);
});

const image = { type: "image", mimeType: "image/png", data: "iVBO".repeat(500_000) } as const;

test("counts an image as an image and not by its length", async () => {
  const { session, runs } = await sessionAt(
    provider,
    [print("call_1", 10), print("call_2", 11), { say: "A cat." }],
    { tokens: 10_000_000 },
  );
  expect(await session.prompt([...text("what is it?"), image], never())).toEqual(DONE);
  expect(runs).toEqual([10, 11]);
  expect(session.book.compactions).toEqual([]);
});

test("an image that the provider refuses again and again no longer keeps later prompts from it", async () => {
  const refusal = () => ({
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: "Could not process image" } },
  });
  const { session, fake } = await sessionAt({ ...provider, refusal }, [{ say: "Here." }], {
    tokens: 100_000,
  });
  const error = /Could not process image/;
  expect(await session.prompt([...text("look"), image], never())).toHaveProperty(
    "error",
    expect.stringMatching(error),
  );
  expect(await session.prompt(text("try again"), never())).toHaveProperty(
    "error",
    expect.stringMatching(error),
  );
  expect(await session.prompt(text("are you there?"), never())).toEqual(DONE);
  expect(JSON.stringify(fake.requests.at(-1)?.body)).toMatch(/look.*An image is left out here/);
});

test("a refusal for the bytes of an image says nothing about the window", async () => {
  const refusal = () => ({ status: 413, body: "Request Entity Too Large" });
  const { session } = await sessionAt({ ...provider, refusal }, [{ say: "Here." }], { tokens: 100_000 });
  expect(await session.prompt([...text("look"), image], never())).toMatchObject({ stopReason: "error" });
  expect(session.book.snapshot().windows).toEqual([]);
});

test("sums up a conversation with an image when the refusal has no numbers", async () => {
  const refusal = () => ({ status: 400, body: openAiError("Your input exceeds the context window.") });
  const small = { ...image, data: "iVBO".repeat(5_000) };
  const { session, runs } = await sessionAt(
    { ...provider, refusal },
    [
      { say: "A cat." },
      ...[5_000, 5_001, 5_002].map((length) => print(`call_${length}`, length)),
      { say: "Printed." },
    ],
    { tokens: 8_000 },
  );
  expect(await session.prompt([...text("look"), small], never())).toEqual(DONE);
  expect(await session.prompt(text("print"), never())).toEqual(DONE);
  expect(runs).toEqual([5_000, 5_001, 5_002]);
  expect(session.book.compactions).toHaveLength(1);
});
