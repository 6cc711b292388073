/** A foreign client, the ACP SDK's own, drives `toolgate acp` as an editor would: real processes, real pipes. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { schemaCheck, VERSIONS } from "../src/acp/codec.samples.js";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { until } from "./until.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const isValid = schemaCheck(VERSIONS[0]);

type Editor = {
  readonly child: ChildProcess;
  readonly agent: acp.ClientContext;
  readonly updates: acp.SessionUpdate[];
  readonly questions: acp.RequestPermissionRequest[];
};

type Answer = (
  request: acp.RequestPermissionRequest,
) => Promise<acp.RequestPermissionResponse> | acp.RequestPermissionResponse;

const choose =
  (kind: string): Answer =>
  ({ options }) => ({
    outcome: { outcome: "selected", optionId: options.find((option) => option.kind === kind)!.optionId },
  });

/** Starts the agent and says hello to it. */
async function editor(cwd: string, answer: Answer): Promise<Editor> {
  const args = ["acp", "--script", join(cwd, "script.json"), "--ledger", join(cwd, "ledger.sqlite")];
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const updates: acp.SessionUpdate[] = [];
  const questions: acp.RequestPermissionRequest[] = [];
  const app = acp
    .client({ name: "an editor" })
    .onNotification(acp.methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      return answer(params);
    });
  const { agent } = app.connect(
    acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
  );
  await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "editor", version: "1" },
  });
  return { child, agent, updates, questions };
}

async function project(steps: readonly ScriptStep[], files: Record<string, string> = {}): Promise<string> {
  return folder({ "script.json": JSON.stringify({ steps }), ...files });
}

const prompt = (sessionId: string) => ({ sessionId, prompt: [{ type: "text" as const, text: "go" }] });

/** Each message about a call or a text, in short. */
function summaryOf(updates: readonly acp.SessionUpdate[]): string[] {
  return updates.flatMap((update) => {
    if (update.sessionUpdate === "tool_call") return `call ${update.title} ${update.status ?? "pending"}`;
    if (update.sessionUpdate === "tool_call_update")
      return update.status ? `${update.toolCallId} ${update.status}` : [];
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      return `"${update.content.text}"`;
    return update.sessionUpdate === "plan" ? `plan of ${update.entries.length}` : [];
  });
}

const RUNS_ONCE: readonly ScriptStep[] = [
  { say: "Now.", calls: [{ tool: "terminal", input: { command: "echo ran >> log.txt" } }] },
  { say: "Done." },
];

const runs = async (cwd: string): Promise<string> => readFile(join(cwd, "log.txt"), "utf8").catch(() => "");

