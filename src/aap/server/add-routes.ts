/** The handler of each endpoint: the seven of the protocol, and our extensions. */
import type { Context, Hono } from "hono";
import { AapProblem } from "../api/aap-problem.js";
import {
  EXTENSION_ENDPOINTS,
  historyType,
  idempotencyKey,
  MAX_QUESTIONS,
  PROTOCOL_ENDPOINTS,
  questionLimit,
  questionPageNumber,
} from "../api/endpoints.js";
import type { Endpoint } from "../api/endpoints.js";
import { checkedBody, readBody } from "../api/read-body.js";
import { answerRequest, cancelRequest, newSession, streamMode, turnRequest } from "../api/request-bodies.js";
import type { ServerContext } from "../server-context.js";
import { createSession } from "../sessions/create-session.js";
import { deleteSession } from "../sessions/delete-session.js";
import { removeScratch } from "../../tools/scratch/scratch-folder.js";
import { historyFromLog } from "../sessions/history-from-log.js";
import { answerQuestion, listQuestions, readQuestion, tooLate } from "../sessions/questions.js";
import { agentInfo } from "../sessions/served-agent.js";
import { readSession, readSessionConfig, wireSession } from "../sessions/session-config.js";
import { readSeq, streamSessionEvents } from "../sessions/stream-session-events.js";
import { SessionList } from "../sessions/session-list.js";
import { readEventId } from "../stream/event-id.js";
import type { EventId } from "../stream/event-id.js";
import { eventStream } from "../stream/event-stream.js";
import type { OpenSink, SseWriter } from "../stream/event-stream.js";
import { inStreamMode } from "../stream/in-stream-mode.js";
import type { TurnEngine } from "../turns/turn-engine.js";
import type { OutlookOf } from "../turns/turn-outlook.js";

/** The extensions that clients may rely on. */
const EXTENSIONS = ["event-ids", "idempotency-key", "session-events", "cancel", "questions"];

export type AapEnv = { readonly Bindings: { readonly openSink: OpenSink | undefined } };

type Handler = (context: Context<AapEnv>) => Response | Promise<Response>;

type Behind = {
  readonly server: ServerContext;
  readonly turns: TurnEngine;
  readonly version: string;
  readonly outlookOf: OutlookOf;
};

export function addRoutes(app: Hono<AapEnv>, behind: Behind): void {
  add(app, PROTOCOL_ENDPOINTS, protocolHandlers(behind));
  add(app, EXTENSION_ENDPOINTS, extensionHandlers(behind));
}

function add<Name extends string>(
  app: Hono<AapEnv>,
  endpoints: { readonly [name in Name]: Endpoint },
  handlers: { readonly [name in Name]: Handler },
): void {
  for (const name in endpoints) {
    const { method, path, hasSlashes = false } = endpoints[name];
    app.on(method.toUpperCase(), path.replace("{id}", hasSlashes ? ":id{.+}" : ":id"), handlers[name]);
  }
}

function protocolHandlers({ server, turns, version }: Behind): {
  readonly [name in keyof typeof PROTOCOL_ENDPOINTS]: Handler;
} {
  const { agents, ledger, isRedacted, onError } = server;
  const list = new SessionList(server);
  return {
    getMeta: (context) =>
      context.json({
        version: 3,
        agents: [...agents.values()].map((agent) =>
          agentInfo(agent, { version, isRedacted, trustable: server.trustable }),
        ),
        extensions: EXTENSIONS,
      }),
    listSessions: async (context) => context.json(await list.page(context.req.query("after"))),
    createSession: async (context) => {
      const body = await readBody(context.req.raw, newSession);
      const sessionId = await createSession(server, body, keyOf(context));
      return context.json({ sessionId }, 201);
    },
    getSession: async (context) => {
      const sessionId = idIn(context);
      const { config } = await readSessionConfig(ledger, sessionId);
      return context.json(wireSession(sessionId, config, server));
    },
    deleteSession: async (context) => {
      const sessionId = idIn(context);
      await readSessionConfig(ledger, sessionId);
      await turns.end(sessionId);
      await deleteSession(ledger, sessionId);
      await removeScratch([sessionId]);
      return context.body(null, 204);
    },
    getHistory: (context) => history(context, server),
    startTurn: async (context) => {
      const body = await readBody(context.req.raw, turnRequest);
      const options = { key: keyOf(context), after: turnEventId(context) };
      const send = await turns.start(idIn(context), body, options);
      return inStreamMode(body.stream, send, onError, context.env.openSink);
    },
  };
}

