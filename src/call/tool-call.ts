/**
 * A tool call is one value whose `state` is a union on `status`, with the data that only that state has
 * inside it. `applyEvent` is the only place where a call changes.
 *
 * Every property is always present (undefined when unset), so that all calls have one shape: each event
 * makes a new call object, and engines are several times faster when all objects have the same shape.
 */
import type { Location, Meta, ToolCallContent } from "./content.js";
import type { RejectedHunk } from "./diff-hunks.js";
import type { PartialInput } from "./partial-input.js";
import type { Question } from "./question.js";
import type { ChildStep } from "./step.js";
import type { ToolKind } from "./tool-kind.js";

export type ToolCall = {
  /** Our id, unique in the session. */
  readonly toolCallId: string;
  /** The model provider's id, which need not be unique. */
  readonly providerCallId: string | undefined;
  /** The tool's name for programs; empty when a foreign agent did not say. */
  readonly name: string;
  /** One line for people. No decision depends on it. */
  readonly title: string;
  readonly kind: ToolKind;
  readonly kindSource: KindSource;
  readonly parentToolCallId: string | undefined;
  /** The responses of the sub-agent that works on this call, in order; their calls have this call as parent. */
  readonly childSteps: readonly ChildStep[] | undefined;
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly Location[];
  readonly progress: Progress | undefined;
  readonly decision: Decision | undefined;
  readonly breach: Breach | undefined;
  /** The refusals of the sandbox to the command of a contained call. */
  readonly refusals: readonly SandboxRefusal[] | undefined;
  /** The hunks of its edit that were undone, counted from 1, when not all of them were. */
  readonly undoneHunks: readonly number[] | undefined;
  /** Why the changes of its command cannot be undone, where they were to be kept and were not. */
  readonly notKept: string | undefined;
  readonly times: CallTimes;
  readonly _meta: Meta | undefined;
  readonly state: ToolCallState;
};

export type KindSource = "declared" | "inferred";

export type Progress = { readonly done: number; readonly total?: number; readonly message?: string };

/** Who decided, by which rule, when, and why. By the sandbox: the command runs unasked because it is contained. */
export type Decision = {
  readonly by: DecidedBy;
  readonly who?: string;
  readonly rule?: string;
  readonly reason?: string;
  /** The intent that the yes allows: when the call's intent changes, it is asked about again. */
  readonly intentHash?: string;
  /** The input as the model wrote it, when the person who allowed the call changed it. */
  readonly originalInput?: unknown;
  /** The hunks of the call's diff that the person rejected when they allowed the others. */
  readonly rejectedHunks?: readonly RejectedHunk[];
  /** Why the rule of an "always" or "never" could not be stored: then the answer holds for this once. */
  readonly notStored?: string;
  readonly at: number;
};

export type DecidedBy = "rule" | "person" | "sandbox";

/** `text`: a sentence about what the command tried, or left running. */
export type SandboxRefusal = {
  readonly type: "network" | "file" | "system" | "held back" | "not started";
  readonly text: string;
};

/**
 * A foreign agent reported a call that it may not do: the rules deny it, somebody refused it, nobody has answered yet, or
 * it did something else than was allowed.
 */
export type Breach = {
  /** Somebody was asked and refused the call. */
  readonly isAfterRefusal: boolean;
  /** Somebody was asked, and had not answered when it was reported as done. */
  readonly isBeforeAnswer?: true;
  /** The call was allowed and did something else, which no rule denies; the reason says what. */
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
  /** How long it waited for the answer and how long it ran, where the wall clock jumped in between (see durations.ts). */
  readonly waitedMs: number | undefined;
  readonly ranMs: number | undefined;
  /** When the files that the call changed were restored. */
  readonly undone: number | undefined;
};

export type WaitingFor =
  | { readonly type: "question"; readonly questionId: string }
  | { readonly type: "app" }
  | { readonly type: "child"; readonly childSessionId: string };

/** `assumed`: we concluded this end, no foreign agent reported it; one reported end may still replace it. */
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

/** The fields of a call that an event may set. A value replaces, `null` clears, an absent field stays. */
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

/** The earlier state of a file. `blob` is the key of its bytes in the ledger. */
export type KeptFile =
  | { readonly type: "file"; readonly blob: string; readonly mode: number }
  /**
   * A large file that was written: the blob has the bytes that the write replaced. The first `head` and the last `tail`
   * bytes are those of the written file. `hash` is the SHA-256 of the whole earlier content.
   */
  | {
      readonly type: "part";
      readonly hash: string;
      readonly blob: string;
      readonly head: number;
      readonly tail: number;
      readonly mode: number;
    }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number };

/** One change of one path. `after` is the SHA-256 of the written bytes. */
export type FileChange =
  | { readonly type: "written"; readonly path: string; readonly before?: KeptFile; readonly after: string }
  | { readonly type: "removed"; readonly path: string; readonly before: KeptFile }
  /** `fingerprint`: a hash of the moved tree; left out when the tree was too large. */
  | { readonly type: "moved"; readonly path: string; readonly to: string; readonly fingerprint?: string }
  /** A folder that was created because a file goes into it. */
  | { readonly type: "made"; readonly path: string }
  /** Changes of a command in the folder `path`. The blob has each changed path with its earlier content. */
  | {
      readonly type: "commanded";
      readonly path: string;
      readonly before: { readonly type: "bundle"; readonly blob: string };
      readonly count: number;
      /** Calls whose commands ran at the same time: these changes are theirs as well. */
      readonly beside?: readonly string[];
    }
  /** Changes of a command in the folder `path` are recorded with the last of the commands that ran beside it. */
  | { readonly type: "beside"; readonly path: string }
  /** A change of a command that an undo does not revert, with the reason. */
  | { readonly type: "left"; readonly path: string; readonly reason: string }
  /** The earlier state could not be stored, so the call cannot be undone. */
  | { readonly type: "not-kept"; readonly path: string; readonly reason: string };

