/** A loop of the host's own behind an ACP door: its calls are tracked and asked about without other changes. */
import { PassThrough, Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { serveAcp, stdioWire } from "../src/acp/index.js";
import type { Loop } from "../src/acp/index.js";
import { SessionBook } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { choose, lastOf, says } from "./acp-kit.js";
import { until } from "./until.js";
import type { Answer } from "./acp-kit.js";
import { counting, folder } from "./agent-kit.js";
import { deferred } from "./raw-agent.js";

const { session } = acp.methods.agent;

async function served(loop: Loop, answer: Answer = choose("allow_once"), ledger = new MemoryLedger()) {
  const toAgent = new PassThrough();
  const toClient = new PassThrough();
  const over = serveAcp(loop, { ledger, wire: stdioWire(toAgent, toClient) });
  const updates: acp.SessionUpdate[] = [];
  const questions: acp.RequestPermissionRequest[] = [];
  const { agent } = acp
    .client({ name: "an editor" })
    .onNotification(acp.methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      return answer(params);
    })
    // The same stream by its other name.
    .connect(
      acp.ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(toClient) as ReadableStream<Uint8Array>),
    );
  await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION });
  const leave = async () => {
    toAgent.end();
    await over;
  };
  onTestFinished(leave);
  const cwd = await folder();
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  return { agent, cwd, sessionId, updates, questions, ledger, leave };
}

test("its words, its plan and its wrapped tools are seen, and each call is asked about first", async () => {
  const ran: string[] = [];
  const { agent, sessionId, updates, questions, ledger } = await served({
    name: "mine",
    async prompt({ say, think, plan }, input, gate) {
      const { greet } = gate.wrapTools({
        greet: ({ name }: { name: string }) => (ran.push(name), `Hello ${name}`),
      });
      think("Whom?");
      plan([{ content: "Greet", priority: "medium", status: "in_progress" }]);
      const [block] = input;
      say(await greet({ name: block?.type === "text" ? block.text : "" }));
    },
  });
  expect(await agent.request(session.prompt, { sessionId, prompt: says("Ada") })).toEqual({
    stopReason: "end_turn",
  });
  expect(ran).toEqual(["Ada"]);
  expect(questions).toMatchObject([{ toolCall: { toolCallId: "call_1", rawInput: { name: "Ada" } } }]);
  expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "session_info_update",
    "agent_thought_chunk",
    "plan",
    "tool_call",
    "tool_call_update",
    "tool_call_update",
    "tool_call_update",
    "agent_message_chunk",
  ]);
  expect(lastOf(updates, "agent_message_chunk")).toMatchObject({ content: { text: "Hello Ada" } });
  const { turns, timeline } = new SessionBook(
    sessionId,
    (await ledger.read(sessionId)).map(({ event }) => event),
  ).snapshot();
  expect(turns).toMatchObject([{ state: { status: "stopped", stopReason: "end_turn" } }]);
  const ends = timeline.flatMap((entry) => (entry.type === "call" ? [entry.call.state.status] : []));
  expect(ends).toEqual(["done"]);
});

test("passes a no to the loop as an error and lets it continue", async () => {
  const { agent, sessionId, updates } = await served(
    {
      name: "mine",
      async prompt({ say }, _input, gate) {
        const { greet } = gate.wrapTools({ greet: () => "Hello" });
        say(await greet().catch((error: Error) => `Not done: ${error.message}`));
        return "refusal";
      },
    },
    choose("reject_once", { reason: "not today" }),
  );
  expect(await agent.request(session.prompt, { sessionId, prompt: says("Go") })).toEqual({
    stopReason: "refusal",
  });
  expect(JSON.stringify(lastOf(updates, "agent_message_chunk"))).toContain("not today");
});

test("a cancel ends the loop's signal, its calls and its question, and the turn says cancelled", async () => {
  let aborted = false;
  const { agent, sessionId, questions, updates } = await served(
    {
      name: "mine",
      async prompt({ signal }, _input, gate) {
        signal.addEventListener("abort", () => (aborted = true));
        await gate.wrapTools({ greet: () => "Hello" }).greet();
      },
    },
    () => new Promise(() => undefined),
  );
  const turn = agent.request(session.prompt, { sessionId, prompt: says("Go") });
  await until(() => questions.length === 1);
  await agent.notify(session.cancel, { sessionId });
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(aborted).toBe(true);
  expect(lastOf(updates, "tool_call_update")).toMatchObject({ status: "failed" });
});

test("a loop that breaks fails the prompt with its words, its open calls are closed, and the next prompt works", async () => {
  let turns = 0;
  const { agent, sessionId } = await served({
    name: "mine",
    async prompt({ say }) {
      turns += 1;
      if (turns === 1) throw new Error("the loop fell over");
      say("Better.");
    },
  });
  await expect(agent.request(session.prompt, { sessionId, prompt: says("Go") })).rejects.toMatchObject({
    message: expect.stringContaining("the loop fell over"),
  });
  expect(await agent.request(session.prompt, { sessionId, prompt: says("Go") })).toEqual({
    stopReason: "end_turn",
  });
});

