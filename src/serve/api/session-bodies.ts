/** Sessions of all doors: the list, one session, its entries, prompts, cancel and undo. */
import { z } from "zod";
import type { CardStatus } from "../../view/index.js";
import type { CallCard, DiffCard } from "../../view/index.js";
import type { ContentBlock, Message, PlanEntry } from "../../call/index.js";
import { typed } from "./typed.js";

/** `running`: a turn is under way. `waiting`: a question is open. `error`: the last turn failed. */
const sessionState = z.enum(["running", "waiting", "idle", "error"]);
export type SessionState = z.output<typeof sessionState>;

/** How the session came here: an app (AAP), an editor (ACP), a terminal, the page, or an agent that Toolgate drives. */
export const sessionDoor = z.enum(["app", "editor", "terminal", "page", "driven", "demo", "unknown"]);
export type SessionDoor = z.output<typeof sessionDoor>;

const tokenUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number(),
  /** Where prices are known. */
  costUsd: z.number().exactOptional(),
});
export type TokenUsage = z.output<typeof tokenUsage>;

export const sessionSummary = z.object({
  sessionId: z.string(),
  title: z.string().describe("The recorded title, or the first words of the first prompt."),
  folder: z.string().exactOptional(),
  agent: z.string().exactOptional(),
  door: sessionDoor,
  state: sessionState,
  createdAt: z.number(),
  updatedAt: z.number(),
  calls: z.number(),
  messages: z.number(),
  breaches: z.number(),
  openQuestions: z.number(),
  usage: tokenUsage.exactOptional(),
  /** The `seq` of its last event. */
  seq: z.number(),
});
export type SessionSummary = z.output<typeof sessionSummary>;

export const sessionQuery = z.strictObject({
  text: z.string().describe("Words of the title, the folder or the agent.").optional(),
  folder: z.string().optional(),
  agent: z.string().optional(),
  state: sessionState.optional(),
  before: z.string().describe("The `next` of the page before.").optional(),
  limit: z.coerce.number().int().min(1).max(200).describe("At most this many (50).").optional(),
});
export type SessionQuery = z.output<typeof sessionQuery>;

export const sessionPage = z.object({
  sessions: z.array(sessionSummary),
  next: z.string().exactOptional(),
});
export type SessionPage = z.output<typeof sessionPage>;

export const planEntry = typed<PlanEntry>(
  z.looseObject({
    content: z.string(),
    priority: z.enum(["high", "medium", "low"]),
    status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
    toolCallIds: z.array(z.string()).exactOptional(),
  }),
);

const turn = z.object({
  turnId: z.string(),
  startedAt: z.number(),
  status: z.enum(["running", "parked", "stopped"]),
  stopReason: z.string().exactOptional(),
  error: z.string().exactOptional(),
  endedAt: z.number().exactOptional(),
});
export type SessionTurn = z.output<typeof turn>;

export const sessionDetail = sessionSummary.extend({
  modeId: z.string().exactOptional(),
  model: z.string().exactOptional(),
  plan: z.array(planEntry),
  turns: z.array(turn).describe("The last 50, the oldest first."),
  /** Counts of its calls by the status of their cards. */
  statuses: typed<Partial<Record<CardStatus, number>>>(z.record(z.string(), z.number())),
  canPrompt: z.boolean(),
  whyNotPrompt: z.string().describe("Why this server cannot prompt it.").exactOptional(),
  canCancel: z.boolean(),
  touched: z
    .array(
      z.object({
        path: z.string(),
        line: z.number().exactOptional(),
        toolCallId: z.string(),
        kind: z.string(),
        isNow: z.boolean().describe("Its call is not over."),
      }),
    )
    .describe("The files that the agent touched last, each once, the newest first; at most 8."),
});
export type SessionDetail = z.output<typeof sessionDetail>;

