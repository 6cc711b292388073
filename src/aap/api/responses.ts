/**
 * Answers as schemas, for the server's description of itself. The types are the client's, so that the description is
 * what a typed client reads. Each may have more fields than these.
 */
import { z } from "zod";
import { STATUSES } from "../../http/index.js";
import type {
  AgentInfo,
  HistoryMessage,
  Meta,
  SessionInfo,
  SessionPage,
  TurnEvent,
  TurnResult,
} from "../client/protocol.js";
import { toolSpec } from "./request-bodies.js";

const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({ type: z.literal("tool_use"), toolCallId: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal("image"), url: z.string() }),
]);
const content = z.union([z.string(), z.array(block)]);

const historyMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.string() }),
  z.object({ role: z.literal("user"), content }),
  z.object({ role: z.literal("assistant"), content }),
  z.object({ role: z.literal("tool"), toolCallId: z.string(), content }),
]) satisfies z.ZodType<HistoryMessage>;

const able = z.object({}).exactOptional();

const option = z.object({
  type: z.enum(["text", "secret", "select"]),
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  default: z.string(),
  options: z.array(z.string()).exactOptional(),
});

const agentInfo = z.object({
  name: z.string(),
  title: z.string().exactOptional(),
  version: z.string(),
  description: z.string().exactOptional(),
  tools: z
    .array(
      toolSpec.extend({
        kind: z.string().describe("What the tool does: read, edit, execute …").exactOptional(),
        trustable: z
          .boolean()
          .describe("Whether `trust: true` lets it run without a permission, where no rule denies or asks.")
          .exactOptional(),
      }),
    )
    .exactOptional(),
  options: z.array(option).exactOptional(),
  capabilities: z
    .object({
      history: z.object({ compacted: able, full: able }).exactOptional(),
      stream: z.object({ delta: able, message: able, none: able }).exactOptional(),
      application: z.object({ tools: able }).exactOptional(),
      image: z.object({ http: able, data: able }).exactOptional(),
    })
    .exactOptional(),
}) satisfies z.ZodType<AgentInfo>;

const meta = z.object({
  version: z.literal(3),
  agents: z.array(agentInfo),
  extensions: z.array(z.string()).exactOptional(),
}) satisfies z.ZodType<Meta>;

const session = z.object({
  sessionId: z.string(),
  agent: z.object({
    name: z.string(),
    tools: z.array(z.object({ name: z.string(), trust: z.boolean().exactOptional() })).exactOptional(),
    /** `trust` is the trust in force. A secret is `***`. */
    options: z.record(z.string(), z.string()).exactOptional(),
  }),
  tools: z.array(toolSpec).exactOptional(),
  questionLifetimeMs: z.number().exactOptional(),
}) satisfies z.ZodType<SessionInfo>;

const sessionPage = z.object({
  sessions: z.array(session),
  next: z.string().exactOptional(),
}) satisfies z.ZodType<SessionPage>;

const history = z.object({
  history: z.union([
    z.object({ full: z.array(historyMessage) }),
    z.object({ compacted: z.array(historyMessage) }),
  ]),
});

const stopReason = z.enum(["end_turn", "tool_use", "max_tokens", "refusal", "error"]);

const turnResult = z.object({
  stopReason,
  messages: z.array(historyMessage),
  error: z.string().exactOptional(),
}) satisfies z.ZodType<TurnResult>;

/** A frame of a stream: its `event` and its `data`. */
const turnEvent = z.discriminatedUnion("event", [
  z.object({ event: z.literal("turn_start"), data: z.object({}) }),
  z.object({ event: z.literal("text_delta"), data: z.object({ delta: z.string() }) }),
  z.object({ event: z.literal("thinking_delta"), data: z.object({ delta: z.string() }) }),
  z.object({ event: z.literal("text"), data: z.object({ text: z.string() }) }),
  z.object({ event: z.literal("thinking"), data: z.object({ thinking: z.string() }) }),
  z.object({ event: z.literal("answer_cut_off"), data: z.object({}) }),
  z.object({
    event: z.literal("model_retry"),
    data: z.object({ attempt: z.number(), waitMs: z.number(), message: z.string() }),
  }),
  z.object({
    event: z.literal("tool_call"),
    data: z.object({ toolCallId: z.string(), name: z.string(), input: z.unknown() }),
  }),
  z.object({
    event: z.literal("tool_result"),
    data: z.object({ toolCallId: z.string(), content, isError: z.boolean().exactOptional() }),
  }),
  z.object({
    event: z.literal("turn_stop"),
    data: z.object({ stopReason, error: z.string().exactOptional() }),
  }),
]) satisfies z.ZodType<TurnEvent>;