test("a session of it can be loaded: its messages and calls are sent again", async () => {
  const loop: Loop = {
    name: "mine",
    rules: [{ allow: "greet" }],
    async prompt({ say }, _input, gate) {
      say(await gate.wrapTools({ greet: () => "Hello" }).greet());
    },
  };
  const first = await served(loop);
  await first.agent.request(session.prompt, { sessionId: first.sessionId, prompt: says("Go") });
  expect(first.questions).toEqual([]);
  await first.leave();
  const second = await served(loop, choose("allow_once"), first.ledger);
  await second.agent.request(session.load, { sessionId: first.sessionId, cwd: first.cwd, mcpServers: [] });
  expect(second.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "user_message_chunk",
    "tool_call",
    "agent_message_chunk",
    "session_info_update",
  ]);
});

test("tools that it wraps in every prompt work in the second prompt too", async () => {
  const { agent, sessionId, updates } = await served({
    name: "mine",
    rules: [{ allow: "greet" }],
    async prompt({ say }, _input, gate) {
      say(await gate.wrapTools({ greet: () => "Hello" }).greet());
    },
  });
  for (let count = 0; count < 2; count++)
    expect(await agent.request(session.prompt, { sessionId, prompt: says("Go") })).toEqual({
      stopReason: "end_turn",
    });
  const words = updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" ? [update.content] : [],
  );
  expect(words).toMatchObject([{ text: "Hello" }, { text: "Hello" }]);
});

test("runs no further call of a loop that ignores a cancel", async () => {
  const count = counting("count");
  const started = deferred();
  const { agent, sessionId } = await served({
    name: "mine",
    tools: [count.tool],
    rules: [{ allow: "count" }],
    async prompt({ signal }, _input, gate) {
      started.resolve();
      await until(() => signal.aborted);
      await gate.call({ name: "count", input: {} });
    },
  });
  const turn = agent.request(session.prompt, { sessionId, prompt: says("Go") });
  await started.promise;
  await agent.notify(session.cancel, { sessionId });
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(count.runs).toBe(0);
});

test("actions of a loop after its turn are not run and not sent", async () => {
  const count = counting("count");
  const later = deferred();
  let late: Promise<unknown> = Promise.resolve();
  const { agent, sessionId, updates } = await served({
    name: "mine",
    tools: [count.tool],
    rules: [{ allow: "count" }],
    async prompt({ say, plan }, _input, gate) {
      say("In time.");
      late = later.promise.then(() => {
        say("Too late.");
        plan([{ content: "Count", priority: "low", status: "pending" }]);
        return gate.call({ name: "count", input: {} });
      });
    },
  });
  await agent.request(session.prompt, { sessionId, prompt: says("Go") });
  const inTime = updates.map(({ sessionUpdate }) => sessionUpdate);
  expect(inTime).toContain("agent_message_chunk");
  later.resolve();
  await expect(late).rejects.toMatchObject({ code: "TURN_IS_OVER" });
  // Updates from before this response have been received.
  await agent.request(session.list, {});
  expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(inTime);
  expect(count.runs).toBe(0);
});

test("a prompt that is cancelled before its turn comes does not start the loop", async () => {
  let started = 0;
  const { agent, sessionId } = await served({
    name: "mine",
    async prompt({ signal }) {
      started += 1;
      await until(() => signal.aborted);
    },
  });
  const turns = ["One", "Two"].map((text) =>
    agent.request(session.prompt, { sessionId, prompt: says(text) }),
  );
  await until(() => started > 0);
  await agent.notify(session.cancel, { sessionId });
  expect(await Promise.all(turns)).toEqual([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
  expect(started).toBe(1);
});

test("words before a call and words after it are two messages", async () => {
  const { agent, sessionId, updates } = await served({
    name: "mine",
    rules: [{ allow: "greet" }],
    async prompt({ say }, _input, gate) {
      say("I shall ");
      say("greet.");
      await gate.wrapTools({ greet: () => "Hello" }).greet();
      say("Greeted.");
    },
  });
  await agent.request(session.prompt, { sessionId, prompt: says("Go") });
  const messages = new Map<unknown, string>();
  for (const update of updates) {
    if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") continue;
    const { messageId, content } = update;
    messages.set(messageId, `${messages.get(messageId) ?? ""}${content.text}`);
  }
  expect([...messages.values()]).toEqual(["I shall greet.", "Greeted."]);
});

test("a session whose first prompt has no words is named by the first that has", async () => {
  const { agent, sessionId } = await served({ name: "mine", prompt: async () => undefined });
  const link = { type: "resource_link", uri: "file:///a", name: "a" } as const;
  await agent.request(session.prompt, { sessionId, prompt: [link] });
  await agent.request(session.prompt, { sessionId, prompt: says("Fix it") });
  await agent.request(session.prompt, { sessionId, prompt: says("And that") });
  expect(await agent.request(session.list, {})).toMatchObject({ sessions: [{ sessionId, title: "Fix it" }] });
});
