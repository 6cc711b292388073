/** The limits of `serveAap` for its clients, and how it closes: over real sockets. */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { AapClient } from "../src/aap/client/index.js";
import { serveAap } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import { scriptedModel } from "../src/model/index.js";
import { defineTool } from "../src/tools/index.js";
import {
  answerTo,
  AUTHORIZED,
  head,
  readToEnd,
  newSession,
  say,
  send,
  serving,
  socketTo,
  statusOf,
  TOKEN,
  turn,
} from "./aap-http-kit.js";
import { until } from "./until.js";

const MEGABYTE = 1024 * 1024;
/** Two megabytes, a kilobyte at a time. */
const LONG = `${"x".repeat(1023)} `.repeat(2048);

/** A request as bytes. */
const asking = (line: string, headers: Readonly<Record<string, string>> = {}) =>
  head(`${line} HTTP/1.1`, { Host: "localhost", ...AUTHORIZED, ...headers });

/** Whether the server still has its end of the connection, as the kernel lists it; the client reads nothing. */
function isConnected(port: number, { localPort = 0 }: Socket): boolean {
  const ends = [port, localPort].map((number) => `:${number.toString(16).toUpperCase().padStart(4, "0")}`);
  const established = new RegExp(String.raw`${ends[0]} \w+${ends[1]} 01 `);
  return ["tcp", "tcp6"].some((name) => established.test(readFileSync(`/proc/net/${name}`, "utf8")));
}

/** A turn of which nothing is read before somebody does. */
async function unreadTurn(url: string, sessionId: string): Promise<IncomingMessage> {
  const headers = { ...AUTHORIZED, "content-type": "application/json" };
  const asked = request(`${url}/sessions/${sessionId}/turns`, { method: "POST", headers });
  asked.on("error", () => undefined);
  onTestFinished(() => void asked.destroy());
  asked.end(JSON.stringify(say("Go", "delta")));
  const [response]: IncomingMessage[] = await once(asked, "response");
  if (!response) throw new Error("there was no response");
  response.on("error", () => undefined);
  return response;
}

describe("all that an agent author writes", () => {
  test("is an agent, a port and a token", async () => {
    const agent = createAgent({
      name: "greeter",
      model: scriptedModel({ steps: [{ say: "Hello." }] }),
      tools: [],
    });
    const { url, close } = await serveAap(agent, { port: 0, token: TOKEN });
    onTestFinished(close);
    const client = new AapClient({ baseUrl: url, apiKey: TOKEN });
    expect((await client.meta()).agents.map(({ name }) => name)).toEqual(["greeter"]);
    const made = await send(url, { method: "POST", path: "/sessions", body: { agent: { name: "greeter" } } });
    const { sessionId } = JSON.parse(made.text);
    const { status, text } = await turn(url, sessionId, say("Hi"));
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { stopReason: "end_turn", messages: [{ role: "assistant", content: expect.anything() }] },
    ]);
  });
});

