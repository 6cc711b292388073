/** Readers that are slow, a shutdown with much still to be delivered, a signal in the middle of a call: real processes, real sockets. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AapClient, SseParser } from "../src/aap/client/index.js";
import type { SseFrame } from "../src/aap/client/index.js";
import { readAll as readAllEvents } from "../src/call/index.js";
import type { SessionEvent } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";
import { isAlive } from "./is-alive.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

const TOKEN = "a-token-that-nobody-guesses";

/** So much takes its time where others are at work. */
const MINUTES = 120_000;

const isLong = process.env["TOOLGATE_LONG"] !== undefined;
/** More than any socket or pipe holds. */
const [AGENT_MB, SERVER_MB] = isLong ? [20, 50] : [12, 16];

/** A text of that many megabytes, in words that tell which they are. */
const long = (megabytes: number): string =>
  Array.from({ length: megabytes * 100 }, (_, index) => `${index}${"x".repeat(9_990)}`).join(" ");

type Started = {
  readonly child: ChildProcess;
  readonly cwd: string;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly events: () => Promise<readonly SessionEvent[]>;
};

async function start(
  command: readonly string[],
  steps: readonly ScriptStep[],
  stdin: "ignore" | "pipe" = "ignore",
): Promise<Started> {
  const cwd = await folder({ "script.json": JSON.stringify({ steps }) });
  const ledger = join(cwd, "ledger.sqlite");
  const [name = "", ...rest] = command;
  const words = [
    name,
    "--script",
    join(cwd, "script.json"),
    "--ledger",
    ledger,
    "--mode",
    "allow-all",
    ...rest,
  ];
  const env = {
    ...process.env,
    HOME: cwd,
    XDG_CONFIG_HOME: cwd,
    XDG_STATE_HOME: cwd,
    TOOLGATE_TOKEN: TOKEN,
  };
  const child = spawn(process.execPath, [main, ...words], { cwd, env, stdio: [stdin, "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  const events = async () => {
    const opened = await openLedger(ledger, { readOnly: true });
    const [session] = await opened.sessions();
    const recorded = session ? await readAllEvents(opened, session.sessionId) : [];
    await opened.close();
    return recorded.map(({ event }) => event);
  };
  return { child, cwd, exit, events };
}

/** `toolgate serve`, and a client of ours for it. */
async function serve(steps: readonly ScriptStep[]) {
  const started = await start(["serve", "--port", "0"], steps);
  const [line]: string[] = await once(createInterface(started.child.stdout!), "line");
  const [baseUrl = ""] = /http:\S+/.exec(line ?? "") ?? [];
  return { ...started, baseUrl, client: new AapClient({ baseUrl, apiKey: TOKEN }) };
}

const SESSION = { agent: { name: "toolgate" } } as const;
const say = (text: string) => ({ messages: [{ role: "user", content: text }], stream: "delta" }) as const;

/** A turn of which nothing is read before somebody does. */
async function unreadTurn(baseUrl: string, sessionId: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const asked = request(`${baseUrl}/sessions/${sessionId}/turns`, { method: "POST", headers });
  asked.end(JSON.stringify(say("go")));
  const [response]: IncomingMessage[] = await once(asked, "response");
  return response!;
}

/** A little at a time, with what else happens in between. */
async function readSlowly(response: IncomingMessage): Promise<{ frames: SseFrame[]; isWhole: boolean }> {
  const frames: SseFrame[] = [];
  const parser = new SseParser();
  try {
    for await (const chunk of response) {
      frames.push(...parser.push(String(chunk)));
      await new Promise(setImmediate);
    }
  } catch {
    // Cut, as `complete` says.
  }
  return { frames, isWhole: response.complete };
}

const textOf = (frames: readonly SseFrame[]): string =>
  frames.flatMap(({ event, data }) => (event === "text_delta" ? [JSON.parse(data).delta] : [])).join("");

type Message = {
  readonly id?: number;
  readonly result?: { readonly sessionId?: string; readonly stopReason?: string };
  readonly params?: { readonly update?: { readonly content?: { readonly text?: string } } };
};

/** `toolgate acp` with a prompt under way, of which nothing more is read before somebody does. */
async function unreadPrompt(steps: readonly ScriptStep[]) {
  const started = await start(["acp"], steps, "pipe");
  const { stdin, stdout } = started.child;
  if (!stdin || !stdout) throw new Error("The agent has no pipes.");
  const ask = (id: number, method: string, params: object) =>
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const lines = linesOf(stdout);
  const read = async (): Promise<Message> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("The agent has gone, and the prompt has no answer.");
    return JSON.parse(value) as Message;
  };
  const answerTo = async (id: number): Promise<Message> => {
    for (;;) {
      const message = await read();
      if (message.id === id) return message;
    }
  };
  ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  await answerTo(1);
  ask(2, "session/new", { cwd: started.cwd, mcpServers: [] });
  const { result } = await answerTo(2);
  ask(3, "session/prompt", { sessionId: result?.sessionId, prompt: [{ type: "text", text: "go" }] });
  /** All that comes until the prompt is answered or nothing comes any more. */
  const readAll = async () => {
    const texts: string[] = [];
    for (;;) {
      const message = await read();
      if (message.id === 3) return { text: texts.join(""), stopReason: message.result?.stopReason };
      texts.push(message.params?.update?.content?.text ?? "");
    }
  };
  return { ...started, readAll };
}

/** Only as much is read as is asked for. */
async function* linesOf(stream: Readable): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    const [first = "", ...others] = String(chunk).split("\n");
    rest += first;
    for (const other of others) {
      yield rest;
      rest = other;
    }
  }
  return undefined;
}

