/** `toolgate acp --listen`: foreign clients, the ACP SDK's own, over real sockets, and hostile ones. */
import { readdirSync, readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { SessionBook } from "../src/call/index.js";
import type { Ledger } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import {
  AUTHORIZED,
  choose,
  deafOverHttp,
  deafOverWebSocket,
  editor,
  HELLO,
  helloStatus,
  listening,
  send,
  silence,
  TOKEN,
  until101,
  upgradeStatus,
} from "./acp-listen-kit.js";
import type { Sending, Transport } from "./acp-listen-kit.js";
import { folder } from "./agent-kit.js";
import { runHere } from "./run-here.js";
import { filesIn, startServing } from "./start-serving.js";
import { until } from "./until.js";

const { session } = acp.methods.agent;

const prompt = (sessionId: string) => ({ sessionId, prompt: [{ type: "text" as const, text: "go" }] });

/** Each word and each step of a call. */
function summaryOf(updates: readonly acp.SessionUpdate[]): string[] {
  return updates.flatMap((update) => {
    if (update.sessionUpdate === "tool_call") return "announced";
    if (update.sessionUpdate === "tool_call_update") return update.status ?? [];
    if (update.sessionUpdate !== "agent_message_chunk") return [];
    return update.content.type === "text" ? update.content.text : [];
  });
}

const RUNS_ONCE: readonly ScriptStep[] = [
  { say: "Now.", calls: [{ tool: "terminal", input: { command: "echo ran >> log.txt" } }] },
  { say: "Done." },
];

const runs = async (cwd: string): Promise<string> => readFile(join(cwd, "log.txt"), "utf8").catch(() => "");

/** As they are recorded. */
async function callStatuses(ledger: Ledger, sessionId: string): Promise<string[]> {
  const events = (await ledger.read(sessionId)).map(({ event }) => event);
  return [...new SessionBook(sessionId, events).calls()].map(({ state }) => state.status);
}

test("routes the answers of a client that does not name the session of a response, with two sessions open", async () => {
  const { url } = await listening([...RUNS_ONCE, ...RUNS_ONCE]);
  const { agent } = await editor("HTTP without session headers", url, choose("allow_once"));
  const folders = await Promise.all([folder(), folder()]);
  const ends = folders.map(async (cwd) => {
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    return agent.request(session.prompt, prompt(sessionId));
  });
  expect(await Promise.all(ends)).toEqual([{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
  expect(await Promise.all(folders.map(runs))).toEqual(["ran\n", "ran\n"]);
});

describe.each<Transport>(["HTTP", "WebSocket"])("an editor over %s", (transport) => {
  test("asks an editor that prompts, takes its answer, and sends it every step before the turn's response", async () => {
    const { url } = await listening(RUNS_ONCE);
    const cwd = await folder();
    const { agent, updates, questions } = await editor(transport, url, choose("allow_once"));
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    expect(await agent.request(session.prompt, prompt(sessionId))).toEqual({ stopReason: "end_turn" });
    expect(summaryOf(updates)).toEqual(["Now.", "announced", "in_progress", "completed", "Done."]);
    expect(questions).toMatchObject([{ sessionId, toolCall: { title: "Run echo ran >> log.txt" } }]);
    expect(await runs(cwd)).toBe("ran\n");
  });

  test("cancels a turn while an editor is asked: the response says so, and nothing ran", async () => {
    const { url } = await listening(RUNS_ONCE);
    const cwd = await folder();
    const { agent, questions } = await editor(transport, url, silence);
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    const response = agent.request(session.prompt, prompt(sessionId));
    await until(() => questions.length > 0);
    await agent.notify(session.cancel, { sessionId });
    expect(await response).toEqual({ stopReason: "cancelled" });
    expect(await runs(cwd)).toBe("");
  });

  test("lets an editor watch the session of another, answer its question, and see the turn to its end", async () => {
    const { url } = await listening(RUNS_ONCE);
    const cwd = await folder();
    const first = await editor(transport, url, silence);
    const { sessionId } = await first.agent.request(session.new, { cwd, mcpServers: [] });
    const response = first.agent.request(session.prompt, prompt(sessionId));
    await until(() => first.questions.length > 0);
    const second = await editor(transport, url, choose("allow_once"));
    await second.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
    expect(await response).toEqual({ stopReason: "end_turn" });
    expect(second.questions).toHaveLength(1);
    await until(() => summaryOf(second.updates).at(-1) === "Done.");
    expect(await runs(cwd)).toBe("ran\n");
  });

  test("runs nothing when an editor leaves in the middle of a question, and asks the next one", async () => {
    const { url, closeHost } = await listening(RUNS_ONCE, { limits: { absenceTimeoutMs: 1_000 } });
    const cwd = await folder();
    const first = await editor(transport, url, silence);
    const { sessionId } = await first.agent.request(session.new, { cwd, mcpServers: [] });
    first.agent.request(session.prompt, prompt(sessionId)).catch(() => undefined);
    await until(() => first.questions.length > 0);
    first.vanish();
    expect(await runs(cwd)).toBe("");
    const second = await editor(transport, url, choose("allow_once"));
    await second.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
    await until(async () => (await runs(cwd)) !== "");
    expect(second.questions).toHaveLength(1);
    expect(closeHost).not.toHaveBeenCalled();
  });

  test("ends a running command before the server is closed", async () => {
    const { url, close, ledger } = await listening([
      { calls: [{ tool: "terminal", input: { command: "echo ran >> log.txt; sleep 60" } }] },
      { say: "Done." },
    ]);
    const cwd = await folder();
    const { agent } = await editor(transport, url, choose("allow_once"));
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    const response = agent.request(session.prompt, prompt(sessionId));
    response.catch(() => undefined);
    await until(async () => (await runs(cwd)) !== "");
    await close();
    expect(await callStatuses(ledger, sessionId)).toEqual(["cancelled"]);
    await expect(response).rejects.toThrow(/./);
  });

  test("drops an editor that never reads, and bounds what is kept for it", async () => {
    const said = "x".repeat(2 * MEGABYTE);
    const { url } = await listening([{ say: said }], {
      limits: {
        connections: 1,
        absenceTimeoutMs: 500,
        unreadBytes: 4 * MEGABYTE,
        stallTimeoutMs: 500,
        heartbeatMs: 500,
      },
    });
    const cwd = await folder();
    const first = await editor(transport, url, silence);
    const { sessionId } = await first.agent.request(session.new, { cwd, mcpServers: [] });
    await first.agent.request(session.prompt, prompt(sessionId));
    await first.agent.request(session.close, { sessionId });
    first.vanish();

    let most = 0;
    const before = memory();
    const load = { method: "session/load", params: { sessionId, cwd, mcpServers: [] } };
    // 400 MB, if it were all kept.
    const deaf = transport === "HTTP" ? await deafOverHttp(url, sessionId) : await deafOverWebSocket(url);
    for (let id = 1; id <= 200; id += 1) deaf({ jsonrpc: "2.0", id, ...load });
    await until(async () => {
      most = Math.max(most, memory() - before);
      return (await helloStatus(url)) === 200;
    });
    // A ledger on a server reads three of them at a time, each into memory of its own.
    expect(most).toBeLessThan((isOnServer ? 128 : 32) * MEGABYTE);
  });
});

const MEGABYTE = 1024 * 1024;

const isOnServer = process.env["TOOLGATE_TEST_LEDGER"] === "postgres";

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("two editors at once, over both transports, have their own sessions and hear only their own", async () => {
  const { url, closeHost } = await listening([...RUNS_ONCE, ...RUNS_ONCE]);
  const folders = [await folder(), await folder()];
  const transports: readonly Transport[] = ["HTTP", "WebSocket"];
  const editors = await Promise.all(
    transports.map((transport, index) =>
      editor(transport, url, choose(index === 0 ? "allow_once" : "reject_once")),
    ),
  );
  const sessions = await Promise.all(
    editors.map(({ agent }, index) => agent.request(session.new, { cwd: folders[index]!, mcpServers: [] })),
  );
  await Promise.all(
    editors.map(({ agent }, index) => agent.request(session.prompt, prompt(sessions[index]!.sessionId))),
  );
  expect(editors.map(({ questions }) => questions.map(({ sessionId }) => sessionId))).toEqual(
    sessions.map(({ sessionId }) => [sessionId]),
  );
  expect(await Promise.all(folders.map(runs))).toEqual(["ran\n", ""]);
  editors[0]!.vanish();
  const { sessionId } = await editors[1]!.agent.request(session.new, { cwd: folders[1]!, mcpServers: [] });
  expect(sessionId).toMatch(/^session_/);
  expect(closeHost).not.toHaveBeenCalled();
});

describe("clients without permission", () => {
  const json = { "content-type": "application/json" };

  test.each<[string, number, Sending]>([
    ["without a token", 401, { headers: json }],
    ["with a wrong token", 401, { headers: { ...json, Authorization: "Bearer wrong" } }],
    [
      "with the beginning of the token",
      401,
      { headers: { ...json, Authorization: `Bearer ${TOKEN.slice(0, -1)}` } },
    ],
    ["with the token as a password", 401, { headers: { ...json, Authorization: `Basic ${TOKEN}` } }],
    ["with the token in the address", 401, { headers: json, path: `/acp?token=${TOKEN}` }],
    ["by another name", 421, { headers: { ...AUTHORIZED, Host: "evil.example" } }],
    ["by a name that begins like ours", 421, { headers: { ...AUTHORIZED, Host: "127.0.0.1.evil.example" } }],
    ["from a page of another site", 403, { headers: { ...AUTHORIZED, Origin: "https://evil.example" } }],
    ["from a page of no site", 403, { headers: { ...AUTHORIZED, Origin: "null" } }],
    [
      "from a page whose site begins like an allowed one",
      403,
      { headers: { ...AUTHORIZED, Origin: "https://editor.example.evil.example" } },
    ],
    ["at another path", 404, { path: "/" }],
    ["at a path below ours", 404, { path: "/acp/x" }],
    ["with a method of its own", 405, { method: "PUT" }],
    ["with a compressed body", 415, { headers: { ...AUTHORIZED, "content-encoding": "gzip" } }],
    ["with a message that is too long", 413, { body: "x".repeat(70_000) }],
    ["with arrays in arrays in arrays", 400, { body: "[".repeat(20_000) + "]".repeat(20_000) }],
    [
      "for a connection that is not there",
      404,
      { headers: { ...AUTHORIZED, "acp-connection-id": "constructor" }, body: undefined, method: "DELETE" },
    ],
  ])("answers a request %s with %i", async (_, status, sending) => {
    const { url } = await listening(RUNS_ONCE, {
      allowedOrigins: ["https://editor.example"],
      limits: { messageBytes: 65_536 },
    });
    const sent = await send(url, { method: "POST", body: HELLO, ...sending });
    expect(sent.status).toBe(status);
    expect(sent.headers["access-control-allow-origin"]).toBeUndefined();
    expect(sent.text).not.toContain(TOKEN);
  });

  test("answers a request without a token before anything of the body was sent", async () => {
    const { url } = await listening(RUNS_ONCE);
    const head = [
      "POST /acp HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ];
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => void (text += part));
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    await new Promise((resolve) => socket.once("end", resolve));
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });

  test("answers a health check without a token", async () => {
    const { url } = await listening(RUNS_ONCE);
    expect(await send(url, { path: "/healthz", headers: {} })).toMatchObject({ status: 200, text: "ok\n" });
    expect((await send(url, { path: "/healthz", headers: { Host: "evil.example" } })).status).toBe(421);
  });

  test("turns a client away when all places are taken, and lets it in when one is free", async () => {
    const { url } = await listening(RUNS_ONCE, { limits: { connections: 1 } });
    const first = await send(url, { method: "POST", body: HELLO });
    expect(await helloStatus(url)).toBe(503);
    expect(await upgradeStatus(url, AUTHORIZED)).toBe(503);
    const connection = { "acp-connection-id": String(first.headers["acp-connection-id"]) };
    await send(url, { method: "DELETE", headers: { ...AUTHORIZED, ...connection } });
    await until(async () => (await helloStatus(url)) === 200);
  });
});

test("slows down and then drops an HTTP client that sends and never reads", async () => {
  const { url } = await listening(RUNS_ONCE, { limits: { unreadBytes: 1024, stallTimeoutMs: 1000 } });
  const cwd = await folder();
  const hello = await send(url, { method: "POST", body: HELLO });
  const headers = { ...AUTHORIZED, "acp-connection-id": String(hello.headers["acp-connection-id"]) };
  const ask = async (id: number) => {
    const body = { jsonrpc: "2.0", id, method: "session/new", params: { cwd, mcpServers: [] } };
    return (await send(url, { method: "POST", headers, body })).status;
  };
  // As long as there is room for the answers.
  expect(await ask(1)).toBe(202);
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(index + 2)));
  expect(statuses).toContain(429);
  await until(async () => (await ask(100)) === 404);
});

test("more requests at a time than one client may have are answered with an error", async () => {
  const { url } = await listening(RUNS_ONCE, { limits: { requests: 2 } });
  const cwd = await folder();
  const { agent, questions } = await editor("WebSocket", url, silence);
  const open = () => agent.request(session.new, { cwd, mcpServers: [] });
  const [first, second] = [await open(), await open()];
  const waiting = [first, second].map((one) => agent.request(session.prompt, prompt(one.sessionId)));
  await until(() => questions.length === 2);
  await expect(open()).rejects.toThrow("2 requests are under way. Nothing was done.");
  for (const one of [first, second]) await agent.notify(session.cancel, { sessionId: one.sessionId });
  expect(await Promise.all(waiting)).toEqual([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
});

describe("WebSocket connections", () => {
  test.each<[string, number, Record<string, string>, string[]?]>([
    ["without a token", 401, {}],
    ["with a wrong token", 401, { Authorization: "Bearer wrong" }],
    ["with a wrong token as a subprotocol", 401, {}, ["acp", "toolgate.bearer.wrong"]],
    ["by another name", 421, { ...AUTHORIZED, Host: "evil.example" }],
    ["from a page of another site", 403, { ...AUTHORIZED, Origin: "https://evil.example" }],
  ])("answers a WebSocket %s with %i", async (_, status, headers, protocols) => {
    const { url } = await listening(RUNS_ONCE);
    expect(await upgradeStatus(url, headers, protocols)).toBe(status);
  });

  test("refuses a WebSocket with the token in the address or at another path", async () => {
    const { url } = await listening(RUNS_ONCE);
    expect(await upgradeStatus(`${url}?token=${TOKEN}`, {})).toBe(401);
    expect(await upgradeStatus(`${url}/x`, AUTHORIZED)).toBe(404);
  });

  test("takes a browser's token as a subprotocol, and does not choose that one", async () => {
    const { url } = await listening(RUNS_ONCE, { allowedOrigins: ["https://editor.example"] });
    const origin = { Origin: "https://editor.example" };
    const socket = await until101(url, origin, [`toolgate.bearer.${TOKEN}`, "acp"]);
    expect(socket.protocol).toBe("acp");
    socket.send(JSON.stringify(HELLO));
    const [answer] = await new Promise<unknown[]>((resolve) =>
      socket.once("message", (...given) => resolve(given)),
    );
    expect(JSON.parse(String(answer))).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
  });

  test("closes a WebSocket that sends too much, or no valid message, and goes on with the others", async () => {
    const { url } = await listening(RUNS_ONCE, { limits: { messageBytes: 65_536 } });
    const codes = await Promise.all(
      ["x".repeat(70_000), JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/new" })].map(
        async (text) => {
          const socket = await until101(url, AUTHORIZED);
          socket.send(text);
          return new Promise((resolve) => socket.once("close", (code) => resolve(code)));
        },
      ),
    );
    expect(codes).toEqual([1009, 1002]);
    expect(await helloStatus(url)).toBe(200);
  });

  test("ends a WebSocket whose other end is silent", async () => {
    const { url } = await listening(RUNS_ONCE, { limits: { connections: 1, heartbeatMs: 50 } });
    (await until101(url, AUTHORIZED)).pause();
    await expect.poll(() => helloStatus(url), { timeout: 20_000 }).toBe(200);
  });

  test("keeps a WebSocket open whose other end answers pings but sends nothing", async () => {
    const { url } = await listening(RUNS_ONCE, { limits: { heartbeatMs: 400 } });
    const socket = await until101(url, AUTHORIZED);
    let pings = 0;
    socket.on("ping", () => void (pings += 1));
    await until(() => pings > 2);
    expect(socket.readyState).toBe(1);
  });
});

describe("pages of allowed sites", () => {
  test("lets a page of an allowed site connect, and read the allowed headers and its connection id", async () => {
    const { url } = await listening(RUNS_ONCE, { allowedOrigins: ["https://editor.example/"] });
    const origin = { Origin: "https://editor.example" };
    const first = await send(url, {
      method: "OPTIONS",
      headers: { ...origin, "Access-Control-Request-Method": "POST" },
    });
    expect(first.status).toBe(204);
    expect(first.headers).toMatchObject({
      "access-control-allow-origin": "https://editor.example",
      "access-control-allow-headers": expect.stringContaining("authorization"),
    });
    const hello = await send(url, { method: "POST", headers: { ...origin, ...AUTHORIZED }, body: HELLO });
    expect(hello.status).toBe(200);
    expect(hello.headers).toMatchObject({
      "access-control-allow-origin": "https://editor.example",
      "access-control-expose-headers": "acp-connection-id",
      "cache-control": "no-store",
    });
  });

  test.each(["editor.example", "https://editor.example/page", "*", "null"])(
    "refuses %s as an origin",
    async (origin) => {
      await expect(listening(RUNS_ONCE, { allowedOrigins: [origin] })).rejects.toMatchObject({
        code: "BAD_ORIGIN",
      });
    },
  );
});

describe("listening beyond this machine", () => {
  test("does not listen beyond this machine without TLS", async () => {
    const at = { host: "0.0.0.0", port: 0 };
    await expect(listening(RUNS_ONCE, { at })).rejects.toMatchObject({
      code: "NOT_GUARDED",
      message: expect.stringContaining("Nothing was started"),
    });
  });

  test("listens beyond this machine with TLS, under the names it was given", async () => {
    const pem = (name: string) =>
      readFile(new URL(`fixtures/listen-tls.${name}.pem`, import.meta.url), "utf8");
    const tls = { cert: await pem("cert"), key: await pem("key") };
    const at = { host: "0.0.0.0", port: 0 };
    const { url } = await listening(RUNS_ONCE, { at, tls, allowedHosts: ["Agent.Example"] });
    expect(url).toMatch(/^https:\/\/0\.0\.0\.0:\d+\/acp$/);
    const hello = (host: string) =>
      send(url.replace("0.0.0.0", "127.0.0.1"), {
        method: "POST",
        body: HELLO,
        headers: { ...AUTHORIZED, Host: host },
      });
    expect((await hello("agent.example:443")).status).toBe(200);
    expect((await hello("192.0.2.1")).status).toBe(200);
    expect((await hello("evil.example")).status).toBe(421);
  });
});

const command = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startServing(cwd, ["acp", ...args], { env });

const commandFolder = (steps: readonly ScriptStep[] = RUNS_ONCE) =>
  folder({ "script.json": JSON.stringify({ steps }) });

describe("the command that listens", () => {
  test("makes a token that only its owner can read, shows it once, and keeps it", async () => {
    const cwd = await commandFolder();
    const first = await command(cwd, ["--listen", "0"]);
    const file = join(cwd, "settings", "token");
    const token = (await readFile(file, "utf8")).trim();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/acp$/);
    const hello = (bearer: string) => ({
      method: "POST",
      body: HELLO,
      headers: { Authorization: `Bearer ${bearer}` },
    });
    expect((await send(first.url, hello("wrong"))).status).toBe(401);
    expect((await send(first.url, hello(token))).status).toBe(200);
    expect(await first.stop()).toBe(0);
    const second = await command(cwd, ["--listen", "localhost:0"]);
    expect((await send(second.url, hello(token))).status).toBe(200);
    expect(await second.stop()).toBe(0);
    expect(first.output.stderr.split(token)).toHaveLength(2);
    expect([first.output.stdout, second.output.stdout, second.output.stderr].join("")).not.toContain(token);
  });

  test.each<[string, number, RegExp, readonly string[]]>([
    ["an address that others reach", 1, /Others could reach 0\.0\.0\.0/, ["--listen", "0.0.0.0:0"]],
    ["a certificate without its key", 1, /belong together/, ["--listen", "0", "--tls-cert", "x.pem"]],
    ["what is no address", 2, /Expected a port, or a host and a port/, ["--listen", "here"]],
    ["an IPv6 address without brackets", 2, /Expected a port, or a host/, ["--listen", "::1:4321"]],
    ["a port that cannot be", 2, /from 0 to 65535/, ["--listen", "localhost:65536"]],
  ])("does not listen for %s", async (_, code, words, args) => {
    const cwd = await commandFolder();
    const env = { ...process.env, TOOLGATE_CONFIG: join(cwd, "settings"), TOOLGATE_TOKEN: TOKEN };
    const { status, stdout, stderr } = await runHere(["acp", ...filesIn(cwd), ...args], { cwd, env });
    expect(status).toBe(code);
    expect(stderr).toMatch(words);
    expect(stdout).toBe("");
  });

  test("ends a running command, closes its call and exits when stopped", async () => {
    const cwd = await commandFolder([
      { calls: [{ tool: "terminal", input: { command: "echo $$ > pid; sleep 60" } }] },
      { say: "x" },
    ]);
    const { url, output, stop } = await command(cwd, ["--listen", "0"], { TOOLGATE_TOKEN: TOKEN });
    const { agent } = await editor("WebSocket", url, choose("allow_once"));
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    agent.request(session.prompt, prompt(sessionId)).catch(() => undefined);
    const pid = async () => Number(await readFile(join(cwd, "pid"), "utf8").catch(() => "0"));
    await until(async () => (await pid()) > 0);
    expect(await stop()).toBe(0);
    expect(output.stdout + output.stderr).not.toContain(TOKEN);
    expect(livingInGroup(await pid())).toEqual([]);
    const ledger = await openLedger(join(cwd, "ledger.sqlite"));
    expect(await callStatuses(ledger, sessionId)).toEqual(["cancelled"]);
    await ledger.close();
  });
});

/** Processes of a group that are more than a name waiting to be taken note of. */
function livingInGroup(group: number): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const [state, , of] = statOf(name);
    return Number(of) === group && state !== "Z";
  });
}

function statOf(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    // The process has ended meanwhile.
    return [];
  }
}
