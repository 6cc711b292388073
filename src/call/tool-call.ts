/**
 * What a tool call is: one value whose `state` is a union on `status`, with the data that only that
 * state has inside it. `applyEvent` is the only place where one changes.
 *
 * Every property is always present (undefined when unset), so that all calls have one shape: they are
 * made anew for every event, and the engine is several times faster when it need not guess.
 */
import type { Location, Meta, ToolCallContent } from "./content.js";
import type { PartialInput } from "./partial-input.js";
import type { Question } from "./question.js";
import type { ChildStep } from "./step.js";
import type { ToolKind } from "./tool-kind.js";

export type ToolCall = {
  /** Ours, unique in the session. */
  readonly toolCallId: string;
  /** The model provider's id, kept beside ours: providers repeat theirs. */
  readonly providerCallId: string | undefined;
  /** The tool's name for programs; empty when a foreign agent did not say. */
  readonly name: string;
  /** One line for people. Nothing is ever decided on it. */
  readonly title: string;
  readonly kind: ToolKind;
  readonly kindSource: KindSource;
  readonly parentToolCallId: string | undefined;
  /** The answers of the sub-agent that works on it, in order; the calls in them have this one as their parent. */
  readonly childSteps: readonly ChildStep[] | undefined;
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly Location[];
  readonly progress: Progress | undefined;
  readonly decision: Decision | undefined;
  readonly breach: Breach | undefined;
  readonly times: CallTimes;
  readonly _meta: Meta | undefined;
  readonly state: ToolCallState;
};

export type KindSource = "declared" | "inferred";

export type Progress = { readonly done: number; readonly total?: number; readonly message?: string };

/** Who said yes or no, by which rule, when, and why. */
export type Decision = {
  readonly by: "rule" | "person";
  readonly who?: string;
  readonly rule?: string;
  readonly reason?: string;
  /** What the yes is for: when the call is about to do something else, it is asked again. */
  readonly intentHash?: string;
  /** The input as the model wrote it, when whoever said yes changed it. */
  readonly originalInput?: unknown;
  readonly at: number;
};

/**
 * A foreign agent reported a call that it may not do: the rules deny it, somebody refused it, nobody has answered yet, or
 * it did something else than was allowed.
 */
export type Breach = {
  /** Somebody was asked, and refused it. */
  readonly isAfterRefusal: boolean;
  /** Somebody was asked, and had not answered when it was reported as done. */
  readonly isBeforeAnswer?: true;
  /** It was allowed, and did something else, which no rule denies; the reason says what. */
  readonly isOtherThanAllowed?: true;
  /** The person who refused it, where one did. */
  readonly who?: string;
  readonly rule?: string;
  readonly reason?: string;
};

/** Milliseconds since 1970. */
export type CallTimes = {
  readonly announced: number;
  readonly asked: number | undefined;
  readonly answered: number | undefined;
  readonly started: number | undefined;
  readonly ended: number | undefined;
  /** When the files that it had changed were put back. */
  readonly undone: number | undefined;
};

export type WaitingFor =
  | { readonly type: "question"; readonly questionId: string }
  | { readonly type: "app" }
  | { readonly type: "child"; readonly childSessionId: string };

/** `assumed`: a foreign agent did not report this end, we concluded it; one reported end may still replace it. */
type Ended = { readonly assumed: boolean };

export type ToolCallState =
  | { readonly status: "drafting"; readonly draft: PartialInput }
  | { readonly status: "ready" }
  | { readonly status: "waiting"; readonly waitingFor: WaitingFor }
  | { readonly status: "cleared" }
  | { readonly status: "running"; readonly cancelRequested: boolean }
  | ({ readonly status: "done" } & Ended)
  | ({ readonly status: "failed"; readonly error: string } & Ended)
  | { readonly status: "refused"; readonly assumed: false }
  | ({ readonly status: "cancelled"; readonly reason: string } & Ended)
  | ({ readonly status: "unknown"; readonly reason: string } & Ended);

export type ToolCallStatus = ToolCallState["status"];

/** What a call shows and says about itself. A value replaces, `null` clears, absent leaves as it is. */
export type CallFields = {
  readonly name?: string;
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly kindSource?: KindSource;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly Location[];
  readonly progress?: Progress | null;
  readonly _meta?: Meta | null;
};

