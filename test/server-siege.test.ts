/**
 * Sockets that never show a token: silent ones, half a request, half a TLS handshake. However many there are, a client with
 * the token is served at once. The time for a request's head is set to minutes, so that no timeout helps.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { DoorLimits } from "../src/http/index.js";
import { AUTHORIZED, editor, listening, send, silence } from "./acp-listen-kit.js";
import { answerTo, head, newSession, say, serving, statusOf, TOKEN, turn } from "./aap-http-kit.js";
import { until } from "./until.js";

const FOREVER = { headTimeoutMs: 600_000, requestTimeoutMs: 600_000 };
const limits = (own: Partial<DoorLimits>) => ({ limits: { ...FOREVER, ...own } });

const SILENT = "";
const HALF_A_HEAD = "POST /sessions HTTP/1.1\r\nhost: localhost\r\nx-slow: ";

/** Sockets that are connected and have sent this, in the order in which the server took them. */
async function besiege(port: number, count: number, sent = SILENT, localAddress?: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ port, host: "127.0.0.1", ...(localAddress !== undefined && { localAddress }) });
    socket.on("error", () => undefined).resume();
    onTestFinished(() => void socket.destroy());
    sockets.push(socket);
    // In small groups, since the order within a group is not known.
    if (index % 50 === 49) await once(socket, "connect");
  }
  await Promise.all(sockets.filter(({ connecting }) => connecting).map((socket) => once(socket, "connect")));
  if (sent !== SILENT) for (const socket of sockets) socket.write(sent);
  return sockets;
}

const open = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => !closed).length;
const asked = (port: number, path: string) =>
  head(`GET ${path} HTTP/1.1`, { host: `127.0.0.1:${port}`, authorization: `Bearer ${TOKEN}` });

