/**
 * Runs one call whose start is recorded, and records the real outcome. A cancel is a request: a tool that finishes all
 * the same is done. A tool that does not stop within `stopGraceMs` is given up, and its end is recorded as unknown.
 */
import { ClientGone } from "./client-gone.js";
import { IllegalEvent, plainJson } from "../call/index.js";
import type { FileChange, SessionEvent, ToolCall } from "../call/index.js";
import type { Containment, Intent } from "../policy/index.js";
import type { EventWriter, SessionRecord } from "../record/index.js";
import { fullResult, ToolFailure } from "../tools/index.js";
import type { AskReply, AskRequest, Tool, ToolContext, ToolReturn, Workspace } from "../tools/index.js";
import type { BackgroundCommands } from "../tools/background-commands.js";
import type { KeepOutcome } from "../tools/kept-workspace/workspace-keeper.js";
import { commandChanges } from "./keep-before.js";
import type { KeptBatch } from "./kept-batch.js";
import { checkBase, confinedWorkspace } from "./confined-workspace.js";
import type { OwnChangesMark, OwnWrites } from "./confined-workspace.js";
import { CallReporter } from "./call-reporter.js";
import { CANCELLED, Cancelled } from "./running-calls.js";
import { undoableWorkspace } from "./undoable-workspace.js";
import type { LinkedAbort } from "./linked-abort.js";

/** Asks the person at the other side while a call runs. */
export type Elicit = (
  request: AskRequest,
  call: { readonly toolCallId: string; readonly signal: AbortSignal },
) => Promise<AskReply>;

export type RunOptions = {
  readonly tool: Tool;
  readonly input: unknown;
  /** The intent, as it was recorded just now. */
  readonly intent: Intent;
  readonly ownWrites: OwnWrites;
  /** When the intent was made. */
  readonly ownBefore: OwnChangesMark;
  readonly call: ToolCall;
  /** Stops the tool when the call is cancelled or its time is up. */
  readonly stop: LinkedAbort;
  readonly record: SessionRecord;
  readonly workspace: Workspace;
  /** The call's command runs in the sandbox, which guards this. */
  readonly contained: Containment | undefined;
  /** The state of the workspace before the call, where it was to be kept. */
  readonly keeping: KeepOutcome | undefined;
  /** The commands that were kept together with this one. */
  readonly batch: KeptBatch | undefined;
  /** The time limit in milliseconds. */
  readonly timeLimit: number;
  /** How long the tool may take to stop. */
  readonly stopGraceMs: number;
  readonly elicit: Elicit | undefined;
  readonly background: BackgroundCommands;
  readonly now: () => number;
};

export async function runCall(options: RunOptions): Promise<void> {
  const { call, stop, record, now } = options;
  const writer = record.writer();
  if (stop.isStopped) return recordNotStarted(options, writer);
  const reporter = new CallReporter(writer, call, now);
  const end = await endOf(options, reporter, writer);
  reporter.flush();
  await recordEnd(options, writer, end);
}

function recordNotStarted({ call: { toolCallId }, now }: RunOptions, writer: EventWriter): Promise<void> {
  writer.add({ type: "cancel-requested", toolCallId, at: now() });
  const reason = "it was stopped before it began.";
  return writer.append([{ type: "call-cancelled", toolCallId, at: now(), reason }]);
}

/** Runs the tool, and returns the events of its end, or those of a tool that was given up. */
function endOf(
  options: RunOptions,
  reporter: CallReporter,
  writer: EventWriter,
): Promise<readonly SessionEvent[]> {
  const { tool, stop, timeLimit } = options;
  const timer = timeout(timeLimit, () => stop.stop(new TimeIsUp(tool, timeLimit)));
  let endWatch: (() => void) | undefined;
  return new Promise<readonly SessionEvent[]>((resolve, reject) => {
    endWatch = watchStop(options, writer, () => resolve(givenUp(options)));
    outcome(options, reporter, writer).then(resolve, reject);
  }).finally(() => {
    stop.end();
    endWatch?.();
    clearTimeout(timer);
  });
}

