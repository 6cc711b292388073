/**
 * The frames of the one live stream. Each connection starts with `inbox` and `sessions`, unless it continues from an
 * event id of the same server. With a session in the query its changed entries follow.
 */
import { z } from "zod";
import { inbox, inboxQuestion } from "./question-bodies.js";
import { sessionDetail, sessionEntry, sessionSummary } from "./session-bodies.js";

export const liveQuery = z.strictObject({
  session: z.string().describe("Also the entries of this session as they change.").optional(),
  after: z.coerce
    .number()
    .int()
    .min(0)
    .describe("The `seq` of the page of entries of the session.")
    .optional(),
  call: z.string().describe("Also the raw terminal output of this call of the session.").optional(),
});
export type LiveQuery = z.output<typeof liveQuery>;

export const liveFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("inbox"), inbox }),
  z.object({
    type: z.literal("question"),
    change: z
      .enum(["asked", "answered", "withdrawn", "aged"])
      .describe("`aged`: open for eight hours, expired, or its turn was parked, went on or is gone."),
    question: inboxQuestion,
    answerable: z.number(),
  }),
  z.object({
    type: z.literal("sessions"),
    sessions: z.array(sessionSummary).describe("The sessions that are not idle."),
  }),
  z.object({ type: z.literal("session"), session: sessionSummary }),
  z.object({ type: z.literal("session-removed"), sessionId: z.string() }),
  z.object({ type: z.literal("rules-changed") }),
  /** For the session in the query. `after`: the key of the entry above it; null at the top. */
  z.object({ type: z.literal("entry"), seq: z.number(), after: z.string().nullable(), entry: sessionEntry }),
  /** Text at the end of the last block of a message. */
  z.object({
    type: z.literal("message-grew"),
    seq: z.number(),
    key: z.string(),
    offset: z.number().describe("Where `text` begins in the block; what was there from it on is replaced."),
    text: z.string(),
  }),
  z.object({ type: z.literal("entry-removed"), seq: z.number(), key: z.string() }),
  z.object({ type: z.literal("detail"), seq: z.number(), session: sessionDetail }),
  z.object({
    type: z.literal("terminal-output"),
    toolCallId: z.string(),
    terminalId: z.string(),
    text: z.string().describe("With its control sequences."),
    skipped: z.number().exactOptional(),
  }),
  /** Too much has changed since `after`: read the entries again. */
  z.object({ type: z.literal("reload"), seq: z.number() }),
]);
export type LiveFrame = z.output<typeof liveFrame>;