/** A frame of a session's own events: `type` says which, and is the frame's `event` too. */
const sessionEvent = z.object({ type: z.string(), at: z.number().exactOptional() });

const offeredWidth = z.object({
  effect: z.enum(["allow", "deny"]),
  width: z.string().describe("Names the width in an answer."),
  rules: z.array(z.record(z.string(), z.unknown())).describe("The exact rules that would be stored."),
  subject: z.string(),
  lines: z
    .array(z.object({ text: z.string(), note: z.string().exactOptional() }))
    .describe("The subject in lines, one per rule, with short paths. Questions of older versions have none.")
    .exactOptional(),
  sentence: z.string(),
  examples: z.array(z.string()).describe("What the rules would also let through."),
});

const question = z.object({
  questionId: z.string(),
  sessionId: z.string(),
  toolCallId: z.string(),
  intentHash: z.string(),
  title: z.string(),
  reason: z.string().exactOptional(),
  about: z.array(z.string()).exactOptional(),
  hiddenCharacters: z
    .number()
    .describe("How many characters `about` leaves out; GET /questions/{id} has all of them.")
    .exactOptional(),
  options: z.array(
    z.object({
      optionId: z.string(),
      name: z.string(),
      kind: z.enum(["allow_once", "allow_always", "reject_once", "reject_always"]),
    }),
  ),
  widths: z
    .array(offeredWidth)
    .describe(
      'The widths of an "always" or "never"; the first "always" is the one that people mean, the first "never" the very call.',
    )
    .exactOptional(),
  likeness: z.string().describe("Equal for questions that may be answered together.").exactOptional(),
  askedAt: z.number(),
  expiresAt: z.number().exactOptional(),
  call: z.object({ name: z.string(), kind: z.string(), title: z.string() }).exactOptional(),
});

const answer = z.object({
  outcome: z.union([
    z.object({
      type: z.literal("selected"),
      optionId: z.string(),
      width: z.string().exactOptional(),
      rules: z.array(z.record(z.string(), z.unknown())).exactOptional(),
      scope: z.string().exactOptional(),
      expires: z.string().exactOptional(),
    }),
    z.object({ type: z.literal("refused") }),
  ]),
  by: z.enum(["rule", "person"]),
  who: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  input: z.unknown().optional(),
  at: z.number(),
});

const codes = Object.keys(STATUSES);

const problem = z.object({
  error: z.object({
    code: z.enum(codes),
    message: z.string(),
    /** The calls without an answer, when a submission is partial. */
    missing: z.array(z.string()).exactOptional(),
    /** The answers that count, when there were some before. */
    recorded: z.unknown().optional(),
  }),
});

/** By the names that the description gives them: whole answers, and the parts that several of them have. */
export const RESPONSES = {
  Block: block,
  HistoryMessage: historyMessage,
  ToolSpec: toolSpec,
  AgentInfo: agentInfo,
  StopReason: stopReason,
  Question: question,
  Meta: meta,
  NewSession: z.object({ sessionId: z.string() }),
  Session: session,
  SessionPage: sessionPage,
  History: history,
  TurnResult: turnResult,
  TurnEvent: turnEvent,
  SessionEvent: sessionEvent,
  Cancelled: z.object({ cancelled: z.boolean() }),
  Questions: z.object({ questions: z.array(question), next: z.string().exactOptional() }),
  QuestionText: z.object({
    questionId: z.string(),
    page: z.number(),
    pages: z.number(),
    text: z.string().describe("With every invisible character made visible."),
    widths: z.array(offeredWidth).exactOptional(),
  }),
  Answered: z.object({
    counted: z.boolean(),
    answer,
    alike: z
      .array(z.string())
      .describe("The other questions that this answered, where it was for all alike.")
      .exactOptional(),
    resumes: z
      .enum(["here", "elsewhere", "later"])
      .describe(
        "Who continues the turn: this server, the process that has the session, or the next one that opens it.",
      )
      .exactOptional(),
  }),
  Problem: problem,
  OpenApi: z.object({}),
} as const;

export type ResponseName = keyof typeof RESPONSES;