describe("toolgate serve", () => {
  test.each([
    ["silent sockets", SILENT],
    ["slow heads", HALF_A_HEAD],
  ])("serves a client at once among hundreds of %s", async (_, sent) => {
    const { url, port } = await serving(undefined, limits({ sockets: 200, socketsWithoutToken: 200 }));
    const sockets = await besiege(port, 400, sent);
    const sessionId = await newSession(url);
    expect((await turn(url, sessionId, say("Hi"))).status).toBe(200);
    await until(() => open(sockets) <= 200);
    // The oldest were closed, and no more than needed.
    expect(open(sockets)).toBeGreaterThan(150);
    expect(open(sockets.slice(0, 150))).toBe(0);
  });

  test("serves a client at once with its limits as they are, and more sockets than those", async () => {
    const { url, port } = await serving(undefined, limits({}));
    await besiege(port, 2_300);
    expect((await send(url, { path: "/sessions" })).status).toBe(200);
  });

  test("keeps the sockets that have shown the token, whatever comes after them", async () => {
    const { port } = await serving(undefined, limits({ sockets: 20, socketsWithoutToken: 20 }));
    const [ours] = await besiege(port, 1);
    ours?.write(asked(port, "/sessions"));
    await once(ours as Socket, "data");
    await besiege(port, 200);
    expect(ours?.closed).toBe(false);
    ours?.write(asked(port, "/sessions"));
    await once(ours as Socket, "data");
  });

  test("serves a client while others of its address send too many requests without the token", async () => {
    const { url } = await serving(undefined, limits({ requestsPerSecond: 20 }));
    const others = await Promise.all(
      Array.from({ length: 100 }, () => fetch(`${url}/meta`).then(({ status }) => status)),
    );
    expect(others).toContain(429);
    expect((await send(url, { path: "/sessions" })).status).toBe(200);
  });

  test("closes a socket that sends too many health checks at once", async () => {
    const { port, url } = await serving(undefined, limits({ requestsPerSecond: 20 }));
    const [socket] = await besiege(port, 1);
    let text = "";
    socket?.on("data", (bytes: Buffer) => (text += bytes.toString()));
    socket?.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`.repeat(500));
    await until(() => socket?.closed === true);
    expect(text.match(/HTTP\/1\.1 \d+/g)?.length ?? 0).toBeLessThan(100);
    expect((await send(url, { path: "/sessions" })).status).toBe(200);
  });

  test.each([
    ["without the token", "/nothing", 401, ""],
    ["with it", "/nothing", undefined, `authorization: Bearer ${TOKEN}\r\n`],
    ["for the health", "/healthz", undefined, ""],
  ])(
    "looks at no more than some requests of many in one piece: %s",
    async (_, path, status, authorization) => {
      const { port, url } = await serving(undefined, limits({ requestsPerSecond: 1_000_000 }));
      const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${authorization}\r\n`;
      const before = process.cpuUsage();
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => answerTo(port, request.repeat(1_500))),
      );
      const { user, system } = process.cpuUsage(before);
      if (status !== undefined) expect(answers.map(statusOf)).toEqual(answers.map(() => status));
      // Each of the 300,000 requests takes some microseconds when it is parsed, and ten times as many when it is ended.
      expect((user + system) / 1_000).toBeLessThan(2_000);
      expect((await send(url, { path: "/sessions" })).status).toBe(200);
    },
  );

  test("closes only sockets of the address that has too many", async () => {
    const { port, url } = await serving(undefined, limits({ sockets: 1_000, socketsWithoutToken: 10 }));
    const others = await besiege(port, 5, SILENT, "127.0.0.2");
    const sockets = await besiege(port, 40);
    await until(() => open(sockets) === 10);
    expect(open(others)).toBe(5);
    expect((await send(url, { path: "/sessions" })).status).toBe(200);
  });

  test("takes no more sockets while all have shown the token, and takes them when there is room", async () => {
    const { port, url } = await serving(undefined, limits({ sockets: 2 }));
    const ours = await besiege(port, 2);
    for (const socket of ours) {
      socket.write(asked(port, "/sessions"));
      await once(socket, "data");
    }
    await expect(send(url, { path: "/sessions" })).rejects.toThrow(/./);
    for (const socket of ours) socket.destroy();
    await until(async () => (await send(url, { path: "/sessions" }).catch(() => undefined))?.status === 200);
  });

  test("serves a client at once among handshakes that never end", async () => {
    const pem = (name: string) =>
      readFile(new URL(`fixtures/listen-tls.${name}.pem`, import.meta.url), "utf8");
    const tls = { cert: await pem("cert"), key: await pem("key") };
    const { port, url } = await serving(undefined, {
      tls,
      ...limits({ sockets: 50, socketsWithoutToken: 50 }),
    });
    await besiege(port, 100, "\u0016\u0003\u0001");
    expect((await send(url, { path: "/sessions" })).status).toBe(200);
  });

  test("closes a head that comes a letter at a time when its time is over", async () => {
    const { port } = await serving(undefined, { limits: { headTimeoutMs: 300 } });
    const [slow] = await besiege(port, 1, HALF_A_HEAD);
    const drip = setInterval(() => void slow?.write("x"), 20);
    onTestFinished(() => clearInterval(drip));
    await until(() => slow?.closed === true);
    expect(slow?.closed).toBe(true);
  });
});

describe("toolgate acp --listen", () => {
  test.each(["HTTP", "WebSocket"] as const)(
    "takes a client over %s at once among hundreds of silent sockets, and keeps it",
    async (transport) => {
      const { url } = await listening([{ say: "Hello." }], {
        limits: { sockets: 100, socketsWithoutToken: 100 },
      });
      const port = Number(new URL(url).port);
      await besiege(port, 300, HALF_A_HEAD);
      const { agent } = await editor(transport, url, silence);
      await besiege(port, 300);
      const { sessionId } = await agent.request("session/new", { cwd: process.cwd(), mcpServers: [] });
      expect(sessionId).toMatch(/./);
    },
  );

  test("keeps an idle WebSocket that has shown the token", async () => {
    const { url } = await listening([{ say: "Hello." }], {
      limits: { sockets: 50, socketsWithoutToken: 50 },
    });
    const socket = new WebSocket(url.replace("http", "ws"), { headers: AUTHORIZED });
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    await besiege(Number(new URL(url).port), 200);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.ping();
    await once(socket, "pong");
  });
});