describe("an editor", () => {
  test("prompts, is asked, answers, and sees every step before the turn's response", async () => {
    const cwd = await project(
      [
        { calls: [{ tool: "todo_write", input: { todos: [{ content: "Edit", status: "in_progress" }] } }] },
        {
          say: "Now.",
          calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "two" } }],
        },
        { say: "Done." },
      ],
      { "a.txt": "one" },
    );
    const { agent, updates, questions } = await editor(cwd, choose("allow_once"));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    expect(await agent.request(acp.methods.agent.session.prompt, prompt(sessionId))).toEqual({
      stopReason: "end_turn",
    });
    expect(summaryOf(updates)).toEqual([
      "call Update the plan pending",
      "call_1 in_progress",
      "plan of 1",
      "call_1 completed",
      '"Now."',
      "call Edit a.txt pending",
      "call_2 in_progress",
      "call_2 completed",
      '"Done."',
    ]);
    expect(questions).toMatchObject([
      {
        toolCall: {
          toolCallId: "call_2",
          title: "Edit a.txt",
          kind: "edit",
          content: [
            { type: "diff", oldText: "one", newText: "two" },
            { type: "content", content: { type: "text", text: expect.stringContaining("Will write ") } },
          ],
        },
      },
    ]);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two");
    for (const update of updates) expect(isValid(update)).toBeNull();
  });

  test("types commands that are answered without the model: rules, history, stats, undo, compact", async () => {
    const cwd = await project(
      [
        { calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "two" } }] },
        { say: "Done." },
      ],
      { "a.txt": "one" },
    );
    const { agent, updates } = await editor(cwd, choose("allow_once"));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    await agent.request(acp.methods.agent.session.prompt, prompt(sessionId));
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two");
    const typed = async (text: string) => {
      await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      const last = updates.findLast(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
      return last?.sessionUpdate === "agent_message_chunk" && last.content.type === "text"
        ? last.content.text
        : "";
    };
    expect(await typed("/rules")).toContain("mode: ask");
    expect(await typed("/history")).toMatch(/call_1 {2}done {2}Edit a\.txt/);
    expect(await typed("/stats")).toMatch(/edit_file +1 +1/);
    expect(await typed("/undo")).toContain("a.txt");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one");
    expect(await typed("/undo call_1")).toMatch(/undone|already|put back/i);
    expect(await typed("/compact")).toMatch(/summarize/i);
  });

  test("brings MCP servers of its own: their tools are asked about by name, and they end with the session", async () => {
    const cwd = await project([
      { calls: [{ tool: "mine__echo", input: { words: "hello" } }] },
      { say: "Done." },
    ]);
    const notes = join(cwd, "notes");
    const server = childProgram("mcp-tools.mjs");
    const mine: acp.McpServer = { name: "mine", command: process.execPath, args: [server, notes], env: [] };
    const { agent, updates, questions } = await editor(cwd, choose("allow_once"));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [mine] });
    await agent.request(acp.methods.agent.session.prompt, prompt(sessionId));
    expect(questions).toMatchObject([{ toolCall: { title: "mine/echo" } }]);
    expect(updates.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")).toMatchObject({
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "hello" } }],
    });
    const pid = Number(/started (\d+)/.exec(await readFile(notes, "utf8"))?.[1]);
    await agent.request(acp.methods.agent.session.close, { sessionId });
    await until(() => !existsSync(`/proc/${pid}`));
    const nameless = { command: "x", args: [], env: [] };
    await expect(
      agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [nameless] as never }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test("says no, and the call fails with the sentence", async () => {
    const cwd = await project(RUNS_ONCE);
    const { agent, updates } = await editor(cwd, choose("reject_once"));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    await agent.request(acp.methods.agent.session.prompt, prompt(sessionId));
    const last = updates.findLast((update) => update.sessionUpdate === "tool_call_update");
    expect(last).toMatchObject({
      status: "failed",
      content: [
        { type: "content", content: { type: "text", text: "Tool call denied by editor. Nothing was run." } },
      ],
    });
    expect(await runs(cwd)).toBe("");
  });

  test("cancels while it is asked: the call is closed before the response, which says cancelled", async () => {
    const cwd = await project(RUNS_ONCE);
    const { agent, updates, questions } = await editor(cwd, () => new Promise(() => undefined));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    const response = agent.request(acp.methods.agent.session.prompt, prompt(sessionId));
    await until(() => questions.length > 0);
    await agent.notify(acp.methods.agent.session.cancel, { sessionId });
    expect(await response).toEqual({ stopReason: "cancelled" });
    expect(summaryOf(updates).at(-1)).toBe("call_1 failed");
    expect(await runs(cwd)).toBe("");
  });

  test("prompts again while it is asked: the second turn waits for the first, and a cancel ends both", async () => {
    const cwd = await project([...RUNS_ONCE.slice(0, 1), ...RUNS_ONCE]);
    const { agent, questions } = await editor(cwd, () => new Promise(() => undefined));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    const turns = [1, 2, 3].map(() => agent.request(acp.methods.agent.session.prompt, prompt(sessionId)));
    await until(() => questions.length > 0);
    await agent.notify(acp.methods.agent.session.cancel, { sessionId });
    const cancelled = { stopReason: "cancelled" };
    expect(await Promise.all(turns)).toEqual([cancelled, cancelled, cancelled]);
    expect(questions).toHaveLength(1);
    expect(await runs(cwd)).toBe("");
  });

  test("prompts again while it works: both turns run, one after the other", async () => {
    const cwd = await project([...RUNS_ONCE, ...RUNS_ONCE]);
    const { agent, updates } = await editor(cwd, choose("allow_once"));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    const turns = [1, 2].map(() => agent.request(acp.methods.agent.session.prompt, prompt(sessionId)));
    const ended = { stopReason: "end_turn" };
    expect(await Promise.all(turns)).toEqual([ended, ended]);
    expect(summaryOf(updates).filter((line) => line.endsWith(" completed"))).toEqual([
      "call_1 completed",
      "call_2 completed",
    ]);
  });

  test("disconnects while a command runs: the command ends, the call is closed, and the agent exits", async () => {
    const cwd = await project([
      { calls: [{ tool: "terminal", input: { command: "echo $$ > pid; sleep 60" } }] },
      { say: "x" },
    ]);
    const { agent, child } = await editor(cwd, choose("allow_once"));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    agent.request(acp.methods.agent.session.prompt, prompt(sessionId)).catch(() => undefined);
    const pid = async () => Number(await readFile(join(cwd, "pid"), "utf8").catch(() => "0"));
    await until(async () => (await pid()) > 0);
    child.kill("SIGTERM");
    await until(() => child.exitCode !== null || child.signalCode !== null);
    // As shells count: ended by a signal.
    expect(child.exitCode).toBe(143);
    expect(livingInGroup(await pid())).toEqual([]);
    const second = await editor(cwd, choose("allow_once"));
    await second.agent.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    const call = second.updates.find((update) => update.sessionUpdate === "tool_call");
    expect(call).toMatchObject({ status: "failed" });
  });

  test("names a relative folder, which is taken from the folder that the agent was started in", async () => {
    const cwd = await project(RUNS_ONCE);
    const { agent } = await editor(cwd, choose("allow_once"));
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: ".", mcpServers: [] });
    await agent.request(acp.methods.agent.session.prompt, prompt(sessionId));
    expect(await readFile(join(cwd, "log.txt"), "utf8")).toContain("ran");
  });

  test("names a folder that does not exist and gets an error", async () => {
    const cwd = await project(RUNS_ONCE);
    const { agent } = await editor(cwd, choose("allow_once"));
    const missing = agent.request(acp.methods.agent.session.new, {
      cwd: join(cwd, "nowhere"),
      mcpServers: [],
    });
    await expect(missing).rejects.toMatchObject({ code: -32602 });
  });

  test("loads a session in a new process, and it reads as it did live", async () => {
    const cwd = await project(RUNS_ONCE);
    const first = await editor(cwd, choose("allow_once"));
    const { sessionId } = await first.agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
    await first.agent.request(acp.methods.agent.session.prompt, prompt(sessionId));
    first.child.stdin?.end();
    await until(() => first.child.exitCode !== null);
    expect(first.child.exitCode).toBe(0);
    const second = await editor(cwd, choose("allow_once"));
    await second.agent.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    const kinds = second.updates.map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
      "agent_message_chunk",
      "session_info_update",
    ]);
    expect(second.updates[2]).toMatchObject({
      title: "Run echo ran >> log.txt",
      status: "completed",
      kind: "execute",
    });
    expect(second.questions).toEqual([]);
    expect(await runs(cwd)).toBe("ran\n");
  });

  test("asks for a session that does not exist and gets an error", async () => {
    const cwd = await project(RUNS_ONCE);
    const { agent } = await editor(cwd, choose("allow_once"));
    await expect(
      agent.request(acp.methods.agent.session.load, { sessionId: "nope", cwd, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32002 });
  });
});

