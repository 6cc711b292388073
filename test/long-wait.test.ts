/**
 * The long wait: a turn of four parallel calls stops for the app and for a person; its process is killed; the
 * answer comes from another process, the results reach a third; and the session reads as if nothing had happened.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { AapClient, pendingCalls } from "../src/aap/client/index.js";
import { SessionBook } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import { sessionText } from "../src/view/index.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { startServing } from "./start-serving.js";

const answerer = childProgram("answer.mjs");

const SCRIPT = {
  steps: [
    {
      say: "Four at once.",
      calls: [
        { tool: "pick_colour", input: { of: "sky" } },
        { tool: "read_file", input: { path: "notes.txt" } },
        { tool: "pick_size", input: {} },
        { tool: "terminal", input: { command: "echo ran >> log.txt" } },
      ],
    },
    { say: "All four are back." },
  ],
};

const clientTools = ["pick_colour", "pick_size"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object" },
}));

const TOKEN = "a-token-that-nobody-guesses";

async function serve(cwd: string) {
  const words = ["serve", "--port", "0", "--cwd", cwd];
  const { url, stop } = await startServing(cwd, words, { env: { TOOLGATE_TOKEN: TOKEN } });
  return { client: new AapClient({ baseUrl: url, apiKey: TOKEN }), stop };
}

test("runs each tool once when a waiting turn is killed, answered elsewhere and finished by a third process", async () => {
  const cwd = await folder({ "script.json": JSON.stringify(SCRIPT), "notes.txt": "the notes" });
  const a = await serve(cwd);
  const tools = [{ name: "read_file", trust: true }, { name: "terminal" }];
  const { sessionId } = await a.client.createSession({
    agent: { name: "toolgate", tools },
    tools: clientTools,
  });
  const events: string[] = [];
  await a.client.turn(
    sessionId,
    { stream: "message", messages: [{ role: "user", content: "go" }] },
    { onEvent: (event) => void events.push(event.event) },
  );
  expect(events).toEqual([
    "turn_start",
    "text",
    "tool_call",
    "tool_call",
    "tool_call",
    "tool_call",
    "tool_result",
    "turn_stop",
  ]);
  await a.stop("SIGKILL");

  const { stdout } = await promisify(execFile)(process.execPath, [
    answerer,
    join(cwd, "ledger.sqlite"),
    "ann",
  ]);
  expect(JSON.parse(stdout)).toEqual({ asked: 1, counted: 1 });

  const c = await serve(cwd);
  const history = await c.client.history(sessionId, "full");
  const pending = pendingCalls(
    history,
    clientTools.map(({ name }) => name),
  );
  expect(pending.client.map(({ name }) => name)).toEqual(["pick_colour", "pick_size"]);
  const results = pending.client.map(({ toolCallId, name }) => ({
    role: "tool" as const,
    toolCallId,
    content: `${name}: blue`,
  }));
  const end = await c.client.turn(sessionId, { stream: "none", messages: results });
  expect(end.stopReason).toBe("end_turn");

  expect(await readFile(join(cwd, "log.txt"), "utf8")).toBe("ran\n");
  const after = await c.client.history(sessionId, "full");
  expect(after.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "tool",
    "tool",
    "tool",
    "assistant",
  ]);
  expect(after.slice(2, 6)).toMatchObject([
    { content: "the notes" },
    { content: "pick_colour: blue" },
    { content: "pick_size: blue" },
    { content: expect.stringContaining("exitCode") },
  ]);
  await c.stop();

  const ledger = await openLedger(join(cwd, "ledger.sqlite"));
  const recorded = await ledger.read(sessionId);
  const book = new SessionBook(
    sessionId,
    recorded.map(({ event }) => event),
  );
  await ledger.close();
  expect(
    [...book.calls()].map(({ name, state, decision }) => [name, state.status, decision?.who ?? decision?.by]),
  ).toEqual([
    ["pick_colour", "done", undefined],
    ["read_file", "done", "rule"],
    ["pick_size", "done", undefined],
    ["terminal", "done", "ann"],
  ]);
  // The three processes leave no trace: the history reads as one session with a slow answer.
  expect(sessionText(book.snapshot())).toMatch(/Four at once\.[^]*All four are back\./);
  expect(sessionText(book.snapshot())).not.toMatch(/unknown|cancelled|process/);
});