describe("slow readers", () => {
  test("sends a slow reader everything in order, and lets nobody else wait for it", async () => {
    const { baseUrl, client } = await serve([{ say: long(8) }]);
    const [{ sessionId: slow }, { sessionId: other }] = [
      await client.createSession(SESSION),
      await client.createSession(SESSION),
    ];
    const response = await unreadTurn(baseUrl, slow);
    // More waits for the slow one than any socket holds, and the other's turn comes to its end.
    expect(await client.turn(other, say("go"))).toMatchObject({ stopReason: "end_turn" });
    const { frames, isWhole } = await readSlowly(response);
    expect(isWhole).toBe(true);
    expect(textOf(frames) === long(8)).toBe(true);
    expect([frames[0]?.event, frames.at(-1)?.event]).toEqual(["turn_start", "turn_stop"]);
  });

  test("writes every line of --json to a pipe that is read late", async () => {
    const { child, exit, events } = await start(["run", "--json", "go"], [{ say: long(8) }]);
    const lines: { type: string; block?: { text: string } }[] = [];
    const isOver = async () => expect((await events()).at(-1)).toMatchObject({ type: "turn-stopped" });
    await vi.waitFor(isOver, { timeout: 120_000, interval: 200 });
    for await (const line of createInterface(child.stdout!)) {
      lines.push(JSON.parse(line));
      await new Promise(setImmediate);
    }
    expect(await exit).toEqual({ code: 0, signal: null });
    const said = lines.filter(({ type }) => type === "message-chunk").map(({ block }) => block?.text);
    expect(said.join("") === `go${long(8)}`).toBe(true);
    expect(lines.at(-1)).toMatchObject({ type: "turn-stopped", stopReason: "end_turn" });
  });
});

test("an editor that reads late gets every update in order", async () => {
  const { readAll, events } = await unreadPrompt([{ say: long(8) }]);
  const isOver = async () => expect((await events()).at(-1)).toMatchObject({ type: "turn-stopped" });
  await vi.waitFor(isOver, { timeout: 120_000, interval: 200 });
  const { text, stopReason } = await readAll();
  expect(stopReason).toBe("end_turn");
  expect(text === long(8)).toBe(true);
});

