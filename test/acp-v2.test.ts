/** The draft of ACP v2, the agent's side, as the SDK's own v2 client sees it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import { expect, onTestFinished, test } from "vitest";
import type { AgentOptions } from "../src/agent/index.js";
import { agentHost, serveWire, stdioWire } from "../src/acp/index.js";
import { schemaCheck, VERSIONS } from "../src/acp/codec.samples.js";
import { MemoryLedger } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { until } from "./until.js";
import { folder, scripted } from "./agent-kit.js";

const isValid = schemaCheck(VERSIONS[1]);
const { session } = v2.methods.agent;

type Answer = (request: v2.RequestPermissionRequest) => Promise<v2.RequestPermissionResponse>;

const allow: Answer = async ({ options }) => ({
  outcome: {
    outcome: "selected",
    optionId: options.find(({ kind }) => kind === "allow_once")?.optionId ?? "",
  },
});

async function opened(
  steps: readonly ScriptStep[],
  answer: Answer = allow,
  options: Partial<AgentOptions> = {},
) {
  const ledger = new MemoryLedger();
  const cwd = await folder({ "a.txt": "one\n" });
  const host = agentHost({
    agent: scripted(steps, options),
    ledger,
    openWorkspace: (path, roots) => LocalWorkspace.open(path, { roots }),
    commands: () => [{ name: "hello", description: "Says hello", run: async () => "Hello." }],
  });
  const connect = async () => {
    const toAgent = new PassThrough();
    const toClient = new PassThrough();
    const wire = stdioWire(toAgent, toClient);
    const served = serveWire(wire, { name: "tester", version: "1", v2: true, openHost: async () => host });
    const updates: v2.SessionUpdate[] = [];
    const questions: v2.RequestPermissionRequest[] = [];
    const { agent } = v2
      .client({ name: "an editor" })
      .onNotification(v2.methods.client.session.update, ({ params }) => {
        const problem = isValid(params.update);
        if (problem !== null) throw new Error(`not of the schema: ${JSON.stringify(problem)}`);
        updates.push(params.update);
      })
      .onRequest(v2.methods.client.session.requestPermission, ({ params }) => {
        questions.push(params);
        return answer(params);
      })
      // The same stream by its other name.
      .connect(ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(toClient) as ReadableStream<Uint8Array>));
    const hello = await agent.request(v2.methods.agent.initialize, {
      protocolVersion: 2,
      info: { name: "editor", version: "1" },
      capabilities: {},
    });
    const leave = async () => {
      toAgent.end();
      await served;
    };
    onTestFinished(leave);
    return { agent, hello, updates, questions, leave };
  };
  return { cwd, ledger, connect, ...(await connect()) };
}

const says = (text: string) => [{ type: "text" as const, text }];

const statesOf = (updates: readonly v2.SessionUpdate[]) =>
  updates.flatMap((update) => {
    if (update.sessionUpdate !== "state_update") return [];
    return "stopReason" in update
      ? `${String(update.state)} ${String(update.stopReason)}`
      : String(update.state);
  });

const isIdle = (updates: readonly v2.SessionUpdate[]) =>
  statesOf(updates).at(-1)?.startsWith("idle") ?? false;

test("accepts a prompt at once; updates report the turn and its end", async () => {
  const steps: readonly ScriptStep[] = [
    { say: "Now.", calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "two" } }] },
    { say: "Done." },
  ];
  // An answer that comes before the turn has parked leaves it running.
  const { agent, hello, cwd, updates, questions } = await opened(steps, async (request) => {
    await until(() => statesOf(updates).includes("requires_action"));
    return allow(request);
  });
  expect(hello).toMatchObject({
    protocolVersion: 2,
    info: { name: "tester" },
    capabilities: { session: {} },
  });
  const made = await agent.request(session.new, { cwd, mcpServers: [] });
  expect(made).toMatchObject({ availableCommands: [{ name: "hello" }] });
  const { sessionId } = made;
  const { messageId } = await agent.request(session.prompt, { sessionId, prompt: says("Edit it") });
  await until(() => isIdle(updates));
  expect(statesOf(updates)).toEqual(["running", "requires_action", "running", "idle end_turn"]);
  expect(updates.find(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")).toMatchObject({
    messageId,
    content: { text: "Edit it" },
  });
  expect(questions).toMatchObject([
    {
      title: expect.stringContaining("a.txt"),
      subject: {
        type: "tool_call",
        toolCall: {
          toolCallId: "call_1",
          kind: "edit",
          content: [{ type: "diff" }],
          capabilities: { cancel: {} },
        },
      },
    },
  ]);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two\n");
});

test("a call can be cancelled by itself, and the turn goes on without it", async () => {
  const { agent, cwd, updates } = await opened([
    { calls: [{ tool: "terminal", input: { command: "sleep 60" } }] },
    { say: "Without it." },
  ]);
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  await agent.request(session.prompt, { sessionId, prompt: says("Sleep") });
  const isRunning = () =>
    updates.some((update) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress");
  await until(isRunning);
  await agent.request(v2.methods.agent.toolCall.cancel, { sessionId, toolCallId: "call_1" });
  await until(() => isIdle(updates));
  expect(statesOf(updates).at(-1)).toBe("idle end_turn");
  const last = updates.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  expect(last).toMatchObject({ toolCallId: "call_1", status: "cancelled", capabilities: null });
  for (const toolCallId of ["call_1", "call_9"])
    await expect(
      agent.request(v2.methods.agent.toolCall.cancel, { sessionId, toolCallId }),
    ).rejects.toMatchObject({
      code: -32602,
    });
});

test("a cancelled session becomes idle as cancelled, and its question is withdrawn", async () => {
  const never: Answer = () => new Promise(() => undefined);
  const { agent, cwd, updates, questions, ledger } = await opened(
    [{ calls: [{ tool: "terminal", input: { command: "echo ran > log.txt" } }] }],
    never,
  );
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  await agent.request(session.prompt, { sessionId, prompt: says("Run it") });
  await until(() => questions.length === 1);
  await agent.notify(v2.methods.agent.session.cancel, { sessionId });
  await until(() => isIdle(updates));
  expect(statesOf(updates).at(-1)).toBe("idle cancelled");
  expect(await ledger.openQuestions()).toEqual([]);
});

test("a session is taken up again with or without what was said, and says what it is doing", async () => {
  const { agent, cwd, updates, leave, connect } = await opened([{ say: "Hello there." }]);
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  const { messageId } = await agent.request(session.prompt, { sessionId, prompt: says("Hello") });
  await until(() => isIdle(updates));
  await leave();
  const silent = await connect();
  await silent.agent.request(session.resume, { sessionId, cwd, mcpServers: [] });
  await until(() => silent.updates.length > 0);
  expect(silent.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(["state_update"]);
  await silent.leave();
  const reloaded = await connect();
  await reloaded.agent.request(session.resume, {
    sessionId,
    cwd,
    mcpServers: [],
    replayFrom: { type: "start" },
  });
  await until(() => isIdle(reloaded.updates));
  expect(statesOf(reloaded.updates)).toEqual(["idle"]);
  expect(reloaded.updates.slice(0, 2)).toMatchObject([
    { sessionUpdate: "user_message", messageId, content: [] },
    { sessionUpdate: "user_message_chunk", messageId },
  ]);
  expect(JSON.stringify(reloaded.updates)).toContain("Hello there.");
});

test("a command has the same life as a prompt, without the model", async () => {
  const { agent, cwd, updates } = await opened([{ say: "A model." }]);
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  const { messageId } = await agent.request(session.prompt, { sessionId, prompt: says("/hello") });
  await until(() => isIdle(updates));
  expect(statesOf(updates)).toEqual(["running", "idle end_turn"]);
  expect(updates.find(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")).toMatchObject({
    messageId,
  });
  expect(JSON.stringify(updates)).toContain("Hello.");
});

test("a turn that breaks becomes idle with the error", async () => {
  const broken = {
    ...scripted([{ say: "-" }]).model,
    doStream: () => Promise.reject(new Error("the model is away")),
  };
  const { agent, cwd, updates } = await opened([{ say: "-" }], allow, { model: broken });
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  await agent.request(session.prompt, { sessionId, prompt: says("Go") });
  await until(() => isIdle(updates));
  expect(updates.at(-1)).toMatchObject({
    state: "idle",
    stopReason: "error",
    error: { message: expect.stringContaining("the model is away") },
  });
});
