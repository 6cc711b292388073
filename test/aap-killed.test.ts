/** A server that is killed with -9, in the middle of a turn and while a question waits: the next one goes on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, onTestFinished, test } from "vitest";
import type { RecordedEvent } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import { folder } from "./agent-kit.js";
import { grant, names, readEvents, remoteApp, say, whole, wordsIn } from "./aap-kit.js";
import { until } from "./until.js";
import type { App } from "./aap-kit.js";
import { childProgram } from "./child-programs.js";

const child = childProgram("aap-server.mjs");
const kills: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const kill of kills.splice(0)) await kill();
});

async function serverIn(cwd: string): Promise<{ readonly app: App; readonly kill: () => Promise<void> }> {
  const server = spawn(process.execPath, [child, cwd], { stdio: ["ignore", "pipe", "inherit"] });
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
  kills.push(kill);
  for await (const line of createInterface(server.stdout)) {
    const { url } = JSON.parse(line) as { url: string };
    return { app: remoteApp(url), kill };
  }
  throw new Error("The server did not start.");
}

const SESSION = { agent: { name: "clerk", tools: [{ name: "wait", trust: true }, { name: "send" }] } };
const did = async (cwd: string) => (await readFile(join(cwd, "did"), "utf8").catch(() => "")).split("\n");
const count = async (cwd: string, what: string) => (await did(cwd)).filter((line) => line === what).length;

/** The lease of a process that was killed lasts a little longer. */
async function whenFree<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes("under way")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

test("keeps a waiting question when the server is killed, and its grant runs the call once", async () => {
  const cwd = await folder({ "go-on": "" });
  const before = await serverIn(cwd);
  const sessionId = await before.app.createSession(SESSION);
  expect(await before.app.turn(sessionId, say("Go"))).toMatchObject({ stopReason: "tool_use" });
  const history = await before.app.history(sessionId);
  await before.kill();

  const { app } = await serverIn(cwd);
  expect(await app.history(sessionId)).toEqual(history);
  expect((await app.ask<{ questions: unknown[] }>("GET", "/questions")).questions).toHaveLength(1);
  const turn = await whenFree(() => app.turn(sessionId, { messages: [grant("call_2")] }));
  expect(turn.messages).toEqual([
    { role: "tool", toolCallId: "call_2", content: "sent" },
    { role: "assistant", content: [{ type: "text", text: "That was all." }] },
  ]);
  expect(await count(cwd, "send")).toBe(1);
});

test("sends the rest of a turn to a client that reconnects after a kill, and runs nothing twice", async () => {
  const cwd = await folder();
  const key = { headers: { "idempotency-key": "the-first" } };
  const before = await serverIn(cwd);
  const sessionId = await before.app.createSession(SESSION);
  const response = await before.app.open(sessionId, say("Go", "delta"), key);
  const cut = await readEvents(response, ({ event }) => event === "tool_call");
  await until(async () => (await count(cwd, "wait")) === 1);
  await before.kill();
  await writeFile(join(cwd, "go-on"), "");

  const { app } = await serverIn(cwd);
  const place = { headers: { ...key.headers, "last-event-id": cut.at(-1)?.id ?? "" } };
  const rest = await whenFree(() => app.stream(sessionId, say("Go", "delta"), place));
  const events = [...cut, ...rest];
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect(names(events).filter((name) => name === "turn_start")).toHaveLength(1);
  const { stopReason, messages } = whole(events);
  expect(stopReason).toBe("tool_use");
  expect(messages[1]?.content).toContain("Nobody knows whether this tool call took effect");
  expect(await app.history(sessionId)).toEqual([{ role: "user", content: "Go" }, ...messages]);
  expect(await count(cwd, "wait")).toBe(1);
  // The same request once more is the same answer.
  expect(whole(await app.stream(sessionId, say("Go", "delta"), key))).toEqual({ stopReason, messages });
});

test("reports lost calls and goes on with the user when nobody resumes the turn after a kill", async () => {
  const cwd = await folder();
  const before = await serverIn(cwd);
  const sessionId = await before.app.createSession(SESSION);
  const turn = before.app.stream(sessionId, say("Go", "delta")).catch(() => undefined);
  await until(async () => (await count(cwd, "wait")) === 1);
  await before.kill();
  await turn;

  const { app } = await serverIn(cwd);
  const events = await whenFree(() => app.stream(sessionId, say("Still there?", "message")));
  expect(names(events).filter((name) => name === "turn_stop")).toHaveLength(1);
  const history = await app.history(sessionId);
  const answered = new Set(history.map(({ toolCallId }) => toolCallId));
  expect(answered.has("call_1")).toBe(true);
  expect(await count(cwd, "wait")).toBe(1);
});

test("keeps a received part apart from the message that replaces it when killed in the middle of a message", async () => {
  const key = { headers: { "idempotency-key": "the-first" } };
  const killedServer = async () => {
    const cwd = await folder();
    const before = await serverIn(cwd);
    const sessionId = await before.app.createSession({ agent: { name: "talker" } });
    const response = await before.app.open(sessionId, say("Go", "delta"), key);
    const cut = await readEvents(response, ({ data }) => data["delta"] === "word20 ");
    await before.kill();
    return { cwd, sessionId, cut, written: await logIn(cwd, sessionId) };
  };
  let killed = await killedServer();
  // Words that were sent may be in the log already, and then nothing of this is tried.
  while (wordsIn(killed.cut).length <= textIn(killed.written).length) killed = await killedServer();
  const { cwd, sessionId, cut, written } = killed;

  const { app } = await serverIn(cwd);
  const place = { headers: { ...key.headers, "last-event-id": cut.at(-1)?.id ?? "" } };
  const rest = await whenFree(() => app.stream(sessionId, say("Go", "delta"), place));
  expect(wordsIn(rest)).toBe(WORDS);
  expect([names(rest)[0], names(rest).at(-1)]).toEqual(["answer_cut_off", "turn_stop"]);
  // Two messages, as in the history: one that was not finished, and the one that was said in its place.
  const texts = whole([...cut, ...rest]).messages.map(({ content }) => content);
  expect(texts).toEqual([[{ type: "text", text: wordsIn(cut) }], [{ type: "text", text: WORDS }]]);
  const again = whole(await app.stream(sessionId, say("Go", "message"), key)).messages;
  expect((await app.history(sessionId)).slice(1)).toEqual(again);
  expect(again.map(({ content }) => content)).toEqual([
    [{ type: "text", text: textIn(written) }],
    [{ type: "text", text: WORDS }],
  ]);
  const said = (await app.history(sessionId)).flatMap(({ content }) => content);
  expect(JSON.stringify(said.at(-1))).toContain(WORDS);
});

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index} `).join("");

async function logIn(cwd: string, sessionId: string): Promise<readonly RecordedEvent[]> {
  const ledger = await openLedger(join(cwd, "ledger.sqlite"), { readOnly: true });
  onTestFinished(() => ledger.close());
  return ledger.read(sessionId);
}

const textIn = (log: readonly RecordedEvent[]): string =>
  log
    .map(({ event }) =>
      event.type === "message-chunk" && event.role === "agent" && event.block.type === "text"
        ? event.block.text
        : "",
    )
    .join("");
