/**
 * A session is the fold of its events. Load, AAP history, the views and the statistics read nothing else.
 */
import type { ContentBlock, Meta } from "./content.js";
import type { PlanEntry } from "./plan.js";
import type { Answer, Question } from "./question.js";
import type { StepResponse, Usage } from "./step.js";
import type { ToolCall, ToolCallEvent, ToolCallEventType } from "./tool-call.js";

export type MessageRole = "user" | "agent" | "thought";

export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "error";

export type SessionInfo = {
  readonly title?: string;
  readonly cwd?: string;
  readonly agent?: string;
  readonly _meta?: Meta | null;
};

/** A summary that replaces all steps up to and including this one. */
export type Compaction = { readonly throughStepId: string; readonly summary: string };

/** One compaction of a session, with its token usage. */
export type RecordedCompaction = Compaction & {
  readonly at: number;
  /** The tokens of the request for the summary. */
  readonly usage?: Usage;
  /** The turn that it interrupted; left out between two turns. */
  readonly turnId?: string;
};

/** How many tokens a model takes at most, learnt from a prompt that it refused. */
export type LearntWindow = { readonly model: string; readonly contextWindow: number };

/** A mistake in another agent's traffic that the ACP reader corrected. */
export type Repair = {
  readonly repair: string;
  readonly toolCallId?: string;
  readonly detail: string;
};

type Happened<Type extends string, Data> = { readonly type: Type; readonly at: number } & Data;

export type SessionEvent =
  | ToolCallEvent
  | Happened<"turn-started", { readonly turnId: string }>
  /** `tookMs`: its true duration, where the wall clock jumped in between. */
  | Happened<"turn-parked", { readonly turnId: string; readonly tookMs?: number }>
  | Happened<"turn-resumed", { readonly turnId: string }>
  | Happened<
      "turn-stopped",
      {
        readonly turnId: string;
        readonly stopReason: StopReason;
        readonly error?: string;
        /** The reason that somebody gave for a cancel. */
        readonly reason?: string;
        readonly tookMs?: number;
      }
    >
  /** The model's response is complete. Later prompts contain only complete responses. */
  | Happened<
      "step-ended",
      {
        readonly turnId: string;
        readonly stepId: string;
        readonly toolCallIds: readonly string[];
        readonly usage?: Usage;
        /** Left out where the provider attached no metadata to its response. */
        readonly answer?: StepResponse;
      }
    >
  /** From here on, prompts contain a summary of the steps before. The log keeps those steps. */
  | Happened<"context-compacted", Compaction & { readonly usage?: Usage }>
  /** The model refused a prompt because of its length. Later prompts of this model are made to fit. */
  | Happened<"window-learnt", LearntWindow>
  | Happened<
      "message-chunk",
      { readonly messageId: string; readonly role: MessageRole; readonly block: ContentBlock }
    >
  | Happened<"question-answered", { readonly questionId: string; readonly answer: Answer }>
  | Happened<"question-withdrawn", { readonly questionId: string; readonly reason: string }>
  | Happened<"plan-updated", { readonly entries: readonly PlanEntry[] }>
  | Happened<"mode-changed", { readonly modeId: string }>
  | Happened<"info-changed", { readonly info: SessionInfo }>
  | Happened<"traffic-repaired", { readonly repair: Repair }>;

export type SessionEventType = SessionEvent["type"];

/** The status of a turn after each event that is not about a call; undefined where the event leaves it as it is. */
export const TURN_STATUS_AFTER: {
  readonly [Type in Exclude<SessionEventType, ToolCallEventType>]: Turn["state"]["status"] | undefined;
} = {
  "turn-started": "running",
  "turn-resumed": "running",
  "turn-parked": "parked",
  "turn-stopped": "stopped",
  "step-ended": undefined,
  "context-compacted": undefined,
  "window-learnt": undefined,
  "message-chunk": undefined,
  "question-answered": undefined,
  "question-withdrawn": undefined,
  "plan-updated": undefined,
  "mode-changed": undefined,
  "info-changed": undefined,
  "traffic-repaired": undefined,
};

export type Turn = {
  readonly turnId: string;
  readonly startedAt: number;
  readonly state:
    | { readonly status: "running" }
    | { readonly status: "parked" }
    | {
        readonly status: "stopped";
        readonly stopReason: StopReason;
        readonly error?: string;
        readonly endedAt: number;
      };
};

/** One response of the model: the message of that id, and the calls that it requested. */
export type Step = {
  readonly turnId: string;
  readonly stepId: string;
  readonly toolCallIds: readonly string[];
  readonly usage?: Usage;
  readonly answer?: StepResponse;
};

/** A run of chunks of one message; a call in between starts a new run, so that the order can be read. */
export type Message = {
  readonly messageId: string;
  readonly role: MessageRole;
  readonly at: number;
  readonly blocks: readonly ContentBlock[];
};

export type AskedQuestion = {
  readonly question: Question;
  readonly state:
    | { readonly status: "open" }
    | { readonly status: "answered"; readonly answer: Answer }
    | { readonly status: "withdrawn"; readonly reason: string; readonly at: number };
};

export type TimelineEntry =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "call"; readonly call: ToolCall };

export type Session = {
  readonly sessionId: string;
  readonly info: SessionInfo;
  readonly modeId: string | undefined;
  readonly plan: readonly PlanEntry[];
  readonly turns: readonly Turn[];
  readonly steps: readonly Step[];
  readonly timeline: readonly TimelineEntry[];
  readonly questions: readonly AskedQuestion[];
  readonly repairs: readonly Repair[];
  /** The newest compaction. */
  readonly compaction: Compaction | undefined;
  /** All compactions, the oldest first. */
  readonly compactions: readonly RecordedCompaction[];
  /** The newest of each model. */
  readonly windows: readonly LearntWindow[];
};
