/** `toolgate run --url`: the built program against a server that knows only the protocol, and at a real terminal. */
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../src/aap/client/index.js";
import { serveAap } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import { openUrl } from "../src/cli/run-url.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import type { Ask } from "../src/run/index.js";
import { builtInTools, LocalWorkspace } from "../src/tools/index.js";
import { plainServer } from "./aap-client-kit.js";
import type { PlainServer, PlainStep } from "./aap-client-kit.js";
import { folder } from "./agent-kit.js";
import { atHome } from "./cli-kit.js";
import { atDesk } from "./tmux-kit.js";

const SEND: readonly PlainStep[] = [
  { say: "I send it.", calls: [{ name: "look" }, { name: "send", input: { to: "Ada\u001b[2J" } }] },
  { say: "Sent, or not." },
];
const QUESTION = "or no with your reason:";
const KEY = "a-key-of-this-test";

const created = ({ requests }: PlainServer) => requests.find(({ path }) => path === "/sessions")?.body;
const answers = ({ requests }: PlainServer) =>
  requests.findLast(({ path }) => path.endsWith("/turns"))?.body["messages"];

test("a script sees the calls and the words, and what would be asked is denied", async () => {
  const server = await plainServer({ steps: SEND });
  const at = await atHome();
  const { status, stdout, stderr } = await at.run(["run", "--url", server.url, "--trust", "look", "go"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(created(server)).toEqual({
    agent: { name: "plain", tools: [{ name: "look", trust: true }, { name: "send" }] },
  });
  expect(stdout).toContain("I send it.\n\n");
  expect(stdout).toMatch(/✓ \S+ Look .*\n(.*\n)*?.*look did it/);
  expect(stdout).toContain("Tool call denied by Toolgate: there is no terminal to ask at; run it in one");
  expect(stdout).toMatch(/Sent, or not\.\n/);
  expect(stdout).not.toContain("\u001b[2J");
  expect(answers(server)).toEqual([
    {
      role: "tool_permission",
      toolCallId: "c2",
      granted: false,
      reason: expect.stringContaining("there is no terminal to ask at"),
    },
  ]);
  expect(server.ran).toEqual(["look {}"]);
});

test("shows a response that was cut off by a crash apart from the one that replaced it", async () => {
  const server = await plainServer({ steps: [{ cutOff: "I was about to", say: "I was about to say it." }] });
  const at = await atHome();
  const { stdout } = await at.runHere(["run", "--url", server.url, "go"]);
  expect(stdout).toContain(
    "│ I was about to\n\nThe response was cut off because the server stopped; it starts again from the beginning.\n\n│ I was about to say it.\n",
  );
});

test("prints the same as a session's events for programs", async () => {
  const server = await plainServer({ steps: SEND });
  const at = await atHome();
  const { status, stdout } = await at.runHere(["run", "--url", server.url, "--json", "go"]);
  expect(status).toBe(0);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: string; readonly sessionId?: string });
  expect(events[0]).toEqual({ type: "session", sessionId: "s/1" });
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => /^(turn|question|call)-/.test(type))).toEqual([
    "turn-started",
    "call-announced",
    "call-announced",
    "turn-parked",
    "question-asked",
    "question-asked",
    "question-answered",
    "call-refused",
    "question-answered",
    "call-refused",
    "turn-resumed",
    "turn-stopped",
  ]);
});

