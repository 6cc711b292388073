/** An agent that is written with the ACP SDK, driven by our client: as a process, and over the SDK's own streams. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { AgentApp, AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createNodeHttpHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { expect, onTestFinished, test } from "vitest";
import { streamWire } from "../src/acp/index.js";
import type { Rule } from "../src/policy/index.js";
import { sessionText } from "../src/view/index.js";
import { askForever, choose, drive } from "./acp-client-kit.js";
import { until } from "./until.js";
import type { DriveOptions } from "./acp-client-kit.js";
import { childProgram } from "./child-programs.js";
// @ts-expect-error: a child of the tests, in plain JavaScript.
import { sdkAgent } from "./children/acp-sdk-app.mjs";

const child = childProgram("acp-sdk-agent.mjs");
const argv = [process.execPath, child] as const;
const files = { "config.json": '{"a":"old"}' };
const rules: readonly Rule[] = [{ allow: "read" }];
const app = sdkAgent as () => AgentApp;

const sdk = (options: DriveOptions = {}) => drive("", { argv, files, rules, ...options });

test("the SDK's agent reads, asks, writes and runs through us, with one question", async () => {
  const { say, session, questions, cwd } = await sdk();
  expect(await say("go")).toEqual({ status: "stopped", stopReason: "end_turn" });
  expect(readFileSync(join(cwd, "config.json"), "utf8")).toBe('{"a":"new"}');
  expect(questions.map(({ title }) => title)).toEqual(["Edit config.json"]);
  expect(session.book.info.agent).toBe("sdk-example");
  expect([...session.book.calls()].map(({ toolCallId, state }) => `${toolCallId} ${state.status}`)).toEqual([
    "read done",
    "proxied_1 done",
    "edit done",
    "proxied_2 done",
    "proxied_3 done",
    "cat done",
  ]);
  expect(session.book.call("cat")?.content).toMatchObject([{ output: { head: '{"a":"new"}' } }]);
  expect(session.book.plan).toMatchObject([{ content: "Edit" }]);
  expect(session.book.snapshot().repairs).toEqual([]);
  expect(sessionText(session.book.snapshot())).toContain("I will look.");
});

test("a no reaches the SDK's agent, and it goes on", async () => {
  const { say, session, cwd } = await sdk({ ask: choose("reject_once", "not that one") });
  expect(await say("go")).toEqual({ status: "stopped", stopReason: "end_turn" });
  expect(readFileSync(join(cwd, "config.json"), "utf8")).toBe(files["config.json"]);
  expect(session.book.call("edit")).toMatchObject({
    state: { status: "refused" },
    decision: { reason: "not that one" },
  });
  expect(session.book.snapshot().repairs).toEqual([]);
});

test("a cancel reaches the SDK's agent, and its question is withdrawn", async () => {
  const { say, session, ledger } = await sdk({ ask: askForever().ask });
  const stop = new AbortController();
  const ended = say("go", stop.signal);
  await until(() => session.book.call("edit")?.state.status === "waiting");
  stop.abort();
  expect(await ended).toEqual({ status: "stopped", stopReason: "cancelled" });
  expect(await ledger.openQuestions()).toEqual([]);
  expect(session.book.openCalls()).toEqual([]);
});

test("the agent's mode is set under the agent's name", async () => {
  const { session } = await sdk();
  await session.setMode("yolo");
  expect(session.book.modeId).toBe("sdk-example/yolo");
});

test("an agent behind a stream of the SDK's is driven in the same way", async () => {
  const [ours, theirs] = pair();
  app().connect(theirs);
  const { say, session } = await drive("", { files, rules, connect: { agent: streamWire(ours) } });
  expect(await say("go")).toEqual({ status: "stopped", stopReason: "end_turn" });
  expect(session.book.call("edit")?.state.status).toBe("done");
});

test("an agent behind Streamable HTTP is driven in the same way", async () => {
  const server = new AcpServer({ createAgent: () => app() });
  const http = createServer(createNodeHttpHandler(server)).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  onTestFinished(() => http.closeAllConnections());
  onTestFinished(() => void http.close());
  // Listening on a port, so the address is one.
  const { port } = http.address() as AddressInfo;
  const agent = streamWire(createHttpStream(`http://127.0.0.1:${port}/acp`));
  const { say, session } = await drive("", { files, rules, connect: { agent } });
  expect(await say("go")).toEqual({ status: "stopped", stopReason: "end_turn" });
  expect(session.book.call("edit")?.state.status).toBe("done");
});

function pair(): readonly [Stream, Stream] {
  const there = new TransformStream<AnyMessage, AnyMessage>();
  const back = new TransformStream<AnyMessage, AnyMessage>();
  return [
    { readable: back.readable, writable: there.writable },
    { readable: there.readable, writable: back.writable },
  ];
}
