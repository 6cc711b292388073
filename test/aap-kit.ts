/**
 * An app as it is written without any library of ours: plain requests, and server-sent events read by hand. And a
 * world for it: a folder, a ledger, an agent with tools that keep count of what they did.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createAapServer, serveAap } from "../src/aap/index.js";
import type { AapServer, AapServerOptions, Serving } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import type { Agent, AgentOptions } from "../src/agent/index.js";
import type { Ledger } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { defineTool, LocalWorkspace, ToolFailure } from "../src/tools/index.js";
import type { Tool } from "../src/tools/index.js";

export type Mode = "delta" | "message" | "none";
export const MODES: readonly Mode[] = ["delta", "message", "none"];

export type WireEvent = { readonly id: string; readonly event: string; readonly data: WireData };
export type WireData = { readonly [name: string]: unknown };
export type WireMessage = { readonly role: string; readonly content: unknown; readonly toolCallId?: string };

/** A refusal: its status and the error in it. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly error: { readonly code: string; readonly message: string; readonly [detail: string]: unknown },
    readonly headers: Headers,
  ) {
    super(error.message);
  }
}

type Fetch = (request: Request) => Promise<Response>;
type Extra = { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal };

export class App {
  readonly #baseUrl: string;
  readonly #fetch: Fetch;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(fetch: Fetch, baseUrl = "http://localhost", headers: Readonly<Record<string, string>> = {}) {
    this.#fetch = fetch;
    this.#baseUrl = baseUrl;
    this.#headers = headers;
  }

  async send(method: string, path: string, body?: unknown, extra: Extra = {}): Promise<Response> {
    const { headers = {}, signal } = extra;
    return this.#fetch(
      new Request(this.#baseUrl + path, {
        method,
        headers: {
          ...this.#headers,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      }),
    );
  }

  /** The body of an answer; throws what was refused. */
  async ask<Body = WireData>(method: string, path: string, body?: unknown, extra?: Extra): Promise<Body> {
    const response = await this.#taken(await this.send(method, path, body, extra));
    return (response.status === 204 ? undefined : await response.json()) as Body;
  }

  async createSession(body: unknown): Promise<string> {
    return (await this.ask<{ sessionId: string }>("POST", "/sessions", body)).sessionId;
  }

  async history(sessionId: string, type: "full" | "compacted" = "full"): Promise<readonly WireMessage[]> {
    const path = `/sessions/${sessionId}/history?type=${type}`;
    const { history } = await this.ask<{ history: { readonly [type: string]: WireMessage[] } }>("GET", path);
    return history[type] ?? [];
  }

  /** A turn as a stream, read to its end. */
  async stream(sessionId: string, body: object, extra?: Extra): Promise<readonly WireEvent[]> {
    return readEvents(await this.open(sessionId, body, extra));
  }

  async open(sessionId: string, body: object, extra?: Extra): Promise<Response> {
    return this.#taken(await this.send("POST", `/sessions/${sessionId}/turns`, body, extra));
  }

  /** A turn as a whole. */
  async turn(sessionId: string, body: object, extra?: Extra): Promise<WholeTurn> {
    return this.ask("POST", `/sessions/${sessionId}/turns`, body, extra);
  }

  /** A turn in any mode, as what it added up to. */
  async inMode(sessionId: string, stream: Mode, body: object): Promise<WholeTurn> {
    if (stream === "none") return this.turn(sessionId, { ...body, stream });
    return whole(await this.stream(sessionId, { ...body, stream }));
  }

  async #taken(response: Response): Promise<Response> {
    if (response.ok) return response;
    const { error } = (await response.json()) as { error: Refused["error"] };
    throw new Refused(response.status, error, response.headers);
  }
}

export type WholeTurn = {
  readonly stopReason: string;
  readonly messages: readonly WireMessage[];
  readonly error?: string;
};

/** Reads to the end of the stream, or to the first event that is meant. */
export async function readEvents(
  response: Response,
  isLast: (event: WireEvent) => boolean = () => false,
): Promise<readonly WireEvent[]> {
  const events: WireEvent[] = [];
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) return events;
    text += decoder.decode(piece.value, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const event = readFrame(text.slice(0, end));
      text = text.slice(end + 2);
      if (!event) continue;
      events.push(event);
      if (!isLast(event)) continue;
      await reader?.cancel();
      return events;
    }
  }
}

