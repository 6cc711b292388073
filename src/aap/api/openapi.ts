/**
 * The server's own description, as OpenAPI 3.1. Bodies of requests are described by the very schemas that check them,
 * so what is described is what is taken.
 */
import { z } from "zod";
import { answerRequest, cancelRequest, newSession, turnRequest } from "./request-bodies.js";
import { RESPONSES } from "./response-bodies.js";

type Operation = {
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  readonly summary: string;
  readonly answer: Answer;
  readonly body?: z.ZodType;
  readonly query?: readonly Parameter[];
  readonly headers?: readonly Parameter[];
  /** Needs no token. */
  readonly isOpen?: boolean;
};

type ResponseName = keyof typeof RESPONSES;
type Answer = {
  readonly status: number;
  readonly says: string;
  /** What comes, by its content type. */
  readonly types: Readonly<Record<string, object>>;
};
type Parameter = {
  readonly name: string;
  readonly says: string;
  readonly required?: boolean;
  readonly values?: readonly string[];
};

const STRING = { type: "string" };
const named = (name: ResponseName): object => ({ $ref: `#/components/schemas/${name}` });
/** Frames are text; what each of them holds has a schema of its own. */
const frames = (name: ResponseName): object => ({
  ...STRING,
  description: `Server-sent events. Each frame has an "id", an "event" and, as JSON, its "data": see #/components/schemas/${name}.`,
});

const json = (says: string, name: ResponseName, status = 200): Answer => ({
  status,
  says,
  types: { "application/json": named(name) },
});
const text = (says: string): Answer => ({ status: 200, says, types: { "text/plain": STRING } });
const empty = (says: string, status: number): Answer => ({ status, says, types: {} });

const TURN: Answer = {
  status: 200,
  says: "The turn, whole or as it happens.",
  types: { "application/json": named("TurnResult"), "text/event-stream": frames("TurnEvent") },
};

const IDEMPOTENCY: Parameter = {
  name: "Idempotency-Key",
  says: "The same key again gets the recorded answer, and nothing is done again.",
};
const LAST_EVENT: Parameter = { name: "Last-Event-ID", says: "Only the events after this one." };
const AFTER_EVENT: Parameter = { name: "after", says: "The same as Last-Event-ID." };

const OPERATIONS: readonly Operation[] = [
  {
    method: "get",
    path: "/meta",
    summary: "The agents, and what they can do",
    answer: json("The agents.", "Meta"),
    isOpen: true,
  },
  {
    method: "get",
    path: "/sessions",
    summary: "The sessions, the newest first",
    query: [{ name: "after", says: "The `next` of the page before." }],
    answer: json("A page of sessions.", "SessionPage"),
  },
  {
    method: "post",
    path: "/sessions",
    summary: "Make a session; the agent does not run yet",
    body: newSession,
    headers: [IDEMPOTENCY],
    answer: json("Its `sessionId`.", "NewSession", 201),
  },
  {
    method: "get",
    path: "/sessions/{id}",
    summary: "A session's settings",
    answer: json("The session.", "Session"),
  },
  {
    method: "delete",
    path: "/sessions/{id}",
    summary: "Forget a session; a turn of it is cancelled",
    answer: empty("It is gone.", 204),
  },
  {
    method: "get",
    path: "/sessions/{id}/history",
    summary: "What was said and done",
    query: [{ name: "type", says: "Which history.", required: true, values: ["compacted", "full"] }],
    answer: json("The messages.", "History"),
  },
  {
    method: "post",
    path: "/sessions/{id}/turns",
    summary: "Start a turn, or go on with one that waits",
    body: turnRequest,
    query: [AFTER_EVENT],
    headers: [IDEMPOTENCY, LAST_EVENT],
    answer: TURN,
  },
  {
    method: "get",
    path: "/sessions/{id}/turns",
    summary: "Hear a response again, or the rest of it",
    query: [{ name: "stream", says: "As what (delta).", values: ["delta", "message", "none"] }, AFTER_EVENT],
    headers: [LAST_EVENT],
    answer: TURN,
  },
  {
    method: "get",
    path: "/sessions/{id}/events",
    summary: "Everything that happens in a session, as it happens",
    query: [AFTER_EVENT],
    headers: [LAST_EVENT],
    answer: { status: 200, says: "Session events.", types: { "text/event-stream": frames("SessionEvent") } },
  },
  {
    method: "post",
    path: "/sessions/{id}/cancel",
    summary: "Cancel the turn, or one call of it",
    body: cancelRequest,
    answer: json("Whether there was anything to cancel.", "Cancelled"),
  },
  {
    method: "get",
    path: "/questions",
    summary: "All open questions of all sessions",
    answer: json("The questions.", "Questions"),
  },
  {
    method: "post",
    path: "/questions/{id}",
    summary: "Answer a question; the first answer counts",
    body: answerRequest,
    answer: json("The answer that counts.", "Answered"),
  },
  { method: "get", path: "/healthz", summary: "Whether the server lives", answer: text("ok"), isOpen: true },
  { method: "get", path: "/metrics", summary: "Figures for Prometheus", answer: text("Figures.") },
  {
    method: "get",
    path: "/openapi.json",
    summary: "This description",
    answer: { status: 200, says: "OpenAPI 3.1.", types: { "application/json": { type: "object" } } },
  },
];

export function openApi(version = "0.0.0"): object {
  const paths = new Map<string, Record<string, object>>();
  for (const operation of OPERATIONS)
    paths.set(operation.path, { ...paths.get(operation.path), [operation.method]: described(operation) });
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolgate",
      version,
      description:
        "Agents for apps: the Agent Application Protocol, version 3, and what apps need beside it.",
    },
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: Object.fromEntries(
        Object.entries(RESPONSES).map(([name, schema]) => [name, schemaOf(schema)]),
      ),
    },
  };
}

function described({
  path,
  summary,
  answer,
  body,
  query = [],
  headers = [],
  isOpen = false,
}: Operation): object {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: STRING,
    })),
    ...query.map((one) => parameter(one, "query")),
    ...headers.map((one) => parameter(one, "header")),
  ];
  return {
    summary,
    ...(isOpen && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(body) } } },
    }),
    responses: { [answer.status]: response(answer), default: NOT_DONE },
  };
}

const NOT_DONE = {
  description: "What cannot be had, and why.",
  content: { "application/json": { schema: named("Problem") } },
};

function parameter({ name, says, required = false, values }: Parameter, place: "query" | "header"): object {
  const schema = values ? { ...STRING, enum: values } : STRING;
  return { name, in: place, description: says, required, schema };
}

function response({ says, types }: Answer): object {
  const content = Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));
  return { description: says, ...(Object.keys(content).length > 0 && { content }) };
}

/** As it comes in: what has a default may be left out. */
function schemaOf(body: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: "input" });
  return schema;
}