/** What a file was. `blob` is where the ledger keeps its bytes. */
export type KeptFile =
  | { readonly type: "file"; readonly blob: string; readonly mode: number }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number };

/** One change of one path. `after` is the SHA-256 of what is written. */
export type FileChange =
  | { readonly type: "written"; readonly path: string; readonly before?: KeptFile; readonly after: string }
  | { readonly type: "removed"; readonly path: string; readonly before: KeptFile }
  /** `fingerprint`: what was moved, in a word; not there when there was too much of it. */
  | { readonly type: "moved"; readonly path: string; readonly to: string; readonly fingerprint?: string }
  /** A folder that was not there, made for what goes into it. */
  | { readonly type: "made"; readonly path: string }
  /** It could not be kept, so the call cannot be undone. */
  | { readonly type: "not-kept"; readonly path: string; readonly reason: string };

type CallEvent<Type extends string, Data = unknown> = {
  readonly type: Type;
  readonly toolCallId: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
} & Data;

type EndData = {
  readonly rawOutput?: unknown;
  readonly content?: readonly ToolCallContent[];
  readonly assumed?: boolean;
};

export type CallAnnounced = CallEvent<
  "call-announced",
  {
    readonly name: string;
    readonly title: string;
    readonly kind: ToolKind;
    readonly kindSource: KindSource;
    readonly providerCallId?: string;
    readonly parentToolCallId?: string;
  }
>;

export type ToolCallEvent =
  | CallAnnounced
  | CallEvent<"input-delta", { readonly text: string }>
  | CallEvent<"input-ready", { readonly rawInput: unknown }>
  | CallEvent<"call-revised", { readonly fields: CallFields }>
  | CallEvent<"content-appended", { readonly content: ToolCallContent }>
  /** `skipped`: how much came before `text` that is not recorded, since there was too much of it. */
  | CallEvent<
      "terminal-output",
      { readonly terminalId: string; readonly text: string; readonly skipped?: number }
    >
  | CallEvent<
      "terminal-exited",
      { readonly terminalId: string; readonly exit: { readonly exitCode?: number; readonly signal?: string } }
    >
  | CallEvent<"question-asked", { readonly question: Question }>
  | CallEvent<"app-awaited">
  | CallEvent<"child-awaited", { readonly childSessionId: string }>
  /** The sub-agent's model has said all it had to say: only what a step ended with is told to it again. */
  | CallEvent<"child-stepped", ChildStep>
  /**
   * Without a decision nobody here decided: a foreign agent ran the call by its own lights. `rawInput`: the
   * input was changed with the yes.
   */
  | CallEvent<"call-cleared", { readonly decision?: Decision; readonly rawInput?: unknown }>
  | CallEvent<"call-refused", { readonly decision?: Decision }>
  /** The intent as it was just before it took effect; recorded durably, or the call does not run. */
  | CallEvent<"run-started", { readonly intent?: unknown }>
  | CallEvent<"cancel-requested">
  /** A file is about to change: what it was is kept, so that the call can be undone. */
  | CallEvent<"file-kept", { readonly change: FileChange }>
  | CallEvent<"call-undone">
  /** Recorded once, when the call was reported as running or as ended. */
  | CallEvent<"call-breached", { readonly breach: Breach }>
  | CallEvent<"call-done", EndData>
  | CallEvent<"call-failed", EndData & { readonly error: string }>
  | CallEvent<"call-cancelled", EndData & { readonly reason: string }>
  | CallEvent<"call-unknown", EndData & { readonly reason: string }>;

export type ToolCallEventType = ToolCallEvent["type"];

/** The events that end a call, and what its status is then. Of any event one may ask whether it is among them. */
export const STATUS_AT_END: ReadonlyMap<string, ToolCallStatus> = new Map<ToolCallEventType, ToolCallStatus>([
  ["call-done", "done"],
  ["call-failed", "failed"],
  ["call-refused", "refused"],
  ["call-cancelled", "cancelled"],
  ["call-unknown", "unknown"],
]);

export function isOver(state: ToolCallState): boolean {
  return "assumed" in state;
}