/** A process that a call started, so that it can be found after a crash of ours. */
export type CallProcess = {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The scope of the pid: a boot and a pid namespace, or a host's name. */
  readonly machine: string;
  /** In ticks of that machine's clock; 0 where it is unknown. A pid is reused, a pid with its start is not. */
  readonly startTick: number;
  /** A word in the environment, and a limit, that all of its children inherit. */
  readonly mark: string;
  readonly limitBytes?: number;
};

type CallEvent<Type extends string, Data = unknown> = {
  readonly type: Type;
  readonly toolCallId: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
} & Data;

/** The true duration in milliseconds; left out when the events' times give it. */
type Waited = { readonly waitedMs?: number };

type EndData = {
  readonly ranMs?: number;
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
  /** `skipped`: the length of the output before `text` that was not recorded because there was too much. */
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
  /** The sub-agent's response is complete. Later prompts contain only complete responses. */
  | CallEvent<"child-stepped", ChildStep>
  /**
   * Without a decision a foreign agent ran the call on its own. `rawInput`: the person who allowed the call
   * changed its input.
   */
  | CallEvent<"call-cleared", Waited & { readonly decision?: Decision; readonly rawInput?: unknown }>
  | CallEvent<"call-refused", Waited & { readonly decision?: Decision }>
  /** The intent as it was just before it took effect; recorded durably, or the call does not run. */
  | CallEvent<"run-started", { readonly intent?: unknown }>
  /** A command of the call runs. After a crash it may still run: see `recoveryEvents`. */
  | CallEvent<"process-started", { readonly process: CallProcess }>
  /** The sandbox was in the way of a contained command. */
  | CallEvent<"sandbox-refused", { readonly refusals: readonly SandboxRefusal[] }>
  | CallEvent<"cancel-requested">
  /** A file is about to change: its earlier content is kept, so that the call can be undone. */
  | CallEvent<"file-kept", { readonly change: FileChange }>
  /** `hunks`: only these hunks of its edit, counted from 1. */
  | CallEvent<"call-undone", { readonly hunks?: readonly number[] }>
  /** Recorded once, when the call was reported as running or as ended. */
  | CallEvent<"call-breached", { readonly breach: Breach }>
  | CallEvent<"call-done", EndData>
  | CallEvent<"call-failed", EndData & { readonly error: string }>
  | CallEvent<"call-cancelled", EndData & { readonly reason: string }>
  | CallEvent<"call-unknown", EndData & { readonly reason: string }>;

export type ToolCallEventType = ToolCallEvent["type"];

/**
 * The status of a call after each event; undefined where the event leaves it as it is. A new event does not compile until
 * it has its line here.
 */
export const CALL_STATUS_AFTER: { readonly [Type in ToolCallEventType]: ToolCallStatus | undefined } = {
  "call-announced": "drafting",
  "input-delta": "drafting",
  "input-ready": "ready",
  "question-asked": "waiting",
  "app-awaited": "waiting",
  "child-awaited": "waiting",
  "call-cleared": "cleared",
  "run-started": "running",
  "call-refused": "refused",
  "call-done": "done",
  "call-failed": "failed",
  "call-cancelled": "cancelled",
  "call-unknown": "unknown",
  "call-revised": undefined,
  "content-appended": undefined,
  "terminal-output": undefined,
  "terminal-exited": undefined,
  "child-stepped": undefined,
  "process-started": undefined,
  "sandbox-refused": undefined,
  "cancel-requested": undefined,
  "file-kept": undefined,
  "call-undone": undefined,
  "call-breached": undefined,
};

const ENDS: ReadonlySet<ToolCallStatus | undefined> = new Set([
  "done",
  "failed",
  "refused",
  "cancelled",
  "unknown",
] satisfies ToolCallStatus[]);

/** The events that end a call, and its status then. The key is a string, so that any event's type can be looked up. */
export const STATUS_AT_END: ReadonlyMap<string, ToolCallStatus> = new Map(
  Object.entries(CALL_STATUS_AFTER).flatMap(([type, status]) =>
    status !== undefined && ENDS.has(status) ? [[type, status]] : [],
  ),
);

export function isOver(state: ToolCallState): boolean {
  return "assumed" in state;
}

/**
 * Makes ids for a session's calls. A provider may repeat its own ids, and ours still differ. The ids count
 * up from the session's last one, so they are the same when another process replays the log.
 */
export class ToolCallIds {
  readonly #session: { readonly callCount: number; call(toolCallId: string): unknown };
  #last = 0;

  constructor(session: { readonly callCount: number; call(toolCallId: string): unknown }) {
    this.#session = session;
  }

  next(): string {
    this.#last = Math.max(this.#last, this.#session.callCount) + 1;
    while (this.#session.call(`call_${this.#last}`) !== undefined) this.#last += 1;
    return `call_${this.#last}`;
  }
}

/**
 * From its start to its end: as it was measured, else by the times of its events, and never less than nothing; undefined for a call that did not run, or runs.
 */
export function runDuration({ ranMs, started, ended }: CallTimes): number | undefined {
  return ranMs ?? between(started, ended);
}

/** From the question to its answer; undefined for a call that nobody was asked about, or that waits. */
export function waitDuration({ waitedMs, asked, answered }: CallTimes): number | undefined {
  return waitedMs ?? between(asked, answered);
}

function between(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}