test("a person is asked about each call, sees all of its input, and says no with a reason", async () => {
  const server = await plainServer({ steps: SEND, key: KEY });
  const desk = await atDesk({ env: { TOOLGATE_TOKEN: KEY } });
  desk.types(`toolgate run --url ${server.url} go`);
  const first = await desk.sees(QUESTION);
  expect(first).toContain("input: look {}");
  await new Promise((resolve) => setTimeout(resolve, 300));
  desk.types("y");
  const second = await desk.sees(QUESTION, 2);
  expect(second).toMatch(/"to": "Ada\\u001b\[2J"/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  desk.types("not Ada");
  const text = await desk.sees("[0 done]", 2);
  expect(text).toContain("Tool call denied by you: not Ada.");
  expect(text).toContain("look did it");
  expect(server.ran).toEqual(["look {}"]);
  expect(answers(server)).toEqual([
    { role: "tool_permission", toolCallId: "c1", granted: true },
    { role: "tool_permission", toolCallId: "c2", granted: false, reason: "not Ada" },
  ]);
});

test("a tool that a person lets run for the session is trusted from the next request on", async () => {
  const server = await plainServer({
    steps: [{ calls: [{ name: "look" }, { name: "send" }] }, { say: "Done." }],
  });
  const { take } = await openUrl({ url: server.url });
  const offered: (readonly string[])[] = [];
  const ask: Ask = ({ options, title }) => {
    offered.push(options.map(({ optionId }) => optionId));
    const optionId = title.includes("Look") ? "trust" : "allow";
    return Promise.resolve({ outcome: { type: "selected", optionId }, by: "person", who: "you" });
  };
  const { signal } = new AbortController();
  await take("go")(ask, () => undefined, { asking: signal, listening: signal });
  expect(offered).toEqual([
    ["allow", "reject", "trust"],
    ["allow", "reject", "trust"],
  ]);
  const sent = server.requests.filter(({ path }) => path.endsWith("/turns")).map(({ body }) => body["agent"]);
  expect(sent).toEqual([undefined, { tools: [{ name: "look", trust: true }, { name: "send" }] }]);
  expect(server.ran).toEqual(["look {}", "send {}"]);
});

test("Ctrl-C at a question answers nothing, says that a plain server cannot cancel, and a later run goes on", async () => {
  const server = await plainServer({ steps: SEND });
  const desk = await atDesk();
  desk.types(`toolgate run --url ${server.url} --trust look go`);
  await desk.sees(QUESTION);
  desk.presses("C-c");
  const left = await desk.sees("[130 done]");
  expect(left).toContain("the turn could not be cancelled and may continue at the server.");
  expect(answers(server)).toEqual([{ role: "user", content: "go" }]);

  desk.types(`toolgate run --url ${server.url} --resume s/1`);
  await desk.sees(QUESTION, 2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  desk.types("y");
  await desk.sees("Sent, or not.");
  await desk.sees("[0 done]", 2);
  expect(server.ran).toEqual(["look {}", 'send {"to":"Ada\\u001b[2J"}']);
});

test("a session goes on by its id, with what is said next; without an id, the first that the server lists", async () => {
  const server = await plainServer({ steps: [{ say: "One." }, { say: "Two." }, { say: "Three." }] });
  const at = await atHome();
  await at.runHere(["run", "--url", server.url, "go"]);
  for (const [words, said] of [
    [["--resume", "s/1", "more"], "Two.\n"],
    [["--resume", "--", "and", "more"], "Three.\n"],
  ] as const)
    expect((await at.runHere(["run", "--url", server.url, ...words])).stdout).toContain(said);
  const history = await connect(server.url).history("s/1");
  expect(history.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "go",
    "more",
    "and more",
  ]);
});

test("the token comes from its variable or a file, and is never shown", async () => {
  const server = await plainServer({ steps: [{ say: "Hello." }, { say: "Hello." }], key: KEY });
  const at = await atHome({ token: `${KEY}\n` });
  chmodSync(join(at.settings, "token"), 0o600);
  const url = ["--url", server.url];
  // As it was made for a server on this machine.
  expect((await at.runHere(["run", ...url, "go"])).stdout).toContain("Hello.");
  const file = join(at.home, "other-token");
  writeFileSync(file, "a-wrong-token-in-a-file\n");
  const wrong = await at.runHere(["run", ...url, "--token-file", file, "go"]);
  expect(wrong.status).toBe(1);
  expect(wrong.stderr).toBe(
    "toolgate: the key Bearer *** is wrong Give the server's token with --token-file or in TOOLGATE_TOKEN.\n",
  );
});

test("says what cannot be done, and sends nothing", async () => {
  const server = await plainServer();
  const at = await atHome({ token: `${KEY}\n` });
  chmodSync(join(at.settings, "token"), 0o600);
  const run = (words: readonly string[], env = {}) => at.runHere(["run", ...words, "go"], { env });
  const cases = [
    [["--url", "http://example.invalid"], { TOOLGATE_TOKEN: KEY }, 1, /without TLS, .* Nothing was sent\./],
    // This machine's own token is for this machine.
    [["--url", "http://example.invalid"], {}, 1, /did not answer/],
    [
      ["--url", await closedUrl()],
      {},
      1,
      /The server did not answer \(.*ECONNREFUSED.*\)\. Nothing was done; is "toolgate serve" running there\?/,
    ],
    [["--url", server.url, "--agent", "nobody"], {}, 1, /has no agent "nobody", only "plain"\./],
    [["--url", server.url, "--trust", "fly"], {}, 1, /has no tool "fly", only look, send\./],
    [["--url", server.url, "--resume", "s/9"], {}, 1, /has no session "s\/9"\. Nothing was done\./],
    [["--url", server.url, "--model", "x/y"], {}, 2, /cannot be used with option/],
    [["--trust", "look"], {}, 2, /'--trust <tool>' needs option '--url <url>'/],
  ] as const;
  for (const [words, env, status, message] of cases) {
    const ran = await run(words, env);
    expect(ran.stderr).toMatch(message);
    expect({ words, status: ran.status }).toEqual({ words, status });
    expect(ran.stderr).not.toContain(KEY);
  }
  expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);
});

