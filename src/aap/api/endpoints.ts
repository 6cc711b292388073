/**
 * Every endpoint of a server: what it takes and what it answers, by schemas. The router and the OpenAPI document are both
 * made from this table, so that the description cannot differ from the server.
 */
import { z } from "zod";
import { answerRequest, cancelRequest, newSession, streamMode, turnRequest } from "./request-bodies.js";
import type { ResponseName } from "./responses.js";

/** `Name`: the names of the schemas that its answers have. */
export type Endpoint<Name extends string = ResponseName> = {
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  /** The id in the path may have slashes, which not every client writes as %2F. */
  readonly hasSlashes?: true;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The answer of a request that succeeds: its status (200 unless given), and its content by content type. */
  readonly answer: {
    readonly status?: number;
    readonly description: string;
    readonly json?: Name;
    /** The data of the frames of a stream of server-sent events. */
    readonly frames?: Name;
    readonly isText?: true;
  };
  /** Needs no token. */
  readonly isOpen?: boolean;
};

export const idempotencyKey = z
  .string()
  .regex(/^[!-~]{1,255}$/, "An Idempotency-Key has 1 to 255 characters without spaces.")
  .describe("The same key again gets the recorded answer, and nothing is done again.");
const lastEventId = z.string().describe("Only the events after this one.");
const afterEvent = z.string().describe("The same as Last-Event-ID.");

export const historyType = z
  .enum(["compacted", "full"], 'The query must say "type=full" or "type=compacted".')
  .describe("Which history.");

/** The page size of questions: each question may need the log of another session. */
export const MAX_QUESTIONS = 500;
const LIMIT_RULE = `The limit must be a whole number from 1 to ${MAX_QUESTIONS}.`;
export const questionLimit = z.coerce
  .number(LIMIT_RULE)
  .int(LIMIT_RULE)
  .min(1, LIMIT_RULE)
  .max(MAX_QUESTIONS, LIMIT_RULE)
  .describe("How many questions at most.");

export const questionPageNumber = z.coerce
  .number("The page must be a whole number from 1.")
  .int("The page must be a whole number from 1.")
  .min(1, "The page must be a whole number from 1.")
  .describe("Which page, from 1.");

const TURN = {
  description: "The turn, whole or as it happens.",
  json: "TurnResult",
  frames: "TurnEvent",
} as const;

/** The seven endpoints of the protocol. */
export const PROTOCOL_ENDPOINTS = {
  getMeta: {
    method: "get",
    path: "/meta",
    summary: "The agents, and what they can do",
    answer: { description: "The agents.", json: "Meta" },
    isOpen: true,
  },
  listSessions: {
    method: "get",
    path: "/sessions",
    summary: "The sessions, the newest first",
    query: z.object({ after: z.string().describe("The `next` of the page before.").optional() }),
    answer: { description: "A page of sessions.", json: "SessionPage" },
  },
  createSession: {
    method: "post",
    path: "/sessions",
    summary: "Create a session; the agent does not run yet",
    headers: z.object({ "Idempotency-Key": idempotencyKey.optional() }),
    body: newSession,
    answer: { status: 201, description: "Its `sessionId`.", json: "NewSession" },
  },
  getSession: {
    method: "get",
    path: "/sessions/{id}",
    summary: "A session's settings",
    answer: { description: "The session.", json: "Session" },
  },
  deleteSession: {
    method: "delete",
    path: "/sessions/{id}",
    summary: "Delete a session; a turn of it is cancelled",
    answer: { status: 204, description: "The session is deleted." },
  },
  getHistory: {
    method: "get",
    path: "/sessions/{id}/history",
    summary: "The messages of a session",
    query: z.object({ type: historyType }),
    answer: { description: "The messages.", json: "History" },
  },
  startTurn: {
    method: "post",
    path: "/sessions/{id}/turns",
    summary: "Start a turn, or go on with one that waits",
    query: z.object({ after: afterEvent.optional() }),
    headers: z.object({
      "Idempotency-Key": idempotencyKey.optional(),
      "Last-Event-ID": lastEventId.optional(),
    }),
    body: turnRequest,
    answer: TURN,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

export const EXTENSION_ENDPOINTS = {
  replayTurn: {
    method: "get",
    path: "/sessions/{id}/turns",
    summary: "Receive a response again, or the rest of it",
    query: z.object({
      stream: streamMode.describe("In which mode (delta).").optional(),
      after: afterEvent.optional(),
    }),
    headers: z.object({ "Last-Event-ID": lastEventId.optional() }),
    answer: TURN,
  },
  followSession: {
    method: "get",
    path: "/sessions/{id}/events",
    summary: "Everything that happens in a session, as it happens",
    query: z.object({ after: afterEvent.optional() }),
    headers: z.object({ "Last-Event-ID": lastEventId.optional() }),
    answer: { description: "Session events.", frames: "SessionEvent" },
  },
  cancelTurn: {
    method: "post",
    path: "/sessions/{id}/cancel",
    summary: "Cancel the turn, or one call of it",
    body: cancelRequest,
    answer: { description: "Whether there was anything to cancel.", json: "Cancelled" },
  },
  listQuestions: {
    method: "get",
    path: "/questions",
    summary: "The open questions of all sessions, a page at a time",
    query: z.object({
      after: z.string().optional().describe("The `next` of the page before."),
      limit: questionLimit.optional(),
    }),
    answer: { description: "The questions.", json: "Questions" },
  },
  readQuestion: {
    method: "get",
    path: "/questions/{id}",
    hasSlashes: true,
    summary: "The whole text of an open question, page by page",
    query: z.object({ page: questionPageNumber.optional() }),
    answer: {
      description: "A page. The call's content is whole in the list of questions.",
      json: "QuestionText",
    },
  },
  answerQuestion: {
    method: "post",
    path: "/questions/{id}",
    hasSlashes: true,
    summary: "Answer a question; the first answer counts",
    body: answerRequest,
    answer: { description: "The answer that counts.", json: "Answered" },
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

/** For the operator of a server. */
export const OPERATOR_ENDPOINTS = {
  getHealth: {
    method: "get",
    path: "/healthz",
    summary: "Whether the server is alive",
    answer: { description: "ok", isText: true },
    isOpen: true,
  },
  getReadiness: {
    method: "get",
    path: "/readyz",
    summary: "Whether the server takes turns: 503 while it drains or its ledger cannot be reached or written",
    answer: { description: "ready", isText: true },
    isOpen: true,
  },
  getMetrics: {
    method: "get",
    path: "/metrics",
    summary: "Figures for Prometheus",
    answer: { description: "Figures.", isText: true },
  },
  getOpenApi: {
    method: "get",
    path: "/openapi.json",
    summary: "This description",
    answer: { description: "OpenAPI 3.1.", json: "OpenApi" },
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

export const ENDPOINTS = { ...PROTOCOL_ENDPOINTS, ...EXTENSION_ENDPOINTS, ...OPERATOR_ENDPOINTS } as const;