function readFrame(text: string): WireEvent | undefined {
  const fields = new Map(
    text.split("\n").map((line) => [line.split(":")[0], line.slice(line.indexOf(":") + 2)]),
  );
  const [id, event, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
  // A comment.
  if (event === undefined || id === undefined || data === undefined) return undefined;
  return { id, event, data: JSON.parse(data) as WireData };
}

export const line = ({ event, data }: Pick<WireEvent, "event" | "data">): string =>
  `${event} ${JSON.stringify(data)}`;
export const lines = (events: readonly WireEvent[]): readonly string[] => events.map(line);
export const names = (events: readonly WireEvent[]): readonly string[] => events.map(({ event }) => event);

/** All words of a stream of deltas. */
export const wordsIn = (events: readonly WireEvent[]): string =>
  events.map(({ data }) => (typeof data["delta"] === "string" ? data["delta"] : "")).join("");

/** With deltas that follow each other as one: how many they are depends on how fast they come. */
export function joined(events: readonly WireEvent[]): readonly WireEvent[] {
  const all: WireEvent[] = [];
  for (const one of events) {
    const last = all.at(-1);
    const isMore = one.event.endsWith("_delta") && last?.event === one.event;
    if (!isMore) all.push(one);
    else
      all.splice(-1, 1, {
        ...one,
        data: { delta: `${String(last.data["delta"])}${String(one.data["delta"])}` },
      });
  }
  return all;
}

/** Adds up the events of a stream, by hand: a tool result ends the assistant's message before it. */
export function whole(events: readonly WireEvent[]): WholeTurn {
  const messages: WireMessage[] = [];
  let blocks: { [name: string]: unknown }[] = [];
  const endAnswer = () => {
    if (blocks.length > 0) messages.push({ role: "assistant", content: blocks });
    blocks = [];
  };
  const addText = (type: "text" | "thinking", text: unknown) => {
    const last = blocks.at(-1);
    if (last?.["type"] === type) last[type] = `${String(last[type])}${String(text)}`;
    else blocks.push({ type, [type]: text });
  };
  for (const { event, data } of events) {
    if (event === "text_delta") addText("text", data["delta"]);
    else if (event === "thinking_delta") addText("thinking", data["delta"]);
    else if (event === "text" || event === "thinking") blocks.push({ type: event, [event]: data[event] });
    else if (event === "answer_cut_off") endAnswer();
    else if (event === "tool_call") blocks.push({ type: "tool_use", ...data });
    else if (event === "tool_result") {
      endAnswer();
      messages.push({ role: "tool", toolCallId: String(data["toolCallId"]), content: data["content"] });
    }
  }
  endAnswer();
  const stop = events.at(-1);
  const stops = events.filter(({ event }) => event === "turn_stop");
  if (stop?.event !== "turn_stop" || stops.length !== 1)
    throw new Error("The stream does not end with its one turn_stop.");
  return { ...stop.data, stopReason: String(stop.data["stopReason"]), messages };
}

/** The refusal as "status code: message". */
export async function refusal(answer: Promise<unknown>): Promise<string> {
  const { status, error } = await refused(answer);
  return `${status} ${error.code}: ${error.message}`;
}

export async function refused(answer: Promise<unknown>): Promise<Refused> {
  const error: unknown = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Refused) return error;
  throw new Error("The server did not refuse.", { cause: error });
}

export const say = (content: unknown, stream: Mode = "none") => ({
  stream,
  messages: [{ role: "user", content }],
});
export const grant = (toolCallId: string) =>
  ({ role: "tool_permission", toolCallId, granted: true }) as const;
export const deny = (toolCallId: string, reason?: string) =>
  ({ role: "tool_permission", toolCallId, granted: false, ...(reason !== undefined && { reason }) }) as const;
export const result = (toolCallId: string, content: unknown = "shown") =>
  ({ role: "tool", toolCallId, content }) as const;

export const show = { name: "show", description: "Shows a picture.", parameters: { type: "object" } };
export const locate = { name: "locate", description: "Says where we are.", parameters: { type: "object" } };

export const FOUR_CALLS: readonly ScriptStep[] = [
  {
    think: "Four at once.",
    say: "One moment.",
    calls: [
      { tool: "show", input: { picture: 1 } },
      { tool: "look_up", input: { word: "gate" } },
      { tool: "send", input: { to: "Ada" } },
      { tool: "locate", input: {} },
    ],
  },
  { say: "All done." },
];
export const SEND: readonly ScriptStep[] = [
  { calls: [{ tool: "send", input: { to: "Ada" } }] },
  { say: "Sent." },
  { say: "More." },
];

/** A session with everything switched on. */
export const ALL = {
  agent: {
    name: "clerk",
    tools: [{ name: "look_up", trust: true }, { name: "send" }, { name: "wait", trust: true }],
  },
  tools: [show, locate],
};

export type WorldOptions = Partial<AapServerOptions> &
  Partial<Omit<AgentOptions, "tools">> & { readonly steps?: readonly ScriptStep[] };