describe("slow, fast and silent clients", () => {
  test("ends a client that sends a request's head slowly, and serves others meanwhile", async () => {
    const { url, port } = await serving(undefined, { limits: { headTimeoutMs: 300 } });
    const slow = socketTo(port);
    const answer = readToEnd(slow);
    slow.write("GET /meta HTTP/1.1\r\n");
    const drip = setInterval(() => slow.write("X"), 20);
    onTestFinished(() => clearInterval(drip));
    expect((await send(url, { path: "/meta", headers: {} })).status).toBe(200);
    expect(statusOf(await answer)).toBe(408);
  });

  test("ends a client that sends a body slowly", async () => {
    const { port } = await serving(undefined, {
      limits: { headTimeoutMs: 100, requestTimeoutMs: 300 },
    });
    const slow = socketTo(port);
    const answer = readToEnd(slow);
    slow.write(asking("POST /sessions", { "Content-Type": "application/json", "Content-Length": "1000" }));
    const drip = setInterval(() => slow.write(" "), 20);
    onTestFinished(() => clearInterval(drip));
    expect(statusOf(await answer)).toBe(408);
  });

  test("sends a client that asks too fast the time to wait", async () => {
    const { url } = await serving(undefined, { limits: { requestsPerSecond: 5 } });
    const sent = await Promise.all(Array.from({ length: 60 }, () => send(url, { path: "/sessions" })));
    const slowed = sent.filter(({ status }) => status === 429);
    expect(slowed.length).toBeGreaterThan(5);
    expect(sent.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(10);
    expect(slowed[0]?.headers["retry-after"]).toBe("1");
    expect(JSON.parse(slowed[0]?.text ?? "").error.code).toBe("TOO_MANY_REQUESTS");
    // A request without a token uses up nothing.
    await until(async () => (await send(url, { path: "/sessions" })).status === 200);
  });

  test("ends a client that asks on and on without waiting for an answer", async () => {
    const { port, url } = await serving();
    const s1 = await newSession(url);
    const one = asking(`GET /sessions/${s1}`);
    const few = await answerTo(port, one.repeat(2) + asking(`GET /sessions/${s1}`, { Connection: "close" }));
    expect(few.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    const many = await answerTo(port, one.repeat(200));
    expect(many.match(/HTTP\/1\.1 200/g)?.length ?? 0).toBeLessThan(10);
  });

  test("drops a client that reads nothing of its answer, and frees what it did not read", async () => {
    const patient = await serving([{ say: LONG.repeat(12) }]);
    const s1 = await newSession(patient.url);
    await turn(patient.url, s1, say("Go"));
    const line = asking(`GET /sessions/${s1}/history?type=full`, { Connection: "close" });
    expect((await answerTo(patient.port, line)).length).toBeGreaterThan(24 * MEGABYTE);
    const { ledger } = patient;
    const { port } = await serving(undefined, { ledger, limits: { stallTimeoutMs: 300 } });
    const socket = socketTo(port);
    await new Promise<void>((resolve) => void socket.write(line, () => resolve()));
    await until(() => !isConnected(port, socket));
    expect((await readToEnd(socket)).length).toBeLessThan(24 * MEGABYTE);
  });

  test("sends a long response whole when a client asks for it again", async () => {
    const { url } = await serving([{ say: LONG.repeat(8) }]);
    const s1 = await newSession(url);
    const { text } = await turn(url, s1, say("Go", "delta"));
    expect(text.length).toBeGreaterThan(16 * MEGABYTE);
    expect((await send(url, { path: `/sessions/${s1}/turns?stream=delta` })).text === text).toBe(true);
  });

  test("does not drop a client that waits for a long turn", async () => {
    const wait = defineTool({
      name: "wait",
      description: "Waits.",
      kind: "think",
      input: z.object({}),
      run: () => new Promise((resolve) => setTimeout(() => resolve({ output: "waited" }), 700)),
    });
    const steps = [{ calls: [{ tool: "wait", input: {} }] }, { say: "Done." }];
    const { url } = await serving(steps, { limits: { stallTimeoutMs: 100 } }, { tools: [wait] });
    const s1 = await newSession(url, [{ name: "wait", trust: true }]);
    expect(JSON.parse((await turn(url, s1, say("Go"))).text)).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("a server that closes", () => {
  const hold = (started: () => void) =>
    defineTool({
      name: "hold",
      description: "Waits until it is cancelled.",
      kind: "think",
      input: z.object({}),
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          started();
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        }),
    });
  const HOLDS = [{ say: "Wait.", calls: [{ tool: "hold", input: {} }] }, { say: "Never." }];

  test("cancels the turn that runs, says so on its stream, and takes nobody in meanwhile", async () => {
    let isHeld = false;
    const tools = [hold(() => void (isHeld = true))];
    const { url, ledger, close } = await serving(HOLDS, {}, { tools });
    const s1 = await newSession(url, [{ name: "hold", trust: true }]);
    const streamed = turn(url, s1, say("Go", "delta"));
    await until(() => isHeld);
    await close();
    const { text } = await streamed;
    expect(text.trimEnd().split("\n").at(-2)).toBe("event: turn_stop");
    expect((await ledger.read(s1)).at(-1)?.event).toMatchObject({
      type: "turn-stopped",
      stopReason: "cancelled",
    });
    await expect(send(url, { path: "/meta", headers: {} })).rejects.toThrow(/./);
  });

  test("ends streams that would go on for ever, and waits for nobody else", async () => {
    const { url, close } = await serving(undefined, { limits: { closeTimeoutMs: 120_000 } });
    const s1 = await newSession(url);
    const events = send(url, { path: `/sessions/${s1}/events` }).catch((error: unknown) => error);
    await until(async () => (await send(url, { path: "/metrics" })).text.includes("toolgate_streams 1"));
    const began = performance.now();
    await close();
    expect(await events).toMatchObject({ code: "ECONNRESET" });
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  test("leaves a question open for the next one", async () => {
    const tools = [hold(() => undefined)];
    const { url, ledger, close } = await serving(HOLDS, {}, { tools });
    const s1 = await newSession(url, [{ name: "hold" }]);
    expect(JSON.parse((await turn(url, s1, say("Go"))).text)).toMatchObject({ stopReason: "tool_use" });
    await close();
    expect(await ledger.openQuestions()).toHaveLength(1);
    expect((await ledger.read(s1)).at(-1)?.event).toMatchObject({ type: "turn-parked" });
  });

  test("cuts off who does not read, and they can see that they have not all of it", async () => {
    const { url, ledger, close } = await serving([{ say: LONG.repeat(8) }]);
    const s1 = await newSession(url);
    const response = await unreadTurn(url, s1);
    await until(async () => (await ledger.read(s1)).at(-1)?.event.type === "turn-stopped");
    await close();
    await expect(response.toArray()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(response.complete).toBe(false);
  });
});
