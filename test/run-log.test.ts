/** The log of `run` and `acp`: its content, its place, and what must never be in it. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atHome, command } from "./cli-kit.js";
import { openAiChat } from "./fakes/openai-chat.js";
import { KEY, startFake } from "./fakes/fake-provider.js";

type LogRecord = { readonly msg: string; readonly level: string; readonly [field: string]: unknown };

const records = (text: string): readonly LogRecord[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): LogRecord => JSON.parse(line));

test("logs sessions, turns and calls with their decisions and durations", async () => {
  const at = await atHome({
    "rules.json": { rules: [{ allow: "execute", command: "node --version" }, { allow: "task" }] },
  });
  const file = join(at.home, "log.ndjson");
  const script = at.script([
    { calls: [command("node --version"), command("touch made")] },
    { calls: [{ tool: "read_file", input: { path: "missing.txt" } }] },
    {
      calls: [{ tool: "task", input: { description: "Look", prompt: "Look" }, subAgent: [{ say: "Seen." }] }],
    },
    { say: "Done." },
  ]);
  const { status } = await at.runHere(["run", "--script", script, "--log", file, "go"]);
  expect(status).toBe(0);
  const logged = records(readFileSync(file, "utf8"));
  expect(logged.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining([
      "session opened",
      "turn started",
      "model responded",
      "call asked about",
      "turn ended",
    ]),
  );
  const responses = logged.filter(({ msg }) => msg === "model responded");
  expect(responses.map(({ toolCallId = "the agent" }) => toolCallId)).toEqual([
    "the agent",
    "the agent",
    "the agent",
    "call_4",
    "the agent",
  ]);
  const ended = logged.filter(({ msg }) => msg === "call ended");
  expect(ended).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        level: "info",
        tool: "terminal",
        kind: "execute",
        status: "done",
        decidedBy: "rule",
        rule: 'allow execute "node --version"',
        ranMs: expect.any(Number),
      }),
      expect.objectContaining({ status: "refused", waitedMs: expect.any(Number) }),
      expect.objectContaining({
        level: "warn",
        tool: "read_file",
        status: "failed",
      }),
    ]),
  );
  expect(logged.find(({ msg }) => msg === "turn ended")).toMatchObject({ stopReason: "end_turn" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("logs no secret, message, input or output", async () => {
  const shaped = `sk-ant-api03-${"q7Zx".repeat(20)}`;
  const token = `ghp_${"A1b2C3d4E5".repeat(4)}`;
  const own = "acme-83920174";
  const at = await atHome({
    "rules.json": {
      rules: [
        { allow: "execute", anyFlags: true },
        { deny: "fetch", reason: `not with ${shaped}` },
      ],
    },
    "config.json": { redactPatterns: ["acme-[0-9]{8}"] },
  });
  const file = join(at.home, "log.ndjson");
  const fake = await startFake(openAiChat, [
    { status: 503, headers: { "retry-after": "0", "x-secret": token } },
    {
      say: "words of the model",
      calls: [
        { id: "1", ...command(`echo 'Authorization: Bearer ${token}' ${shaped}; printenv; exit 3`) },
        { id: "2", tool: "fetch", input: { url: `http://me:${shaped}@example.com/` } },
        { id: "3", tool: "read_file", input: { path: `${own}/${shaped}` } },
        { id: "4", tool: token, input: { password: "hunter2hunter2" } },
      ],
    },
    { status: 401 },
  ]);
  const model = ["--model", "openai-compatible/fake", "--base-url", `${fake.url}/v1`];
  const { stderr } = await at.runHere(["run", ...model, "--log", file, `words of the person ${shaped}`], {
    env: { TOOLGATE_LOG: "trace", TOOLGATE_MODEL_KEY: KEY, DEPLOY_TOKEN: "plain-word-token" },
  });
  expect(stderr).toContain("did not accept the key");
  const text = readFileSync(file, "utf8");
  const logged = records(text);
  expect(logged.map(({ msg }) => msg)).toContain("model request retried");
  expect(logged.find(({ msg }) => msg === "turn ended")).toMatchObject({
    level: "error",
    stopReason: "error",
  });
  expect(logged.filter(({ msg }) => msg === "call ended")).toHaveLength(4);
  for (const secret of [
    shaped,
    token,
    own,
    KEY,
    "hunter2",
    "words of the model",
    "words of the person",
    "printenv",
  ])
    expect(text).not.toContain(secret);
});

test("redacts the keys of the environment by their value", async () => {
  const at = await atHome();
  const file = join(at.home, "log.ndjson");
  await at.runHere(["run", "--script", "plainwordkey.json", "--log", file, "go"], {
    env: { SOME_API_KEY: "plainwordkey" },
  });
  const text = readFileSync(file, "utf8");
  expect(records(text)).toMatchObject([{ level: "fatal", msg: "the command failed", code: "ENOENT" }]);
  expect(text).toContain("[redacted key].json");
  expect(text).not.toContain("plainwordkey");
});

test("logs to stderr without a file, never to stdout, at the chosen level", async () => {
  const at = await atHome();
  const script = at.script([{ say: "Done." }]);
  // Processes of their own: nothing else writes to their stderr.
  const loud = await at.run(["run", "--json", "--script", script, "go"], {
    env: { TOOLGATE_LOG: "info" },
  });
  expect(records(loud.stderr).map(({ msg }) => msg)).toContain("turn ended");
  expect(loud.stdout).not.toContain('"msg"');
  const quiet = await at.run(["run", "--script", script, "go"], { env: { TOOLGATE_LOG: "error" } });
  expect(quiet.stderr).toBe("");
  const wrong = await at.runHere(["run", "--script", script, "go"], { env: { TOOLGATE_LOG: "loud" } });
  expect(wrong).toMatchObject({ status: 1, stdout: "" });
  expect(wrong.stderr).toMatch(
    /^toolgate: TOOLGATE_LOG is "loud", which is not a level\. Nothing was started/,
  );
});

test("reports a log that cannot be opened before anything starts", async () => {
  const at = await atHome();
  const { status, stderr } = await at.runHere(["run", "--log", join(at.home, "no", "log"), "go"]);
  expect([status, stderr]).toEqual([
    1,
    `toolgate: ${join(at.home, "no", "log")} does not exist. Nothing was done; check the path.\n`,
  ]);
  expect(existsSync(join(at.home, "toolgate"))).toBe(false);
});

test("does not load the logger without a log", async () => {
  const at = await atHome();
  const watch = join(at.home, "watch.cjs");
  writeFileSync(
    watch,
    `process.on("exit", () => process.stderr.write(String(Object.keys(require.cache).some((file) => /node_modules.pino.pino\\.js$/.test(file)))));`,
  );
  const script = at.script([{ say: "Done." }]);
  const node = ["--require", watch];
  expect((await at.run(["run", "--script", script, "go"], { node })).stderr).toBe("false");
  const logged = await at.run(["run", "--script", script, "--log", join(at.home, "log"), "go"], { node });
  expect(logged.stderr).toBe("true");
});

test("logs an editor's agent without writing to its stdout", async () => {
  const at = await atHome();
  const file = join(at.home, "log.ndjson");
  const request = (id: number, method: string, params: unknown) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const { stdout } = await at.run(["acp", "--log", file], {
    input:
      request(0, "initialize", { protocolVersion: 1, clientCapabilities: {} }) +
      request(1, "session/new", { cwd: at.project, mcpServers: [] }),
    openUntil: '"id":1',
  });
  for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  expect(records(readFileSync(file, "utf8"))[0]).toMatchObject({ msg: "session opened" });
});
