/** Shared by the journeys of a listening agent: the agent, the SDK's clients, and requests as anyone may write them. */
import { request } from "node:http";
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request as secureRequest } from "node:https";
import * as acp from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { onTestFinished, vi } from "vitest";
import type { Mock } from "vitest";
import { WebSocket } from "ws";
import { agentHost } from "../src/acp/index.js";
import { listenAcp } from "../src/acp/agent/listen-acp.js";
import type { ListenOptions } from "../src/acp/agent/listen-acp.js";
import type { Listening } from "../src/acp/connection/open-wire-server.js";
import { MemoryLedger } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { scripted } from "./agent-kit.js";

export const TOKEN = "a-token-that-nobody-guesses";
export const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };
type Served = Listening & { readonly closeHost: Mock<() => void>; readonly ledger: MemoryLedger };

export async function listening(
  steps: readonly ScriptStep[],
  options: Partial<ListenOptions> = {},
): Promise<Served> {
  const closeHost = vi.fn<() => void>();
  const ledger = new MemoryLedger();
  const host = agentHost({
    agent: scripted(steps),
    ledger,
    openWorkspace: (cwd) => LocalWorkspace.open(cwd),
    close: async () => closeHost(),
  });
  const at = { host: "127.0.0.1", port: 0 };
  const served = await listenAcp({ name: "tester", version: "1", host, at, token: TOKEN, ...options });
  onTestFinished(() => served.close());
  return { ...served, closeHost, ledger };
}

export type Transport = "HTTP" | "HTTP without session headers" | "WebSocket";
type Answer = (asked: acp.RequestPermissionRequest) => Promise<acp.RequestPermissionResponse>;

export const choose =
  (kind: string): Answer =>
  async ({ options }) => ({
    outcome: {
      outcome: "selected",
      optionId: options.find((option) => option.kind === kind)?.optionId ?? "",
    },
  });
export const silence: Answer = () => new Promise(() => undefined);

/** A client that has said hello. `vanish` is what a crash or a pulled cable does: nothing is said any more. */
export async function editor(transport: Transport, url: string, answer: Answer) {
  const { stream, vanish } =
    transport === "WebSocket" ? webSocketStream(url) : httpStream(url, transport === "HTTP");
  const updates: acp.SessionUpdate[] = [];
  const questions: acp.RequestPermissionRequest[] = [];
  const { agent } = acp
    .client({ name: "an editor" })
    .onNotification(acp.methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      return answer(params);
    })
    .connect(stream);
  onTestFinished(vanish);
  await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION });
  return { agent, updates, questions, vanish };
}

/** `namesSessions`: whether a response to the agent names its session in a header, which the Python SDK's do not. */
function httpStream(url: string, namesSessions: boolean) {
  const gone = new AbortController();
  const stream = createHttpStream(url, {
    headers: AUTHORIZED,
    fetch: (input, init) => {
      const signals = [gone.signal, ...(init?.signal ? [init.signal] : [])];
      const headers = new Headers(init?.headers);
      const isResponse = typeof init?.body === "string" && !init.body.includes('"method":');
      if (isResponse && !namesSessions) headers.delete("acp-session-id");
      return fetch(input, { ...init, headers, signal: AbortSignal.any(signals) });
    },
  });
  return { stream, vanish: () => gone.abort() };
}

function webSocketStream(url: string) {
  const sockets: WebSocket[] = [];
  class Kept extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      sockets.push(this);
    }
  }
  const stream = createWebSocketStream(url.replace("http", "ws"), { headers: AUTHORIZED, WebSocket: Kept });
  return { stream, vanish: () => sockets.forEach((socket) => socket.terminate()) };
}

/** They talk and do not listen: what is sent to them stays on its way. */
type Deaf = (message: object) => void;

export const HELLO = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } };

export async function deafOverWebSocket(url: string): Promise<Deaf> {
  const socket = await until101(url, AUTHORIZED);
  socket.send(JSON.stringify(HELLO));
  await new Promise((resolve) => socket.once("message", resolve));
  socket.pause();
  return (message) => socket.send(JSON.stringify(message));
}

export async function deafOverHttp(url: string, sessionId: string): Promise<Deaf> {
  let hello = await send(url, { method: "POST", body: HELLO });
  while (hello.status === 503) hello = await send(url, { method: "POST", body: HELLO });
  const connection = { ...AUTHORIZED, "acp-connection-id": String(hello.headers["acp-connection-id"]) };
  const listen = (headers: OutgoingHttpHeaders): Promise<void> => {
    const asked = request(url, { headers: { ...connection, ...headers, accept: "text/event-stream" } });
    onTestFinished(() => void asked.destroy());
    asked.on("error", () => undefined).end();
    return new Promise((resolve) => {
      asked.on("response", (response) => {
        response.pause();
        resolve();
      });
    });
  };
  await Promise.all([listen({}), listen({ "acp-session-id": sessionId })]);
  return (message) => {
    const headers = { ...connection, "acp-session-id": sessionId };
    send(url, { method: "POST", body: message, headers }).catch(() => undefined);
  };
}

type Sent = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
};

export type Sending = {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: object | string | undefined;
  readonly path?: string;
};

/** A request as it is written, with the token unless other headers are given. */
export function send(
  url: string,
  { method = "GET", headers = AUTHORIZED, body, path }: Sending,
): Promise<Sent> {
  const target = new URL(path ?? "/acp", url);
  const ask = target.protocol === "https:" ? secureRequest : request;
  const content = body === undefined ? {} : { "content-type": "application/json" };
  return answered(
    ask(target, { method, headers: { ...content, ...headers }, rejectUnauthorized: false }),
    typeof body === "string" ? body : body && JSON.stringify(body),
  );
}

function answered(asked: ClientRequest, body?: string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => void (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      response.on("error", reject);
    });
    asked.end(body);
  });
}

export const helloStatus = async (url: string): Promise<number> =>
  (await send(url, { method: "POST", body: HELLO })).status;

/** Opens a WebSocket, once the server has room for it. */
export async function until101(
  url: string,
  headers: Record<string, string>,
  protocols?: string[],
): Promise<WebSocket> {
  for (;;) {
    const status = await upgradeStatus(url, headers, protocols);
    if (typeof status === "object") return status;
    if (status !== 503) throw new Error(`the upgrade was answered with ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The open socket, or the status that it was refused with. */
export function upgradeStatus(
  url: string,
  headers: Record<string, string>,
  protocols?: string[],
): Promise<WebSocket | number> {
  const socket = new WebSocket(url.replace("http", "ws"), protocols, { headers });
  onTestFinished(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.once("open", () => resolve(socket));
    socket.once("unexpected-response", (_asked: unknown, response: IncomingMessage) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
  });
}