/** The cancel is recorded before the tool reacts to it. A cancel may also come after the time limit. */
function watchStop(
  { call: { toolCallId }, stop, stopGraceMs, now }: RunOptions,
  writer: EventWriter,
  giveUp: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isCancelRequested = false;
  stop.onStop = (reason) => {
    timer ??= setTimeout(giveUp, stopGraceMs);
    if (isCancelRequested || reason instanceof TimeIsUp) return;
    isCancelRequested = true;
    writer.add({ type: "cancel-requested", toolCallId, at: now() });
  };
  return () => clearTimeout(timer);
}

async function recordEnd(
  { tool, call: { toolCallId }, record, now }: RunOptions,
  writer: EventWriter,
  end: readonly SessionEvent[],
): Promise<void> {
  try {
    await writer.append(end);
  } catch (error) {
    if (!(error instanceof IllegalEvent)) throw error;
    // Its result cannot be written down; that it ran is what must be on record.
    await record.append([
      { type: "call-failed", toolCallId, at: now(), error: `${tool.name} broke: ${error.message}` },
    ]);
  }
}

function contextOf(options: RunOptions, reporter: CallReporter, writer: EventWriter): ToolContext {
  const { call, stop, record, elicit, background } = options;
  const { toolCallId } = call;
  const { progress, output, diff, locate, terminal, meta, report } = reporter;
  const made = {
    toolCallId,
    plan: record.book.plan,
    background,
    progress,
    output,
    diff,
    locate,
    terminal,
    meta,
    report,
    ask: (request: AskRequest) => replyOf(elicit, request, { toolCallId, signal: stop.signal }),
    [LATE]: { stop, open: () => workspaceOf(options, writer), workspace: undefined },
  };
  // The two that the type lacks.
  return Object.defineProperties(made, MADE_LATE) as typeof made & Pick<ToolContext, "signal" | "workspace">;
}

const LATE = Symbol("made late");

type LateContext = {
  readonly [LATE]: {
    readonly stop: LinkedAbort;
    readonly open: () => Workspace;
    workspace: Workspace | undefined;
  };
};

/**
 * The signal and the workspace are made when they are first used: many tools use neither. All contexts share these getters,
 * since V8 keeps an object with getters of its own as a slow table. A copy of a context has both.
 */
const MADE_LATE = {
  signal: {
    enumerable: true,
    get(this: LateContext): AbortSignal {
      return this[LATE].stop.signal;
    },
  },
  workspace: {
    enumerable: true,
    get(this: LateContext): Workspace {
      return (this[LATE].workspace ??= this[LATE].open());
    },
  },
};

function workspaceOf(options: RunOptions, writer: EventWriter): Workspace {
  const { call, intent, ownWrites, ownBefore, record, workspace, contained, keeping, batch, now } = options;
  const { toolCallId } = call;
  const keep = (change: FileChange): Promise<void> =>
    writer.append([{ type: "file-kept", toolCallId, at: now(), change }]);
  let isRecorded = false;
  return undoableWorkspace(confinedWorkspace(workspace, intent, contained), {
    blob: (bytes) => record.ledger.putBlob(bytes),
    mayReplace: (path, before) => checkBase(intent, path, before, ownWrites.since(ownBefore, path)),
    wrote: (path, after) => ownWrites.add(path, after),
    started: (process) => writer.add({ type: "process-started", toolCallId, at: now(), process }),
    refused: (refusals) => {
      // A command in the background may end after its call.
      if (record.book.call(toolCallId)?.times.ended === undefined)
        writer.add({ type: "sandbox-refused", toolCallId, at: now(), refusals });
    },
    record: (change) => {
      ownWrites.begin();
      return keep(change);
    },
    commandEnded: async () => {
      if (isRecorded || !keeping) return;
      isRecorded = true;
      // The files that other calls wrote meanwhile would count as changed by the command.
      const kept = ownWrites.hasChangedSince(ownBefore) ? EDITED_MEANWHILE : keeping;
      const recordChanges = async (beside: readonly string[] = []): Promise<void> => {
        if (kept !== keeping && keeping.type === "kept") workspace.keeper?.release(keeping);
        for await (const change of commandChanges(kept, workspace, record.ledger, beside)) await keep(change);
      };
      if (!batch || keeping.type === "not-kept") return recordChanges();
      if (!(await batch.ended(toolCallId, recordChanges)))
        await keep({ type: "beside", path: workspace.root });
    },
  });
}

const EDITED_MEANWHILE: KeepOutcome = {
  type: "not-kept",
  reason: "files were edited while it ran, and its changes cannot be separated from these",
};

