/**
 * An AAP v3 server written by hand from the protocol's pages, without our code: the client meets such servers elsewhere.
 * The server can break its streams, and it can have the two extensions that make a broken one whole: ids and kept answers.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type PlainStep = {
  /** Words after which the server died, before it says the whole. */
  readonly cutOff?: string;
  readonly say?: string;
  readonly calls?: readonly { readonly name: string; readonly input?: unknown }[];
};

export type PlainServerOptions = {
  readonly steps?: readonly PlainStep[];
  /** Breaks off the answer to each of the first requests for a turn after so many events; 0 is before the headers. */
  readonly cuts?: readonly number[];
  /** Gives ids, keeps answers by their key and says so. */
  readonly isExtended?: boolean;
  /** Gives ids and says nothing. */
  readonly hasIds?: boolean;
  readonly key?: string;
  /** Which kinds of history it shows. */
  readonly histories?: readonly string[];
  /** Sends a turn from its start when it is requested again. */
  readonly ignoresLastId?: boolean;
  /** Ends its streams without `turn_stop`, as the protocol's own SDK does; or after the first event. */
  readonly forgetsStop?: "stop" | "all but the first";
  /** Stores the results of its own tools twice, as the protocol's own SDK does. */
  readonly storesTwice?: boolean;
  /** Does not end its streams. */
  readonly neverEnds?: boolean;
  /** Where it breaks off it only falls silent, as a network does that is gone. */
  readonly fallsSilent?: boolean;
};

const tool = (name: string) => ({ name, description: `Does ${name}.`, parameters: { type: "object" } });
const AGENT = {
  name: "plain",
  version: "1.0.0",
  tools: [tool("look"), tool("send")],
  capabilities: {
    stream: { delta: {}, message: {}, none: {} },
    history: { full: {} },
    application: { tools: {} },
  },
};

type Json = Readonly<Record<string, unknown>>;
type Message = Json & {
  readonly role: string;
  readonly toolCallId?: string;
  readonly content?: unknown;
  readonly reason?: string;
};
type Call = { readonly toolCallId: string; readonly name: string; readonly input: unknown };
type Session = {
  readonly agent: Json & { tools?: readonly { name: string; trust?: boolean }[] };
  tools: readonly Json[] | undefined;
  readonly history: Message[];
  open: Call[];
};
type Frame = readonly [event: string, data: Json];

export type PlainServer = {
  readonly url: string;
  /** The effects of its own tools. */
  readonly ran: string[];
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: Json;
  }[];
};