function extensionHandlers({ server, turns, outlookOf }: Behind): {
  readonly [name in keyof typeof EXTENSION_ENDPOINTS]: Handler;
} {
  const { ledger, onError } = server;
  return {
    replayTurn: async (context) => {
      const mode = checkedBody(context.req.query("stream") ?? "delta", streamMode);
      const send = await turns.replay(idIn(context), turnEventId(context));
      return inStreamMode(mode, send, onError, context.env.openSink);
    },
    followSession: async (context) => {
      const sessionId = idIn(context);
      await readSessionConfig(ledger, sessionId);
      const last = lastEventId(context);
      const after = last === undefined ? 0 : readSeq(last);
      const run = (writer: SseWriter) => streamSessionEvents(server, { sessionId, after }, writer);
      return eventStream(run, onError, context.env.openSink);
    },
    cancelTurn: async (context) => {
      const body = await readBody(context.req.raw, cancelRequest);
      return context.json({ cancelled: await turns.cancel(idIn(context), body) });
    },
    listQuestions: async (context) => {
      const limit = checkedBody(context.req.query("limit") ?? MAX_QUESTIONS, questionLimit);
      return context.json(await listQuestions(server, { after: context.req.query("after"), limit }));
    },
    readQuestion: async (context) => {
      const page = checkedBody(context.req.query("page") ?? 1, questionPageNumber);
      return context.json(await readQuestion(server, idIn(context), page));
    },
    answerQuestion: async (context) => {
      const questionId = idIn(context);
      const body = await readBody(context.req.raw, answerRequest);
      const answered = await answerQuestion(server, questionId, body, outlookOf);
      const { counted, answer, sessionId, alike, resumes } = answered;
      const problem = counted ? undefined : tooLate(answered, body, questionId);
      if (problem) throw problem;
      if (sessionId !== undefined) void turns.resume(sessionId);
      return context.json({ counted, answer, ...(alike && { alike }), ...(resumes && { resumes }) });
    },
  };
}

async function history(context: Context<AapEnv>, server: ServerContext): Promise<Response> {
  const { ledger, agents, isRedacted } = server;
  const parsed = historyType.safeParse(context.req.query("type"));
  if (!parsed.success)
    throw new AapProblem("BAD_REQUEST", `${parsed.error.issues[0]?.message} Nothing was read.`);
  const type = parsed.data;
  const { log, config } = await readSession(ledger, idIn(context));
  if (type === "full" && isRedacted)
    throw new AapProblem(
      "NOT_FOUND",
      "This server redacts sessions before it stores them, so there is no full history. Ask for type=compacted.",
    );
  const behind = agents.get(config.agent.name)?.behind.type;
  // When the agent is not served any more, the log itself shows which kind it was.
  const hasSteps = behind ? behind === "own" : log.some(({ event }) => event.type === "step-ended");
  return context.json({ history: { [type]: historyFromLog(log, type, { hasSteps }) } });
}

/** Every path with an id has one. */
const idIn = ({ req }: Context): string => req.param("id") ?? "";

/** The id of the last event that the client received, as browsers or as scripts send it. */
const lastEventId = ({ req }: Context): string | undefined =>
  req.header("last-event-id") ?? req.query("after");

function turnEventId(context: Context): EventId | undefined {
  const id = lastEventId(context);
  return id === undefined ? undefined : readEventId(id);
}

const optionalKey = idempotencyKey.optional();

function keyOf({ req }: Context): string | undefined {
  const parsed = optionalKey.safeParse(req.header("idempotency-key"));
  if (parsed.success) return parsed.data;
  throw new AapProblem("BAD_REQUEST", `${parsed.error.issues[0]?.message} Nothing was done.`);
}