const card = typed<CallCard>(
  z.looseObject({
    toolCallId: z.string(),
    name: z.string(),
    title: z.string(),
    kind: z.string(),
    status: z.string(),
    facts: z.array(z.string()),
    locations: z.array(z.object({ path: z.string(), line: z.number().exactOptional() })),
    blocks: z.array(z.looseObject({ type: z.enum(["text", "note", "diff", "terminal"]) })),
    times: z.looseObject({ announced: z.number() }),
  }),
);

const message = typed<Message>(
  z.looseObject({
    messageId: z.string(),
    role: z.enum(["user", "agent", "thought"]),
    at: z.number(),
    blocks: z.array(z.looseObject({ type: z.string() })),
  }),
);

/** One entry of a session, as `toolgate/view` makes it. `key` stays the same while the entry changes. */
export const sessionEntry = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), key: z.string(), message, isCutOff: z.boolean() }),
  z.object({
    type: z.literal("call"),
    key: z.string(),
    card,
    /** How many calls it is nested in. */
    depth: z.number(),
    /** Its number among the session's calls, from 1. */
    number: z.number(),
    turnId: z.string().exactOptional(),
    parentToolCallId: z.string().exactOptional(),
    progress: z
      .object({ done: z.number(), total: z.number().exactOptional(), message: z.string().exactOptional() })
      .exactOptional(),
    /** Whether files that it changed are kept, so that an undo can be tried. */
    isKept: z.boolean(),
    /** Its command went on in the background; GET /api/commands says whether it still runs. */
    wentOn: z.literal(true).exactOptional(),
    /** A problem inside it: a breach or an unknown end of a call that it made. */
    inner: z.enum(["breach", "unknown"]).exactOptional(),
  }),
  z.object({
    type: z.literal("turn-stopped"),
    key: z.string(),
    at: z.number(),
    reason: z.string(),
    error: z.string().exactOptional(),
  }),
  z.object({ type: z.literal("compaction"), key: z.string(), at: z.number(), summary: z.string() }),
]);
export type SessionEntry = z.output<typeof sessionEntry>;
export type CallEntry = Extract<SessionEntry, { type: "call" }>;
export type MessageEntry = Extract<SessionEntry, { type: "message" }>;

export const entriesQuery = z.strictObject({
  before: z.string().describe("Only entries before the one with this key.").optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .describe("At most this many (100), the last ones.")
    .optional(),
});
export type EntriesQuery = z.output<typeof entriesQuery>;

export const entriesPage = z.object({
  entries: z.array(sessionEntry).describe("In their order; the page ends before `before`, or at the end."),
  /** How many entries there are in all, and how many stand before this page. */
  total: z.number(),
  earlier: z.number(),
  seq: z.number().describe("The last event that is in this page; `after` of the live stream."),
});
export type EntriesPage = z.output<typeof entriesPage>;

/** Texts, images as they come from a file input, and text files that the client has read. */
const promptBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("image"),
    mimeType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: z.base64().describe("The bytes, in base64."),
  }),
  z.object({ type: z.literal("resource"), resource: z.object({ uri: z.string(), text: z.string() }) }),
]);
export type PromptBlock = z.output<typeof promptBlock> & ContentBlock;

export const newSessionRequest = z.strictObject({
  agent: z.string().describe("One of `agents` of GET /api/me; the first one unless given.").exactOptional(),
  title: z.string().min(1).max(200).exactOptional(),
  modeId: z.string().exactOptional(),
  model: z
    .string()
    .describe("One of `models` of GET /api/me; the server's own unless given.")
    .exactOptional(),
  prompt: z
    .array(promptBlock)
    .min(1)
    .describe("Starts its first turn. Files of the folder that it names as `@path` go with it.")
    .exactOptional(),
});
export type NewSessionRequest = z.input<typeof newSessionRequest>;

export const newSession = z.object({ sessionId: z.string() });
export type NewSession = z.output<typeof newSession>;