export async function plainServer(options: PlainServerOptions = {}): Promise<PlainServer> {
  const { steps = [], isExtended = false, hasIds = isExtended, histories = ["full", "compacted"] } = options;
  const cuts = [...(options.cuts ?? [])];
  const sessions = new Map<string, Session>();
  const kept = new Map<string, readonly Frame[]>();
  const [ran, requests]: [string[], PlainServer["requests"]] = [[], []];
  let [step, callCount] = [0, 0];

  const ownResult = (call: Call): string => {
    ran.push(`${call.name} ${JSON.stringify(call.input)}`);
    return `${call.name} did it`;
  };

  /** Appends to the history what the model and the trusted tools bring, and returns it as events. */
  function go(session: Session, frames: Frame[]): void {
    for (;;) {
      const { cutOff, say, calls = [] }: PlainStep = steps[step] ?? { say: "The script is over." };
      step += 1;
      const sent: Call[] = calls.map(({ name, input = {} }) => ({
        toolCallId: `c${(callCount += 1)}`,
        name,
        input,
      }));
      const content = [
        ...(say === undefined ? [] : [{ type: "text", text: say }]),
        ...sent.map((call) => ({ type: "tool_use", ...call })),
      ];
      session.history.push({ role: "assistant", content });
      if (cutOff !== undefined) frames.push(["say", { text: cutOff }], ["answer_cut_off", {}]);
      if (say !== undefined) frames.push(["say", { text: say }]);
      for (const call of sent) frames.push(["tool_call", call]);
      session.open = sent.filter((call) => {
        const isTrusted =
          session.agent.tools?.some(({ name, trust }) => name === call.name && trust) ?? false;
        if (isTrusted || call.name === "hidden") result(session, frames, call, ownResult(call));
        return !isTrusted && call.name !== "hidden";
      });
      if (session.open.length > 0) return void frames.push(["turn_stop", { stopReason: "tool_use" }]);
      if (sent.length === 0) return void frames.push(["turn_stop", { stopReason: "end_turn" }]);
    }
  }

  function result(session: Session, frames: Frame[], { toolCallId }: Call, content: unknown): void {
    session.history.push({ role: "tool", toolCallId, content });
    if (options.storesTwice) session.history.push({ role: "tool", toolCallId, content });
    frames.push(["tool_result", { toolCallId, content }]);
  }

  function take(session: Session, messages: readonly Message[]): readonly Frame[] | string {
    const frames: Frame[] = [["turn_start", {}]];
    const missing = session.open.filter(
      (call) => !messages.some(({ toolCallId }) => toolCallId === call.toolCallId),
    );
    if (session.open.length > 0 && missing.length > 0) return "answers are missing";
    for (const message of messages) {
      const call = session.open.find(({ toolCallId }) => toolCallId === message.toolCallId);
      if (message.role === "user") session.history.push(message);
      else if (!call) return `there is no open call ${message.toolCallId}`;
      else if (message.role === "tool") session.history.push(message);
      else if (message["granted"] === true) result(session, frames, call, ownResult(call));
      else
        result(
          session,
          frames,
          call,
          `Tool call denied${message.reason === undefined ? "" : `: ${message.reason}`}`,
        );
    }
    go(session, frames);
    return frames;
  }

  function turn(
    session: Session,
    request: { headers: IncomingMessage["headers"]; body: Json },
    response: ServerResponse,
  ): void {
    const { headers, body } = request;
    const key = String(headers["idempotency-key"]);
    const recorded = isExtended || hasIds ? kept.get(key) : undefined;
    const cut = cuts.shift();
    if (body["tools"]) session.tools = body["tools"] as Json[];
    const frames = recorded ?? take(session, body["messages"] as Message[]);
    if (typeof frames === "string") return json(response, 400, { error: frames });
    kept.set(key, frames);
    if (cut === 0) return void response.destroy();
    const mode = body["stream"] ?? "none";
    if (mode === "none") return json(response, 200, whole(frames));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": hello\n\nretry: 1\n\n");
    const after = recorded && !options.ignoresLastId ? Number(headers["last-event-id"] ?? 0) : 0;
    const sent = frames
      .flatMap((frame) => inMode(frame, mode))
      .map((frame, index) => text(frame, hasIds ? index + 1 : undefined));
    if (options.forgetsStop) sent.splice(options.forgetsStop === "stop" ? -1 : 1);
    response.write(sent.slice(after, cut === undefined ? undefined : after + cut).join(""));
    if (cut !== undefined && options.fallsSilent) return;
    if (cut !== undefined) setTimeout(() => response.destroy(), 20);
    else if (!options.neverEnds) response.end();
  }

  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
      const [, , id = "", more] = pathname.split("/").map(decodeURIComponent);
      requests.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
      });
      if (pathname === "/meta")
        return json(response, 200, {
          version: 3,
          agents: [AGENT],
          ...(isExtended && { extensions: ["idempotency-key"] }),
        });
      if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`)
        return json(response, 401, { error: `the key ${request.headers.authorization} is wrong` });
      if (pathname === "/sessions" && request.method === "GET") {
        const ids = [...sessions.keys()];
        const start = Number(searchParams.get("after") ?? 0);
        const page = ids
          .slice(start, start + 2)
          .map((sessionId) => ({ sessionId, agent: sessions.get(sessionId)?.agent }));
        return json(response, 200, {
          sessions: page,
          ...(start + 2 < ids.length && { next: String(start + 2) }),
        });
      }
      if (pathname === "/sessions") {
        const sessionId = `s/${sessions.size + 1}`;
        sessions.set(sessionId, {
          agent: body["agent"] as Json,
          tools: body["tools"] as Json[],
          history: [],
          open: [],
        });
        return json(response, 201, { sessionId });
      }
      const session = sessions.get(id);
      if (!session || !/^\/sessions\/[^/]+(\/history|\/turns)?$/.test(pathname))
        return json(response, 404, { error: "not found" });
      if (more === "turns" && request.method === "POST")
        return turn(session, { headers: request.headers, body }, response);
      if (more === "history") {
        const type = searchParams.get("type") ?? "";
        return histories.includes(type)
          ? json(response, 200, { history: { [type]: session.history } })
          : json(response, 404, { error: "not kept" });
      }
      if (request.method === "DELETE") {
        sessions.delete(id);
        return void response.writeHead(204).end();
      }
      return json(response, 200, { sessionId: id, agent: session.agent, tools: session.tools });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ran, requests };
}

function inMode([event, data]: Frame, mode: unknown): readonly Frame[] {
  if (event !== "say") return [[event, data]];
  if (mode === "message") return [["text", data]];
  return String(data["text"])
    .split(/(?<= )/)
    .map((delta) => ["text_delta", { delta }] as const);
}

function whole(frames: readonly Frame[]): Json {
  const messages: { role: string; content: unknown; toolCallId?: unknown }[] = [];
  for (const [event, data] of frames) {
    const last = messages.at(-1);
    const blocks = last?.role === "assistant" ? (last.content as unknown[]) : undefined;
    if (event === "tool_result")
      messages.push({ role: "tool", toolCallId: data["toolCallId"], content: data["content"] });
    else if (event === "say" || event === "tool_call") {
      const block = event === "say" ? { type: "text", ...data } : { type: "tool_use", ...data };
      if (blocks) blocks.push(block);
      else messages.push({ role: "assistant", content: [block] });
    }
  }
  return { ...frames.at(-1)?.[1], messages };
}

const text = ([event, data]: Frame, id: number | undefined): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const json = (response: ServerResponse, status: number, body: Json): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

async function readJson(request: IncomingMessage): Promise<Json> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const all = Buffer.concat(pieces).toString();
  return all === "" ? {} : (JSON.parse(all) as Json);
}
