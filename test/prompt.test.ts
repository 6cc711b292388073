/** The prompts sent to the model: files and images, changed inputs, long results, and a summary when its window is full. */
import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { ContentBlock } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { LanguageModelV3 } from "../src/model/index.js";
import { inMode } from "../src/policy/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import type { Tool } from "../src/tools/index.js";
import { AgentSession } from "../src/agent/agent-session.js";
import { createAgent } from "../src/agent/create-agent.js";
import { waitForTurn } from "../src/agent/wait-for-turn.js";
import type { AgentOptions, PolicyFor } from "../src/agent/create-agent.js";
import type { Ask } from "../src/run/index.js";

type Request = LanguageModelV3CallOptions;
type Answer = { readonly say?: string; readonly calls?: readonly { tool: string; input: object }[] };

/** Plays the responses in order and keeps the requests; a request for a summary gets one. */
function recordingModel(
  answers: readonly Answer[],
  usage?: number,
): { model: LanguageModelV3; requests: Request[] } {
  const requests: Request[] = [];
  let next = 0;
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not used")),
    doStream: (options) => {
      requests.push(options);
      const isSummary = JSON.stringify(options.prompt.at(-1)).includes("Sum up this conversation");
      const answer = isSummary ? { say: "the summary" } : (answers[next++] ?? { say: "done" });
      return Promise.resolve({ stream: ReadableStream.from(partsOf(answer, usage)) });
    },
  };
  return { model, requests };
}

function partsOf({ say, calls = [] }: Answer, usage: number | undefined): LanguageModelV3StreamPart[] {
  const inputTokens = { total: usage, noCache: usage, cacheRead: undefined, cacheWrite: undefined };
  const outputTokens = { total: undefined, text: undefined, reasoning: undefined };
  return [
    ...(say === undefined ? [] : ([{ type: "text-delta", id: "t", delta: say }] as const)),
    ...calls.map(({ tool, input }, index) => ({
      type: "tool-call" as const,
      toolCallId: `call-${index}`,
      toolName: tool,
      input: JSON.stringify(input),
    })),
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: { inputTokens, outputTokens } },
  ];
}

const printing = (name: string, output: string): Tool =>
  defineTool({ name, description: name, kind: "read", input: z.looseObject({}), run: async () => output });

async function talk(
  options: Omit<AgentOptions, "name">,
  turns: readonly (readonly ContentBlock[])[],
  ask: Ask = () => Promise.reject(new Error("nobody is there")),
  root = ".",
) {
  const workspace = await LocalWorkspace.open(root);
  const agent = createAgent({ name: "tester", ...options });
  const session = await AgentSession.open({ agent, ledger: new MemoryLedger(), workspace });
  onTestFinished(() => session.close());
  const { signal } = new AbortController();
  for (const blocks of turns) await waitForTurn(session, ask, signal, () => session.prompt(blocks, signal));
  return session;
}

const words = (text: string): readonly ContentBlock[] => [{ type: "text", text }];

test("sends images and files of a prompt to the model unchanged", async () => {
  const { model, requests } = recordingModel([]);
  await talk({ model, tools: [] }, [
    [
      { type: "text", text: "look" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///a.txt", text: "hello" } },
    ],
  ]);
  expect(requests[0]?.prompt).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "file", data: "AAAA", mediaType: "image/png" },
        { type: "text", text: '<resource uri="file:///a.txt">\nhello\n</resource>' },
      ],
    },
  ]);
});

test("sends the start and the end of a long result, and how to read more", async () => {
  const { model, requests } = recordingModel([{ calls: [{ tool: "long", input: {} }] }]);
  const long = printing("long", `begin${"x".repeat(5000)}end`);
  const session = await talk({ model, tools: [long], rules: [{ allow: "*" }], maxResultCharacters: 100 }, [
    words("go"),
  ]);
  const result = JSON.stringify(requests[1]?.prompt.at(-1));
  expect(result).toMatch(
    /beginx+\\n\[… 4908 characters are left out here.*Make the call again for a part of it.*\]\\nx+end/,
  );
  // The record has the whole result.
  expect(String([...session.book.calls()][0]?.rawOutput)).toHaveLength(5008);
});

