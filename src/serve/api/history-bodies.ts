/** Recorded calls: search with filters, and statistics. */
import { z } from "zod";
import type { CallStatistics, ModelUsage, ToolCallStatus } from "../../call/index.js";
import { typed } from "./typed.js";

/** A new status of calls does not compile until history can be searched for it. */
const HISTORY_STATUSES = {
  drafting: "drafting",
  ready: "ready",
  waiting: "waiting",
  cleared: "cleared",
  running: "running",
  done: "done",
  failed: "failed",
  refused: "refused",
  cancelled: "cancelled",
  unknown: "unknown",
  breach: "breach",
  undone: "undone",
} as const satisfies { [Status in ToolCallStatus | "breach" | "undone"]: Status };

const time = z.coerce.number().describe("Milliseconds since 1970.");

export const historyQuery = z.strictObject({
  text: z.string().describe('Words, "phrases" and begin*; all must be there.').optional(),
  sessionId: z.string().optional(),
  tool: z.string().optional(),
  kind: z.string().optional(),
  status: z
    .enum(HISTORY_STATUSES)
    .describe(
      "The status of the call, `breach`, or `undone`, which also finds calls that were undone in part. A call that was undone as a whole has no other status here.",
    )
    .optional(),
  path: z
    .string()
    .min(1)
    .describe(
      "A path that the call names, or a pattern like src/** or *.ts: as of the session's folder, a name alone at any depth. A folder stands for all in it.",
    )
    .optional(),
  agent: z.string().optional(),
  folder: z.string().optional(),
  decidedBy: z.enum(["rule", "person", "sandbox", "nobody"]).optional(),
  since: time.optional(),
  until: time.optional(),
  before: z.string().describe("The `next` of the page before.").optional(),
  limit: z.coerce.number().int().min(1).max(200).describe("At most this many (50).").optional(),
});
export type HistoryQuery = z.output<typeof historyQuery>;

const historyCall = z.object({
  sessionId: z.string(),
  toolCallId: z.string(),
  at: z.number(),
  tool: z.string(),
  kind: z.string(),
  title: z.string(),
  status: z.string(),
  failure: z
    .string()
    .describe("How the command of a call that is done failed: `exit code 3`.")
    .exactOptional(),
  undone: z
    .enum(["whole", "part"])
    .describe("Its files were put back since, or some changes of its edit.")
    .exactOptional(),
  agent: z.string().exactOptional(),
  sessionTitle: z.string().exactOptional(),
  folder: z.string().exactOptional(),
  decidedBy: z.enum(["rule", "person", "sandbox"]).exactOptional(),
  who: z.string().exactOptional(),
  rule: z.string().exactOptional(),
  ranMs: z.number().exactOptional(),
  waitedMs: z.number().exactOptional(),
  breach: z.string().exactOptional(),
  /** Around the first match of a text search. */
  excerpt: z.array(z.object({ text: z.string(), isMatch: z.boolean() })).exactOptional(),
});
export type HistoryCall = z.output<typeof historyCall>;

/** A message that matches a text search. */
const historyMessage = z.object({
  sessionId: z.string(),
  at: z.number(),
  role: z.string(),
  excerpt: z.array(z.object({ text: z.string(), isMatch: z.boolean() })),
});
export type HistoryMessage = z.output<typeof historyMessage>;

export const historyPage = z.object({
  calls: z.array(historyCall).describe("The newest first."),
  messages: z.array(historyMessage),
  next: z.string().exactOptional(),
  tookMs: z.number(),
});
export type HistoryPage = z.output<typeof historyPage>;

export const statisticsQuery = z.strictObject({
  since: time.optional(),
  until: time.optional(),
  folder: z.string().optional(),
  agent: z.string().optional(),
});
export type StatisticsQuery = z.output<typeof statisticsQuery>;

const group = typed<CallStatistics>(
  z.looseObject({
    key: z.string(),
    calls: z.number(),
    done: z.number(),
    failed: z.number(),
    refused: z.number(),
    cancelled: z.number(),
    unknown: z.number(),
    open: z.number(),
    decidedByRule: z.number(),
    decidedByPerson: z.number(),
    contained: z.number(),
    breaches: z.number(),
    ranMs: z.object({ p50: z.number(), p95: z.number() }).exactOptional(),
    waitedMs: z.object({ p50: z.number(), p95: z.number() }).exactOptional(),
  }),
);

export const statistics = z.object({
  since: z.number().exactOptional(),
  until: z.number().exactOptional(),
  /** All calls of the period in one group; its key is empty. */
  total: group,
  /** The same length of time before, for comparison; left out without `since`. */
  before: group.exactOptional(),
  byDay: z.array(group).describe("The oldest day first."),
  byTool: z.array(group),
  byKind: z.array(group),
  byAgent: z.array(group),
  byRule: z.array(group).describe("A call that several rules let through together counts for each."),
  models: z.array(
    typed<ModelUsage & { readonly costUsd?: number }>(
      z.looseObject({ model: z.string(), inputTokens: z.number(), outputTokens: z.number() }),
    ),
  ),
  /** Time from question to answer: how many waited less than `underMs`; the last bucket has no bound. */
  waits: z.array(z.object({ underMs: z.number().exactOptional(), count: z.number() })),
  breaches: z.array(historyCall),
  tookMs: z.number(),
});
export type Statistics = z.output<typeof statistics>;