/** Calls the asker. Without one, or when it fails, the reply is a cancel. */
async function replyOf(
  elicit: Elicit | undefined,
  request: AskRequest,
  call: { readonly toolCallId: string; readonly signal: AbortSignal },
): Promise<AskReply> {
  const cancelled: AskReply = { action: "cancel" };
  if (!elicit || call.signal.aborted) return cancelled;
  const stopped = new Promise<AskReply>((resolve) => {
    call.signal.addEventListener("abort", () => resolve(cancelled), { once: true });
  });
  try {
    return (await Promise.race([elicit(request, call), stopped])) ?? cancelled;
  } catch {
    return cancelled;
  }
}

async function outcome(
  options: RunOptions,
  reporter: CallReporter,
  writer: EventWriter,
): Promise<readonly SessionEvent[]> {
  const { tool, input, call, stop, now } = options;
  const { toolCallId } = call;
  try {
    const returned = await tool.run(input, contextOf(options, reporter, writer));
    return ended(returned, reporter, { toolCallId, at: now() });
  } catch (error) {
    const at = now();
    if (stop.reason instanceof TimeIsUp && isAbort(error, stop))
      return [{ type: "call-failed", toolCallId, at, error: stop.reason.message }];
    if (stop.isStopped && isAbort(error, stop))
      return [{ type: "call-cancelled", toolCallId, at, reason: whyStopped(stop.reason) }];
    return [{ type: "call-failed", toolCallId, at, error: failureText(tool, error) }];
  }
}

function ended(
  returned: ToolReturn,
  reporter: CallReporter,
  { toolCallId, at }: { readonly toolCallId: string; readonly at: number },
): readonly SessionEvent[] {
  const { output, content, plan, isError, appended } = fullResult(returned);
  const rawOutput = plainJson(output);
  const shown = { rawOutput, ...(content && !reporter.isShown(content) && { content }) };
  return [
    ...(plan ? [{ type: "plan-updated", at, entries: plan } as const] : []),
    ...appended.map((item) => ({ type: "content-appended", toolCallId, at, content: item }) as const),
    isError
      ? {
          type: "call-failed",
          toolCallId,
          at,
          error: isError === true ? errorText(rawOutput) : isError,
          ...shown,
        }
      : { type: "call-done", toolCallId, at, ...shown },
  ];
}

const errorText = (output: unknown): string =>
  typeof output === "string" ? output : JSON.stringify(output ?? null);

/** The end of a call whose tool did not stop in time. */
function givenUp({ tool, call, stop, stopGraceMs, now }: RunOptions): readonly SessionEvent[] {
  const why = stop.reason instanceof TimeIsUp ? "its time was up" : "it was cancelled";
  const reason = `${why}, and ${tool.name} did not stop within ${seconds(stopGraceMs)}; it may still be running.`;
  return [{ type: "call-unknown", toolCallId: call.toolCallId, at: now(), reason }];
}

/** Timers take no more than 24 days; longer is no limit. */
function timeout(milliseconds: number, task: () => void): NodeJS.Timeout | undefined {
  return milliseconds < 2 ** 31 ? setTimeout(task, milliseconds) : undefined;
}

class TimeIsUp extends Error {
  constructor({ name }: Tool, milliseconds: number) {
    super(
      `${name} took longer than ${seconds(milliseconds)} and was stopped. Its effects until then remain. Give it less to do at once.`,
    );
    this.name = "TimeIsUp";
  }
}

const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;

function whyStopped(reason: unknown): string {
  if (reason instanceof ClientGone) return "the client went away while it ran.";
  const isGiven = reason instanceof Cancelled && reason.message !== CANCELLED;
  return isGiven ? `it was stopped while it ran: ${reason.message}` : "it was stopped while it ran.";
}

/** Many tools throw an error of their own when their signal aborts. */
function isAbort(error: unknown, { reason }: LinkedAbort): boolean {
  if (error === reason) return true;
  return error instanceof Error && (error.name === "AbortError" || /\babort(?:ed)?\b/i.test(error.message));
}

/** A `ToolFailure` is worded for the model; any other error is a bug in the tool, and is reported as one. */
export function failureText({ name }: Tool, error: unknown): string {
  if (error instanceof ToolFailure) return error.message;
  return `${name} broke: ${error instanceof Error ? error.message : typeof error === "string" ? error : "it threw a value that is not an error"}`;
}