test("sends the model its own input, the changed input, and what the user said", async () => {
  const { model, requests } = recordingModel([{ calls: [{ tool: "t", input: { n: 1 } }] }]);
  await talk({ model, tools: [printing("t", "ok")] }, [words("go")], () =>
    Promise.resolve({
      outcome: { type: "selected", optionId: "allow_once" },
      by: "person",
      input: { n: 2 },
      reason: "two is better",
    }),
  );
  const [, answer, results] = requests[1]?.prompt ?? [];
  expect(JSON.stringify(answer)).toContain('"input":{"n":1}');
  expect(JSON.stringify(results)).toContain(
    String.raw`[The user changed the input before it ran. The call ran with: {\"n\":2}]\n[The user said: two is better]\nok`,
  );
});

test("replaces old messages with a summary when the window is full, and keeps them in the record", async () => {
  const big = printing("big", "y".repeat(3000));
  const calls = [{ tool: "big", input: {} }];
  const { model, requests } = recordingModel([{ say: "first", calls }, { say: "second" }, { say: "third" }]);
  const options = {
    model,
    tools: [big],
    rules: [{ allow: "*" }],
    contextWindow: 1000,
    maxResultCharacters: 4000,
  };
  const session = await talk(options, [words("do one thing"), words("do another")]);
  const { compaction, timeline, steps } = session.book.snapshot();
  expect(compaction).toEqual({ throughStepId: steps[0]?.stepId, summary: "the summary" });
  // A summary is requested after the first step; later requests hold it and the user's prompt.
  expect(JSON.stringify(requests[1]?.prompt.at(-1))).toContain("Sum up this conversation");
  expect(requests[2]?.prompt).toEqual([
    { role: "user", content: [{ type: "text", text: "Summary of the conversation so far:\n\nthe summary" }] },
    { role: "user", content: [{ type: "text", text: "do one thing" }] },
  ]);
  expect(JSON.stringify(requests.at(-1)?.prompt)).not.toContain("yyyy");
  expect(JSON.stringify(timeline)).toContain("yyyy");
});

test("uses the provider's own token count too, and stores it with the step", async () => {
  const { model, requests } = recordingModel([{ say: "first" }, { say: "second" }], 100_000);
  const session = await talk({ model, tools: [], contextWindow: 128_000 }, [words("one"), words("two")]);
  expect(session.book.snapshot().steps[0]?.usage).toEqual({ inputTokens: 100_000 });
  expect(requests).toHaveLength(3);
});

test("sends the project's current instructions after the agent's", async () => {
  const root = await mkdtemp(join(tmpdir(), "toolgate-agents-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await writeFile(join(root, "AGENTS.md"), "Use tabs.");
  const { model, requests } = recordingModel([]);
  const options = { model, tools: [], instructions: "Be brief.", projectFile: "AGENTS.md" };
  const session = await talk(options, [words("one")], undefined, root);
  expect(requests[0]?.prompt[0]).toEqual({
    role: "system",
    content: "Be brief.\n\nThe project's own instructions, from AGENTS.md:\n\nUse tabs.",
  });
  await writeFile(join(root, "AGENTS.md"), "x".repeat(100_000));
  await session.prompt(words("two"), new AbortController().signal);
  expect(requests[1]?.prompt[0]?.content).toMatch(/x\n\[The rest of AGENTS.md is left out\.\]$/);
  await writeFile(join(root, "AGENTS.md"), Buffer.from([0, 1, 2]));
  await session.prompt(words("three"), new AbortController().signal);
  expect(requests[2]?.prompt[0]).toEqual({ role: "system", content: "Be brief." });
});

test("lets instructions name the folder of the agent", async () => {
  const { model, requests } = recordingModel([]);
  const session = await talk({ model, tools: [], instructions: ({ root }) => `You are in ${root}.` }, [
    words("one"),
  ]);
  expect(requests[0]?.prompt[0]).toEqual({ role: "system", content: `You are in ${session.book.info.cwd}.` });
});

test("applies a new mode to the calls after it", async () => {
  const calls = [{ tool: "t", input: {} }];
  const { model } = recordingModel([{ calls }, { say: "one" }, { calls }]);
  const policy: PolicyFor = ({ modeId }) => inMode(modeId === "read-only" ? "read-only" : "allow-all", []);
  const edits = { ...printing("t", "ok"), kind: "edit" as const };
  const session = await talk({ model, tools: [edits], policy }, [words("one")]);
  await session.setMode("read-only");
  await session.prompt(words("two"), new AbortController().signal);
  expect([...session.book.calls()].map(({ state }) => state.status)).toEqual(["done", "refused"]);
});
