/** Commands besides run: open questions, cost, approved servers, warnings about rules. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLedger } from "../src/history/index.js";
import { SessionRecord } from "../src/record/index.js";
import { ApprovedServers } from "../src/settings/index.js";
import { atHome } from "./cli-kit.js";
import { KEY, startFake } from "./fakes/fake-provider.js";
import { openAiChat } from "./fakes/openai-chat.js";

test("names the process that has a session while it waits for it", async () => {
  const at = await atHome();
  const script = at.script([{ say: "Done." }]);
  await at.run(["run", "--script", script, "go"]);
  const ledger = await openLedger(join(at.home, "toolgate", "ledger.sqlite"));
  const [{ sessionId } = { sessionId: "" }] = await ledger.sessions();
  await ledger.claim(sessionId, "someone else", { milliseconds: 60_000 });
  const { status, stderr } = await at.run(["run", "--resume", "--script", script, "again"]);
  await ledger.close();
  expect(status).toBe(1);
  expect(stderr).toContain(
    `toolgate: Session ${sessionId} is open in another process (someone else); waiting for it, up to 6 s …`,
  );
});

test("marks the sessions that wait for an answer in history list", async () => {
  const at = await atHome();
  await at.runHere(["run", "--script", at.script([{ say: "Done." }]), "over"]);
  const ledger = await openLedger(join(at.home, "toolgate", "ledger.sqlite"));
  const record = await SessionRecord.open(ledger, "session_waiting", { owner: "test" });
  const announced = {
    toolCallId: "call_1",
    at: 1,
    name: "x",
    title: "X",
    kind: "other",
    kindSource: "declared",
  } as const;
  const question = {
    questionId: "question_1",
    sessionId: "session_waiting",
    toolCallId: "call_1",
    intentHash: "hash",
    title: "May I?",
    options: [{ optionId: "no", name: "No", kind: "reject_once" }],
    askedAt: 1,
  } as const;
  await record.append(
    [
      { type: "info-changed", at: 1, info: { title: "left behind" } },
      { type: "turn-started", at: 1, turnId: "turn_1" },
      { type: "call-announced", ...announced },
      { type: "input-ready", toolCallId: "call_1", at: 1, rawInput: {} },
      { type: "question-asked", toolCallId: "call_1", at: 1, question },
    ],
    { durable: true },
  );
  await record.close();
  await ledger.close();
  const { stdout } = await at.runHere(["history", "list"]);
  expect(stdout).toMatch(/^session_waiting .*\n {4}left behind {2}waits for an answer$/m);
  expect(stdout).toMatch(/ over$/m);
  const { sessions } = JSON.parse((await at.runHere(["history", "list", "--json"])).stdout);
  expect(sessions).toMatchObject([{ openQuestions: 1 }, { openQuestions: 0 }]);
  const statistics = (await at.runHere(["stats"])).stdout.split("\n");
  expect(statistics[0]).toMatch(/^tool +calls +done +failed +refused +cancelled +unknown +open +by rule/);
  expect(statistics[1]).toMatch(/^x +1 +0 +0 +0 +0 +0 +1 +0/);
});

test("reports an empty history without an error, but refuses a named file that is missing", async () => {
  const at = await atHome();
  const none = {
    status: 0,
    stdout: "No sessions are stored yet. Start one with: toolgate run\n",
    stderr: "",
  };
  expect(await at.runHere(["history", "list"])).toEqual(none);
  expect(await at.runHere(["history", "search", "word"])).toEqual(none);
  const noCall = "No calls are stored yet. Start with: toolgate run\n";
  expect(await at.runHere(["stats"])).toEqual({ ...none, stdout: noCall });
  const noModel = "No model was used yet. Start with: toolgate run\n";
  expect(await at.runHere(["stats", "--by", "model"])).toEqual({ ...none, stdout: noModel });
  const asJson = async (...words: readonly string[]) =>
    JSON.parse((await at.runHere([...words, "--json"])).stdout);
  expect(await asJson("history", "list")).toEqual({ sessions: [] });
  expect(await asJson("history", "search", "word")).toEqual({ hits: [] });
  expect(await asJson("stats")).toEqual({ by: "tool", statistics: [] });
  expect(await asJson("stats", "--by", "model")).toEqual({ by: "model", statistics: [] });
  const named = await at.runHere(["history", "list", "--ledger", "nosuch.sqlite"]);
  expect([named.status, named.stdout]).toEqual([1, ""]);
  expect(named.stderr).toMatch(/nosuch\.sqlite does not exist\. Nothing was read/);
  expect(existsSync(join(at.home, "toolgate"))).toBe(false);
});

test("counts a response without a model name for the model of its session", async () => {
  const at = await atHome();
  mkdirSync(join(at.home, "toolgate"));
  const ledger = await openLedger(join(at.home, "toolgate", "ledger.sqlite"));
  const record = await SessionRecord.open(ledger, "session_signed", { owner: "test" });
  const step = { type: "step-ended", at: 1, turnId: "turn_1", toolCallIds: [] } as const;
  const signed = { model: "anthropic.messages/claude", parts: [] };
  await record.append(
    [
      { type: "turn-started", at: 1, turnId: "turn_1" },
      { ...step, stepId: "step_1" },
      { ...step, stepId: "step_2", answer: signed },
      { ...step, stepId: "step_3" },
    ],
    { durable: true },
  );
  await record.close();
  await ledger.close();
  const { stdout } = await at.runHere(["stats", "--by", "model"]);
  expect(stdout).toMatch(/^anthropic\.messages\/claude +3 /m);
  expect(stdout).not.toContain("(unknown)");
});

test("shows durations in stats as on the card of a call", async () => {
  const at = await atHome();
  mkdirSync(join(at.home, "toolgate"));
  const ledger = await openLedger(join(at.home, "toolgate", "ledger.sqlite"));
  const record = await SessionRecord.open(ledger, "session_slow", { owner: "test" });
  const toolCallId = "call_1";
  const call = { toolCallId, name: "x", title: "X", kind: "other", kindSource: "declared" } as const;
  await record.append(
    [
      { type: "turn-started", at: 1, turnId: "turn_1" },
      { type: "call-announced", ...call, at: 1 },
      { type: "input-ready", toolCallId, at: 1, rawInput: {} },
      { type: "call-cleared", toolCallId, at: 1 },
      { type: "run-started", toolCallId, at: 1 },
      { type: "call-done", toolCallId, at: 59_961, rawOutput: "ok" },
    ],
    { durable: true },
  );
  await record.close();
  await ledger.close();
  expect((await at.runHere(["history", "show", "session_slow"])).stdout).toContain("59.9 s");
  expect((await at.runHere(["stats"])).stdout).toMatch(/^x .* 59\.9 s\/59\.9 s /m);
});

test("shows the usage after a turn, and sums it by model in stats", async () => {
  const at = await atHome();
  const fake = await startFake(openAiChat, [
    { calls: [{ id: "1", tool: "list_directory", input: {} }] },
    { say: "Done." },
  ]);
  const model = ["--model", "openai-compatible/fake", "--base-url", `${fake.url}/v1`];
  const env = { TOOLGATE_MODEL_KEY: KEY };
  const { stdout } = await at.runHere(["run", ...model, "look"], { env });
  expect(stdout).toMatch(/Done\.\n\n240 tokens in \(40 cached\), 60 out\n$/);
  const table = (await at.runHere(["stats", "--by", "model"])).stdout;
  expect(table).toMatch(
    /^model +answers +tokens in +cached +tokens out +about\nopenai-compatible\/fake +2 +240 +40 +60 +–$/m,
  );
  const { statistics } = JSON.parse((await at.runHere(["stats", "--by", "model", "--json"])).stdout);
  expect(statistics).toEqual([
    {
      key: "openai-compatible/fake",
      answers: 2,
      inputTokens: 240,
      outputTokens: 60,
      cachedTokens: 40,
      reasoningTokens: 20,
      cacheWrittenTokens: 0,
    },
  ]);
});

test("goes on after a refusal for length, shows it and keeps --context-window for the session", async () => {
  const at = await atHome();
  const read = (id: string) => ({ calls: [{ id, tool: "read_file", input: { path: "big.txt" } }] });
  const refusal = (tokens: number, window: number) => ({
    status: 400,
    body: {
      error: {
        message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`,
        code: "context_length_exceeded",
      },
    },
  });
  const summary = { say: "They read." };
  const steps = [read("1"), { say: "Long." }, { say: "Again." }, { say: "Small." }];
  // Eight thousand tokens of the fake are for the descriptions of our tools.
  const fake = await startFake(openAiChat, steps, { tokens: 14_000, refusal, summary });
  const model = ["--model", "openai-compatible/fake", "--base-url", `${fake.url}/v1`];
  const env = { TOOLGATE_MODEL_KEY: KEY };
  writeFileSync(join(at.project, "big.txt"), `${"word ".repeat(12_000)}\n`);
  const first = await at.runHere(["run", ...model, "read it"], { env });
  expect(first.status).toBe(0);
  expect(first.stdout).toMatch(
    /── openai-compatible\S* refused the prompt as too long; from here on it gets at most about/,
  );
  expect(first.stdout).toMatch(/Long\.\n\n240 tokens in/);
  const refused = fake.refused.length;
  // The window that was learnt is remembered in the session.
  expect((await at.runHere(["run", "--resume", "--", "once more"], { env })).status).toBe(0);
  expect(fake.refused).toHaveLength(refused);
  // A window of one token is full at once: the conversation is summarized before the first request.
  const small = await at.runHere(["run", "--resume", "--context-window", "1", "--", "and now"], { env });
  expect(small.stdout).toContain("── the conversation so far was summarized");
  expect(small.stdout).toMatch(/240 tokens in \(40 cached\), 60 out\n$/);
});

test("names the requested address when a model is not found", async () => {
  const at = await atHome();
  const server = createServer((_, response) => void response.writeHead(404).end("{}"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const { status, stderr } = await at.runHere([
    "run",
    "--model",
    "openai-compatible/x",
    "--base-url",
    baseUrl,
    "go",
  ]);
  expect(status).toBe(1);
  expect(stderr).toContain(`openai-compatible/x is not known at ${baseUrl} (404`);
  expect(stderr).toContain("check the model's name and the base URL");
});

test("lists approved MCP servers, and revokes one for its folder", async () => {
  const at = await atHome();
  expect((await at.runHere(["mcp", "list"])).stdout).toContain("No MCP server is approved.");
  const approved = new ApprovedServers(at.settings);
  const server = { name: "notes", fingerprint: "a".repeat(64), approvedAt: Date.UTC(2026, 0, 2) };
  await approved.approve({ ...server, projectRoot: at.project });
  await approved.approve({ ...server, projectRoot: at.home });
  expect((await at.runHere(["mcp", "list"])).stdout).toBe(
    `notes  in ${at.project}, since 2026-01-02, as it was then (aaaaaaaaaaaa)\nnotes  in ${at.home}, since 2026-01-02, as it was then (aaaaaaaaaaaa)\n`,
  );
  expect(await at.runHere(["mcp", "revoke", "notes"])).toMatchObject({
    status: 0,
    stdout: `notes is not started in ${at.project} any more until you approve it again.\n`,
  });
  expect(approved.list()).toMatchObject([{ projectRoot: at.home }]);
  const again = await at.runHere(["mcp", "revoke", "notes"]);
  expect([again.status, again.stderr]).toEqual([
    1,
    `toolgate: No MCP server "notes" is approved in ${at.project}. Nothing was changed. Try: toolgate mcp list\n`,
  ]);
  expect((await at.runHere(["mcp", "revoke", "notes", "--everywhere"])).status).toBe(0);
  expect(approved.list()).toEqual([]);
});

test("warns of a misspelt kind in every rules command", async () => {
  const at = await atHome({ "rules.json": { rules: [{ allow: "exectue" }] } });
  const warning = `toolgate: {"allow":"exectue"}: "exectue" is no kind, so the rule covers a tool of that name. Is "execute" meant?\n`;
  const file = join(at.settings, "rules.json");
  for (const words of [
    ["rules", "list"],
    ["rules", "check", file],
    ["rules", "add", '{"allow":"exectue"}'],
  ])
    expect(await at.runHere(words)).toMatchObject({ status: 0, stderr: warning });
  const fine = join(at.home, "fine.json");
  writeFileSync(fine, '{"rules":[{"allow":"execute"},{"allow":"read_file"},{"deny":"edit_file"}]}');
  expect((await at.runHere(["rules", "check", fine])).stderr).toBe("");
});

test("parses the input of a tool in rules test as the tool does", async () => {
  const at = await atHome({ "rules.json": { rules: [{ allow: "execute", command: "node --version" }] } });
  const tried = async (tool: string, input: unknown) =>
    at.runHere(["rules", "test", "--json", "--tool", tool, "--input", JSON.stringify(input)]);
  const decided = async (tool: string, input: unknown) => JSON.parse((await tried(tool, input)).stdout);
  expect(await decided("terminal", { command: "node --version" })).toMatchObject({
    decision: "allow",
    rule: 'allow execute "node --version"',
  });
  expect(await decided("terminal", { command: "rm -rf x" })).toMatchObject({ decision: "ask" });
  expect(await decided("write_file", { path: "a.txt", content: "x" })).toMatchObject({
    decision: "ask",
    saw: [expect.stringContaining(join(at.project, "a.txt"))],
  });
  const wrong = await tried("terminal", { cmd: "ls" });
  expect([wrong.status, wrong.stdout]).toEqual([1, ""]);
  expect(wrong.stderr).toMatch(/^toolgate: terminal: the input is not valid\. .* Nothing was decided\.\n$/);
});