test(
  "sends all unread output before an agent exits on a signal",
  async () => {
    const { readAll, events, child, exit } = await unreadPrompt([{ say: long(AGENT_MB) }]);
    const isOver = async () => expect((await events()).at(-1)).toMatchObject({ type: "turn-stopped" });
    await vi.waitFor(isOver, { timeout: 120_000, interval: 200 });
    child.kill("SIGTERM");
    const { text, stopReason } = await readAll();
    expect(stopReason).toBe("end_turn");
    expect(text === long(AGENT_MB)).toBe(true);
    await exit;
  },
  MINUTES,
);

test(
  `sends all of ${SERVER_MB} MB unread when a server stops, or lets the reader know that it did not`,
  async () => {
    const { baseUrl, client, child, exit } = await serve([{ say: long(SERVER_MB) }]);
    const { sessionId } = await client.createSession(SESSION);
    const response = await unreadTurn(baseUrl, sessionId);
    await vi.waitFor(async () => expect(await client.history(sessionId)).toHaveLength(2), {
      timeout: 120_000,
      interval: 100,
    });
    child.kill("SIGTERM");
    const { frames, isWhole } = await readSlowly(response);
    const last = frames.at(-1)?.event;
    expect(isWhole ? last === "turn_stop" && textOf(frames) === long(SERVER_MB) : last !== "turn_stop").toBe(
      true,
    );
    await exit;
  },
  MINUTES,
);

describe("SIGTERM during a running tool", () => {
  // Both of them: what the shell started must go as well.
  const busy = {
    tool: "terminal",
    input: { command: "sleep 1000 & echo $! >> pids; echo $$ >> pids; wait" },
  };
  const pidsIn = (cwd: string) =>
    vi.waitFor(() => {
      const pids = readFileSync(join(cwd, "pids"), "utf8").trim().split("\n").map(Number);
      expect(pids).toHaveLength(2);
      return pids;
    }, 120_000);

  /** Signals the process to end while the tool runs, and returns the outcome. */
  async function outcomeOf({ child, cwd, exit, events }: Started) {
    const pids = await pidsIn(cwd);
    const began = performance.now();
    child.kill("SIGTERM");
    const end = await exit;
    const inTime = performance.now() - began < TEN_TIMES_MS;
    const recorded = await events();
    const cancelled = recorded.filter(({ type }) => type === "call-cancelled").length;
    return { ...end, inTime, cancelled, left: pids.filter(isAlive), last: recorded.at(-1) };
  }

  /** Five seconds are promised. */
  const TEN_TIMES_MS = 50_000;

  const ENDED = {
    code: 143,
    inTime: true,
    cancelled: 1,
    left: [],
    last: { type: "turn-stopped", stopReason: "cancelled" },
  };

  test("run", async () => {
    const started = await start(["run", "go"], [{ calls: [busy] }, { say: "Never." }]);
    expect(await outcomeOf(started)).toMatchObject(ENDED);
  });

  test("acp", async () => {
    const agent = await unreadPrompt([{ calls: [busy] }, { say: "Never." }]);
    agent.child.stdout?.resume();
    // The editor's agent is gone, and nobody has cancelled the turn.
    expect(await outcomeOf(agent)).toMatchObject({ ...ENDED, last: { type: "turn-parked" } });
  });

  test("serve", async () => {
    const server = await serve([{ calls: [busy] }, { say: "Never." }]);
    const { client } = server;
    const { sessionId } = await client.createSession({
      agent: { name: "toolgate", tools: [{ name: "terminal" }] },
    });
    expect(await client.turn(sessionId, say("go"))).toMatchObject({ stopReason: "tool_use" });
    const granted = { role: "tool_permission", toolCallId: "call_1", granted: true } as const;
    const turn = client.turn(sessionId, { messages: [granted], stream: "delta" }).catch(() => undefined);
    expect(await outcomeOf(server)).toMatchObject(ENDED);
    await turn;
  });
});
