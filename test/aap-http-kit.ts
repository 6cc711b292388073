/** Shared by the journeys of `serveAap`: a server of it on a real port, and bytes as anyone may write them. */
import { connect } from "node:net";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import { serveAap } from "../src/aap/index.js";
import type { ServeOptions, Serving } from "../src/aap/index.js";
import type { AgentOptions } from "../src/agent/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { AUTHORIZED, send, TOKEN } from "./acp-listen-kit.js";
import { scripted, workspace } from "./agent-kit.js";

export { AUTHORIZED, send, TOKEN };

export type Served = Serving & {
  readonly port: number;
  readonly ledger: NonNullable<ServeOptions["ledger"]>;
};

export async function serving(
  steps: readonly ScriptStep[] = [{ say: "Hello." }],
  options: Partial<ServeOptions> = {},
  agent: Partial<AgentOptions> = {},
): Promise<Served> {
  const { ledger = new MemoryLedger(), workspace: place = await workspace() } = options;
  const served = await serveAap(scripted(steps, agent), {
    port: 0,
    token: TOKEN,
    ledger,
    workspace: place,
    ...options,
  });
  onTestFinished(() => served.close());
  return { ...served, ledger, port: Number(new URL(served.url).port) };
}

export const say = (content: string, stream: "delta" | "message" | "none" = "none") => ({
  stream,
  messages: [{ role: "user", content }],
});

export async function newSession(url: string, tools: readonly object[] = []): Promise<string> {
  const made = await send(url, {
    method: "POST",
    path: "/sessions",
    body: { agent: { name: "tester", tools } },
  });
  return String(JSON.parse(made.text).sessionId);
}

export const turn = (url: string, sessionId: string, body: object) =>
  send(url, { method: "POST", path: `/sessions/${sessionId}/turns`, body });

/** A socket to the server, closed when the test is over. */
export function socketTo(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** All that comes back to these bytes until the server ends the connection. */
export function answerTo(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = socketTo(port);
  for (const part of parts) socket.write(part);
  return readToEnd(socket);
}

export function readToEnd(socket: Socket): Promise<string> {
  if (socket.destroyed) return Promise.resolve("");
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => void (text += part));
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);

export const head = (line: string, headers: Readonly<Record<string, string>>): string =>
  `${[line, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\r\n")}\r\n\r\n`;