export const promptRequest = z.strictObject({
  prompt: z.array(promptBlock).min(1),
  attachesFiles: z
    .boolean()
    .describe(
      "Whether files of the session's folder that a text names as `@path` go with it (true). A client that has attached its own files says false.",
    )
    .exactOptional(),
});
export type PromptRequest = z.input<typeof promptRequest>;

/** The turn goes on when the connection ends. */
export const prompted = z.object({ sessionId: z.string(), isStarted: z.boolean() });
export type Prompted = z.output<typeof prompted>;

export const sessionChange = z
  .strictObject({
    title: z.string().min(1).max(200).exactOptional(),
    modeId: z.string().min(1).exactOptional(),
    model: z.string().min(1).describe("Between turns; one of `models` of GET /api/me.").exactOptional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: "nothing to change: give a title, a modeId or a model",
  });
export type SessionChange = z.input<typeof sessionChange>;

/** False: there was nothing to summarize. */
export const compacted = z.object({ isDone: z.boolean() });
export type Compacted = z.output<typeof compacted>;

export const fileQuery = z.strictObject({
  session: z
    .string()
    .describe("Files of this session's folder; of the server's folder unless given.")
    .optional(),
  text: z.string().max(500).describe("Only paths that contain it.").optional(),
});
export type FileQuery = z.output<typeof fileQuery>;

/** Paths in the folder, the best match first, at most 50. */
export const fileNames = z.object({ files: z.array(z.string()) });
export type FileNames = z.output<typeof fileNames>;

export const cancelRequest = z.strictObject({
  toolCallId: z.string().min(1).describe("Only this call; else the whole turn.").exactOptional(),
  reason: z.string().exactOptional(),
});
export type CancelRequest = z.input<typeof cancelRequest>;

/** `why`: why nothing was cancelled, such as a turn that runs in another process. */
export const cancelled = z.object({ cancelled: z.boolean(), why: z.string().exactOptional() });
export type Cancelled = z.output<typeof cancelled>;

export const undoRequest = z.strictObject({
  turnId: z.string().min(1).describe("All calls of this turn, the last one first.").exactOptional(),
  toolCallId: z.string().min(1).exactOptional(),
  hunks: z
    .array(z.number().int().positive())
    .min(1)
    .describe("Only these hunks of the call's edit, counted from 1.")
    .exactOptional(),
  dryRun: z.boolean().describe("Only says what would be restored.").exactOptional(),
});
export type UndoRequest = z.input<typeof undoRequest>;

export const undone = z.object({
  /** False for a dry run, and where the undo is refused. */
  isDone: z.boolean(),
  /** Whether it can be undone now, for a dry run. */
  isPossible: z.boolean(),
  why: z.string().describe("Why not; then no file was touched.").exactOptional(),
  isNothing: z.boolean().describe("True for a turn of which no file is kept.").exactOptional(),
  toolCallIds: z.array(z.string()),
  paths: z.array(z.string()).describe("The files that are restored."),
  removes: z
    .array(z.object({ path: z.string(), isFolder: z.boolean() }))
    .describe(
      "For a dry run: those of `paths` that were not there before, and go. A folder stays when something else is in it.",
    )
    .exactOptional(),
  left: z.array(z.object({ path: z.string(), reason: z.string() })),
  hunks: z
    .array(
      z.object({
        number: z.number().describe("As `hunks` of the request takes it."),
        isUndone: z.boolean(),
        diff: typed<DiffCard>(z.looseObject({ heading: z.string(), rows: z.array(z.looseObject({})) })),
        why: z.string().describe("Why it cannot be undone now.").exactOptional(),
      }),
    )
    .describe("For a dry run on one edit: its changes, which can be undone one by one.")
    .exactOptional(),
});
export type Undone = z.output<typeof undone>;

export const exportFormat = z.enum(["markdown", "text", "ndjson", "csv"]);
export type ExportFormat = z.output<typeof exportFormat>;
