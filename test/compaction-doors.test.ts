/** A compaction as every door shows it, and its tokens where tokens are counted. */
import * as acp from "@agentclientprotocol/sdk";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { expect, onTestFinished, test } from "vitest";
import { agentHost } from "../src/acp/index.js";
import { createAgent } from "../src/agent/index.js";
import { readAll, SessionBook } from "../src/call/index.js";
import { LiveText } from "../src/cli/live-text.js";
import { usageText } from "../src/cli/usage-text.js";
import { MemoryLedger } from "../src/history/index.js";
import { MemoryArchive } from "../src/history/memory/memory-archive.js";
import type { LanguageModelV3 } from "../src/model/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { sessionText } from "../src/view/index.js";
import { editor, lastOf, says } from "./acp-kit.js";
import type { EditorOptions } from "./acp-kit.js";
import { folder } from "./agent-kit.js";

/** Says that its window is full after each response, and sums up when asked to. */
const model: LanguageModelV3 = {
  specificationVersion: "v3",
  provider: "test",
  modelId: "small",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("not used")),
  doStream: ({ prompt }) => {
    const isSummary = JSON.stringify(prompt.at(-1)).includes("Sum up this conversation");
    return Promise.resolve({ stream: ReadableStream.from(isSummary ? SUMMARY : ANSWER) });
  },
};

const response = (text: string, input: number, output: number): readonly LanguageModelV3StreamPart[] => [
  { type: "text-delta", id: "t", delta: text },
  {
    type: "finish",
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  },
];
const ANSWER = response("An answer.", 900, 7);
const SUMMARY = response("They talked.", 1_459, 60);

async function talk(options: EditorOptions = {}) {
  const ledger = new MemoryLedger();
  const cwd = await folder();
  const host = agentHost({
    agent: createAgent({ name: "tester", model, tools: [], contextWindow: 1_000 }),
    ledger,
    openWorkspace: (path, roots) => LocalWorkspace.open(path, { roots }),
    models: [],
  });
  const connected = await editor(host, options);
  const { sessionId } = await connected.agent.request(session.new, { cwd, mcpServers: [] });
  for (const words of ["one", "two"])
    await connected.agent.request(session.prompt, { sessionId, prompt: says(words) });
  const events = (await readAll(ledger, sessionId)).map(({ event }) => event);
  return { ...connected, host, cwd, ledger, sessionId, events, book: new SessionBook(sessionId, events) };
}

const { session } = acp.methods.agent;
const LINE = "── the conversation so far was summarized to make room in the model's window";

test("an editor that knows compaction gets the summary, live and when it loads the session", async () => {
  const capabilities = { session: { compaction: {} } };
  const { host, updates, sessionId, cwd, leave } = await talk({ capabilities });
  const expected = {
    compactionId: expect.stringMatching(/^compaction-step_/),
    status: "completed",
    summary: [{ type: "text", text: "They talked." }],
  };
  expect(lastOf(updates, "compaction_update")).toMatchObject(expected);
  await leave();
  const again = await editor(host, { capabilities });
  await again.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
  expect(lastOf(again.updates, "compaction_update")).toMatchObject(expected);
  const kinds = again.updates.map(({ sessionUpdate }) => sessionUpdate);
  expect(kinds.indexOf("compaction_update")).toBeLessThan(kinds.lastIndexOf("agent_message_chunk"));
});

test("another editor gets a thought in its place", async () => {
  const { updates } = await talk();
  expect(lastOf(updates, "compaction_update")).toBeUndefined();
  expect(lastOf(updates, "agent_thought_chunk")).toMatchObject({
    content: { type: "text", text: expect.stringContaining("was summarized") },
  });
});

test("the session's text, the terminal and the statistics have it, with its tokens", async () => {
  const { book, ledger, events } = await talk();
  const text = sessionText(book.snapshot(), { width: 120 });
  expect(text).toMatch(new RegExp(`${LINE} +\\(1,459\\s+tokens in, 60 out\\)\nsummary │ They talked\\.`));
  expect(text.indexOf(LINE)).toBeLessThan(text.lastIndexOf("An answer."));
  expect(usageText(book, undefined)).toBe("2,359 tokens in, 67 out");
  expect(usageText(book, { input: 1_000_000, output: 0 })).toContain("about $2359.00");

  const archive = new MemoryArchive(ledger);
  onTestFinished(() => archive.close());
  expect(await archive.modelUsage()).toMatchObject([{ answers: 3, inputTokens: 3_259, outputTokens: 74 }]);

  let shown = "";
  const live = new LiveText(
    {
      book,
      now: () => 0,
      onRecorded: (subscriber) => {
        subscriber(events.filter(({ type }) => type === "context-compacted"));
        subscriber([{ type: "window-learnt", at: 1, model: "test/small", contextWindow: 8_192 }]);
        return () => undefined;
      },
    },
    { write: (part) => void (shown += part) },
  );
  live.close();
  expect(shown).toBe(
    `${LINE} (1,459 tokens in, 60 out)\n\n── test/small refused the prompt as too long; from here on it gets at most about 8,192 tokens\n\n`,
  );
});