export class World {
  readonly folder: string;
  readonly workspace: LocalWorkspace;
  ledger: Ledger;
  /** The effects of the server's tools. */
  readonly done: string[] = [];
  /** The file that the stamping tool would replace. */
  stampedFile = "as it was";
  /** Lets the tool that waits go on. */
  goOn: () => void = () => undefined;
  readonly #waited: Promise<void>;
  readonly #closing: (() => Promise<unknown>)[] = [];
  readonly tools: readonly Tool[];

  private constructor(folder: string, workspace: LocalWorkspace, ledger: Ledger) {
    this.folder = folder;
    this.workspace = workspace;
    this.ledger = ledger;
    this.#waited = new Promise((resolve) => {
      this.goOn = resolve;
    });
    this.tools = this.#tools();
  }

  static async open(ledger: Ledger = new MemoryLedger()): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), "toolgate-aap-"));
    return new World(folder, await LocalWorkspace.open(folder), ledger);
  }

  onClose(close: () => Promise<unknown>): void {
    this.#closing.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  agent({ steps = [], ...options }: WorldOptions = {}): Agent {
    const { name = "clerk", model = scriptedModel({ steps: [...steps] }), maxSteps = 20 } = options;
    const { rules = [], instructions, remember } = options;
    return createAgent({
      name,
      model,
      tools: this.tools,
      rules,
      maxSteps,
      ...(instructions !== undefined && { instructions }),
      ...(remember && { remember }),
    });
  }

  server(options: WorldOptions = {}): AapServer {
    const { agents = [this.agent(options)], trustable, version, secretKey, onError, now } = options;
    const server = createAapServer({
      agents,
      ledger: this.ledger,
      workspace: this.workspace,
      ...(trustable && { trustable }),
      ...(version !== undefined && { version }),
      ...(secretKey && { secretKey }),
      ...(onError && { onError }),
      ...(now && { now }),
    });
    this.onClose(() => server.close());
    return server;
  }

  /** An app that talks to a server without a network between them. */
  app(options: WorldOptions = {}): App {
    const server = this.server(options);
    return new App((request) => server.fetch(request));
  }

  /** An app and a server with a real socket between them. */
  async remote(options: WorldOptions = {}): Promise<{ readonly app: App; readonly serving: Serving }> {
    const { agents = [this.agent(options)], trustable, questionLifetimeMs, now } = options;
    const serving = await serveAap(agents, {
      port: 0,
      token: TOKEN,
      ledger: this.ledger,
      workspace: this.workspace,
      // Tests ask more often than people.
      limits: { requestsPerSecond: 100_000 },
      ...(trustable && { trustable }),
      ...(questionLifetimeMs !== undefined && { questionLifetimeMs }),
      ...(now && { now }),
    });
    this.onClose(() => serving.close());
    return { app: remoteApp(serving.url), serving };
  }

  #tools(): readonly Tool[] {
    const did = (what: string) => void this.done.push(what);
    return [
      defineTool({
        name: "look_up",
        title: "Look up",
        description: "Looks a word up.",
        kind: "search",
        input: z.object({ word: z.string() }),
        run: ({ word }) => {
          did(`look_up ${word}`);
          if (word === "nothing") throw new ToolFailure("look_up: nothing was found.");
          return Promise.resolve({ output: `${word}: a word` });
        },
      }),
      defineTool({
        name: "send",
        description: "Sends a letter.",
        kind: "other",
        input: z.object({ to: z.string() }),
        run: ({ to }) => {
          did(`send ${to}`);
          return Promise.resolve({ output: { sentTo: to } });
        },
      }),
      defineTool({
        name: "wait",
        description: "Waits.",
        kind: "think",
        input: z.object({}),
        run: async (_input, { signal }) => {
          did("wait");
          const stopped = new Promise<never>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason), { once: true });
          });
          await Promise.race([this.#waited, stopped]);
          return { output: "waited" };
        },
      }),
      defineTool({
        name: "stamp",
        description: "Stamps the file.",
        kind: "edit",
        input: z.object({}),
        intent: () => {
          if (this.stampedFile === "unreadable") throw new TypeError("a bug in the tool");
          return Promise.resolve({ baseHashes: { "/file": this.stampedFile } });
        },
        run: () => {
          did("stamp");
          return Promise.resolve({ output: "stamped" });
        },
      }),
    ];
  }
}

export const TOKEN = "a-token-of-thirty-two-characters-and-more";

/** A connection per request: a server closes an idle one, and a busy client may use it at that very moment. */
export const remoteApp = (url: string): App =>
  new App((request) => fetch(request), url, { authorization: `Bearer ${TOKEN}`, connection: "close" });