test("killed during the question, loaded in a new process, asked again, answered: it ran once", async () => {
  const cwd = await project(RUNS_ONCE);
  const first = await editor(cwd, () => new Promise(() => undefined));
  const { sessionId } = await first.agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
  const lost = first.agent.request(acp.methods.agent.session.prompt, prompt(sessionId)).catch(() => "lost");
  await until(() => first.questions.length > 0);
  first.child.kill("SIGKILL");
  expect(await lost).toBe("lost");
  await writeFile(join(cwd, "marker"), "");

  const second = await editor(cwd, choose("allow_once"));
  await second.agent.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  await until(() => summaryOf(second.updates).includes('"Done."'));
  expect(second.questions.map(({ toolCall }) => toolCall.title)).toEqual(["Run echo ran >> log.txt"]);
  expect(summaryOf(second.updates)).toEqual([
    '"Now."',
    "call Run echo ran >> log.txt pending",
    "call_1 in_progress",
    "call_1 completed",
    '"Done."',
  ]);
  expect(await runs(cwd)).toBe("ran\n");
});

/** Processes of a group that are more than a name waiting to be taken note of. */
function livingInGroup(group: number): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const stat = existsSync(`/proc/${name}/stat`) ? readFileSync(`/proc/${name}/stat`, "latin1") : "";
    const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(of) === group && state !== "Z";
  });
}