describe("run at a Toolgate server", () => {
  const command = { tool: "terminal", input: { command: "touch made" } };

  async function serving(steps: readonly ScriptStep[]) {
    const workspace = await LocalWorkspace.open(await folder());
    const agent = createAgent({
      name: "ours",
      model: scriptedModel({ steps: [...steps] }, { pauseMs: 5 }),
      tools: builtInTools,
    });
    const { url, close } = await serveAap(agent, { port: 0, token: KEY, workspace });
    onTestFinished(close);
    return { url, client: connect(url, KEY), made: join(workspace.root, "made") };
  }

  test("removes a question that is answered elsewhere, and shows the turn continue", async () => {
    const { url, client, made } = await serving([{ say: "I make it.", calls: [command] }, { say: "Made." }]);
    const desk = await atDesk({ env: { TOOLGATE_TOKEN: KEY } });
    desk.types(`toolgate run --url ${url} go`);
    const asked = await desk.sees(QUESTION);
    expect(asked).toContain("Run touch made");
    const [question] = await client.questions();
    await client.answerQuestion(question!.questionId, { granted: true });
    await desk.sees("Made.");
    await desk.sees("[0 done]", 2);
    expect(existsSync(made)).toBe(true);
  });

  test("cancels the turn and its question on Ctrl-C", async () => {
    const { url, client, made } = await serving([{ calls: [command] }, { say: "Made." }]);
    const desk = await atDesk({ env: { TOOLGATE_TOKEN: KEY } });
    desk.types(`toolgate run --url ${url} go`);
    await desk.sees(QUESTION);
    desk.presses("C-c");
    const text = await desk.sees("[130 done]");
    expect(text).toContain("Cancelled. Calls that had not started were not run.");
    expect(await client.questions()).toEqual([]);
    expect(existsSync(made)).toBe(false);
    // And while words come.
    const long = await serving([{ say: "word ".repeat(2_000) }]);
    desk.types(`toolgate run --url ${long.url} go`);
    await desk.sees("word word word");
    desk.presses("C-c");
    await desk.sees("[130 done]", 2);
  });
});

/** Where nobody listens any more. */
async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
