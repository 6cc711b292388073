/** Agents for apps, over HTTP: the endpoints of AAP v3. */
import { Hono } from "hono";
import type { Context } from "hono";
import { cors } from "hono/cors";
import type { Agent } from "../agent/index.js";
import type { Ledger } from "../call/index.js";
import type { Tool, Workspace } from "../tools/index.js";
import { hasKey } from "./bearer.js";
import { messagesFromEvents } from "./client/messages-from-events.js";
import type { AgentInfo, StreamMode, TurnEvent, TurnResult } from "./client/protocol.js";
import { createSession } from "./create-session.js";
import { deleteSession } from "./delete-session.js";
import { eventStream } from "./event-stream.js";
import { historyFromLog } from "./history-from-log.js";
import { isTrustable } from "./judge-for.js";
import { listSessions } from "./list-sessions.js";
import { AapProblem, problemOf, problemResponse } from "./problem.js";
import { newSession, readBody, turnRequest } from "./request-bodies.js";
import { RunningTurns } from "./running-turns.js";
import { readSession, wireSession } from "./session-config.js";
import { startTurn } from "./start-turn.js";
import type { TurnSetting } from "./start-turn.js";

export type AapServerOptions = {
  readonly agents: readonly Agent[];
  readonly ledger: Ledger;
  /** Where the agents' tools act. */
  readonly workspace: Workspace;
  /** Asked of every request but `GET /meta`. Without one, whoever reaches the server may use it. */
  readonly apiKey?: string;
  /** Which tools an app may let run without asking. Tools that read, search or think, unless told. */
  readonly trustable?: (tool: Tool) => boolean;
  /** Pages of these origins may use the server from a browser (`https://app.example`). None unless told. */
  readonly origins?: readonly string[];
  /** Hears of what should not happen: bugs, a broken disk. Apps are only told that it did. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
};

export type AapServer = {
  fetch(request: Request): Promise<Response>;
  /** Cancels the turns under way and returns when that is recorded. Turns that wait go on waiting. */
  close(): Promise<void>;
};

export function createAapServer(options: AapServerOptions): AapServer {
  const { ledger, workspace, apiKey, trustable = isTrustable, origins = [] } = options;
  const { onError = () => undefined, now = Date.now } = options;
  const setting: TurnSetting = { agents: byName(options.agents), ledger, workspace, trustable, onError, now };
  const turns = new RunningTurns();
  const app = new Hono();

  app.onError((error) => {
    const problem = problemOf(error);
    if (problem.code === "BROKEN") onError(error);
    return problemResponse(problem);
  });
  app.notFound(({ req }) =>
    problemResponse(new AapProblem("NOT_FOUND", `There is no ${req.method} ${req.path}. Nothing was done.`)),
  );
  if (origins.length > 0)
    app.use(cors({ origin: [...origins], allowHeaders: ["authorization", "content-type"] }));
  app.get("/meta", (context) => context.json({ version: 3, agents: options.agents.map(agentInfo) }));
  app.use(async ({ req }, next) => {
    if (apiKey !== undefined && !hasKey(req.raw, apiKey)) {
      throw new AapProblem("UNAUTHORIZED", "The key is missing or wrong. Nothing was done.");
    }
    await next();
  });

  app.get("/sessions", async (context) =>
    context.json(await listSessions(ledger, context.req.query("after"))),
  );
  app.post("/sessions", async (context) => {
    const sessionId = await createSession(setting, await readBody(context.req.raw, newSession));
    return context.json({ sessionId }, 201);
  });
  app.get("/sessions/:id", async (context) => {
    const sessionId = context.req.param("id");
    return context.json(wireSession(sessionId, (await readSession(ledger, sessionId)).config));
  });
  app.delete("/sessions/:id", async (context) => {
    const sessionId = context.req.param("id");
    await turns.cancel(sessionId);
    await deleteSession(ledger, sessionId);
    return context.body(null, 204);
  });
  app.get("/sessions/:id/history", (context) => history(context, ledger, context.req.param("id")));
  app.post("/sessions/:id/turns", async (context) => {
    const sessionId = context.req.param("id");
    const body = await readBody(context.req.raw, turnRequest);
    const turn = await startTurn(setting, sessionId, body);
    const run = (tell: (event: TurnEvent) => void) => turns.run(sessionId, turn, tell);
    return body.stream === "none"
      ? context.json(await wholeTurn(run))
      : eventStream(inMode(body.stream, run));
  });

  return {
    fetch: async (request) => app.fetch(request),
    close: () => turns.cancelAll(),
  };
}

type Run = (tell: (event: TurnEvent) => void) => Promise<void>;

const NOT_IN_MODE: { readonly [mode in StreamMode]: ReadonlySet<string> } = {
  delta: new Set(["text", "thinking"]),
  message: new Set(["text_delta", "thinking_delta"]),
  none: new Set(["text_delta", "thinking_delta"]),
};

function inMode(mode: StreamMode, run: Run): Run {
  return (tell) =>
    run((event) => {
      if (!NOT_IN_MODE[mode].has(event.event)) tell(event);
    });
}

async function wholeTurn(run: Run): Promise<TurnResult> {
  const events: TurnEvent[] = [];
  await inMode("none", run)((event) => void events.push(event));
  const stop = events.findLast((event) => event.event === "turn_stop");
  return { stopReason: "error", ...stop?.data, messages: messagesFromEvents(events) };
}

async function history({ req, json }: Context, ledger: Ledger, sessionId: string): Promise<Response> {
  const type = req.query("type");
  if (type !== "full" && type !== "compacted") {
    throw new AapProblem(
      "BAD_REQUEST",
      'The query must say "type=full" or "type=compacted". Nothing was read.',
    );
  }
  const { log } = await readSession(ledger, sessionId);
  const messages = historyFromLog(
    log.map(({ event }) => event),
    type,
  );
  return json({ history: { [type]: messages } });
}

function agentInfo({ name, tools }: Agent): AgentInfo {
  return {
    name,
    version: UNVERSIONED,
    tools: tools.map((tool) => ({
      name: tool.name,
      ...(tool.label !== undefined && { title: tool.label }),
      description: tool.description,
      parameters: { ...tool.parameters },
    })),
    capabilities: {
      history: { compacted: {}, full: {} },
      stream: { delta: {}, message: {}, none: {} },
      application: { tools: {} },
    },
  };
}

/** The protocol wants a version, and our agents have none. */
const UNVERSIONED = "0.0.0";

function byName(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const named = new Map(agents.map((agent) => [agent.name, agent]));
  if (named.size === agents.length) return named;
  throw new DuplicateAgent(agents.map(({ name }) => name));
}

export class DuplicateAgent extends Error {
  readonly code = "DUPLICATE_AGENT";

  constructor(names: readonly string[]) {
    super(
      `The agents of a server have different names, since sessions name theirs: ${names.join(", ")}. No server was made.`,
    );
    this.name = "DuplicateAgent";
  }
}
