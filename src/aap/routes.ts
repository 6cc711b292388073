/** Which request does what: the seven endpoints of the protocol, and ours beside them. */
import type { Context, Hono } from "hono";
import type { AapSetting } from "./aap-setting.js";
import { createSession } from "./create-session.js";
import { deleteSession } from "./delete-session.js";
import { readEventId } from "./event-id.js";
import { eventStream } from "./event-stream.js";
import type { OpenOutlet, SseSink } from "./event-stream.js";
import { historyFromLog } from "./history-from-log.js";
import { ListedSessions } from "./list-sessions.js";
import { MadeSessions } from "./made-sessions.js";
import { AapProblem } from "./problem.js";
import { allQuestions, answerQuestion, tooLate } from "./questions.js";
import {
  answerRequest,
  cancelRequest,
  checkedBody,
  newSession,
  readBody,
  streamMode,
  turnRequest,
} from "./request-bodies.js";
import { agentInfo } from "./served-agent.js";
import { readSession, readSessionConfig, wireSession } from "./session-config.js";
import { readSeq, streamSessionEvents } from "./session-events.js";
import { toldAs } from "./told-as.js";
import type { Turns } from "./turns.js";

/** What clients may count on beyond the protocol. */
const EXTENSIONS = ["event-ids", "idempotency-key", "session-events", "cancel", "questions"];

export type AapEnv = { readonly Bindings: { readonly stream: OpenOutlet | undefined } };

export function addProtocolRoutes(
  app: Hono<AapEnv>,
  setting: AapSetting,
  turns: Turns,
  version: string,
): void {
  const { agents, ledger, isRedacted } = setting;
  const made = new MadeSessions();
  const listed = new ListedSessions(setting);
  app.get("/meta", (context) =>
    context.json({
      version: 3,
      agents: [...agents.values()].map((agent) => agentInfo(agent, { version, isRedacted })),
      extensions: EXTENSIONS,
    }),
  );
  app.get("/sessions", async (context) => context.json(await listed.page(context.req.query("after"))));
  app.post("/sessions", async (context) => {
    const body = await readBody(context.req.raw, newSession);
    const sessionId = await made.make(idempotencyKey(context), body, () => createSession(setting, body));
    return context.json({ sessionId }, 201);
  });
  app.get("/sessions/:id", async (context) => {
    const sessionId = context.req.param("id");
    const { config } = await readSessionConfig(ledger, sessionId);
    return context.json(wireSession(sessionId, config, agents.get(config.agent.name)?.options ?? []));
  });
  app.delete("/sessions/:id", async (context) => {
    const sessionId = context.req.param("id");
    await readSessionConfig(ledger, sessionId);
    await turns.end(sessionId);
    await deleteSession(ledger, sessionId);
    return context.body(null, 204);
  });
  app.get("/sessions/:id/history", (context) => history(context, setting, context.req.param("id")));
  app.post("/sessions/:id/turns", async (context) => {
    const body = await readBody(context.req.raw, turnRequest);
    const after = lastHeard(context);
    const turn = await turns.take(context.req.param("id"), body, {
      key: idempotencyKey(context),
      after: after === undefined ? undefined : readEventId(after),
    });
    return toldAs(body.stream, turn, setting.onError, context.env.stream);
  });
}

export function addExtensionRoutes(app: Hono<AapEnv>, setting: AapSetting, turns: Turns): void {
  const { ledger } = setting;
  app.get("/sessions/:id/turns", async (context) => {
    const stream = checkedBody(context.req.query("stream") ?? "delta", streamMode);
    const after = lastHeard(context);
    const turn = await turns.again(
      context.req.param("id"),
      after === undefined ? undefined : readEventId(after),
    );
    return toldAs(stream, turn, setting.onError, context.env.stream);
  });
  app.get("/sessions/:id/events", async (context) => {
    const sessionId = context.req.param("id");
    await readSessionConfig(ledger, sessionId);
    const last = lastHeard(context);
    const after = last === undefined ? 0 : readSeq(last);
    const run = (sink: SseSink) => streamSessionEvents(setting, { sessionId, after }, sink);
    return eventStream(run, setting.onError, context.env.stream);
  });
  app.post("/sessions/:id/cancel", async (context) => {
    const body = await readBody(context.req.raw, cancelRequest);
    return context.json({ cancelled: await turns.cancel(context.req.param("id"), body) });
  });
  app.get("/questions", async (context) => context.json({ questions: await allQuestions(setting) }));
  // The id of a question has slashes in it, which not everybody writes as %2F.
  app.post("/questions/:id{.+}", async (context) => {
    const questionId = context.req.param("id");
    const body = await readBody(context.req.raw, answerRequest);
    const answered = await answerQuestion(setting, questionId, body);
    const { counted, answer, sessionId } = answered;
    const problem = counted ? undefined : tooLate(answered, body, questionId);
    if (problem) throw problem;
    if (sessionId !== undefined) void turns.goOn(sessionId);
    return context.json({ counted, answer });
  });
}

async function history({ req, json }: Context, setting: AapSetting, sessionId: string): Promise<Response> {
  const { ledger, agents, isRedacted } = setting;
  const type = req.query("type");
  if (type !== "full" && type !== "compacted") {
    throw new AapProblem(
      "BAD_REQUEST",
      'The query must say "type=full" or "type=compacted". Nothing was read.',
    );
  }
  const { log, config } = await readSession(ledger, sessionId);
  if (type === "full" && isRedacted)
    throw new AapProblem(
      "NOT_FOUND",
      "What is stored here is redacted before, so there is no full history. Ask for type=compacted.",
    );
  const behind = agents.get(config.agent.name)?.behind.type;
  // Of an agent that is not served any more, the log itself shows which kind it was.
  const hasSteps = behind ? behind === "own" : log.some(({ event }) => event.type === "step-ended");
  return json({ history: { [type]: historyFromLog(log, type, { hasSteps }) } });
}

/** The id of the last event that the client heard, as browsers or as scripts say it. */
const lastHeard = ({ req }: Context): string | undefined => req.header("last-event-id") ?? req.query("after");

function idempotencyKey({ req }: Context): string | undefined {
  const key = req.header("idempotency-key");
  if (key === undefined || /^[!-~]{1,255}$/.test(key)) return key;
  throw new AapProblem(
    "BAD_REQUEST",
    "An Idempotency-Key has 1 to 255 characters without spaces. Nothing was done.",
  );
}
