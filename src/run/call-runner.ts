/**
 * Runs one call that was allowed. The call is checked again first: a yes is for the intent that was shown and nothing
 * else, and a rule that denies has the last word. Then its start is recorded, and only then it runs. A call that a
 * sub-agent works on waits instead and advances one step of the sub-agent at a time: the next step starts when every
 * call of the last one has ended.
 */
import { IllegalEvent } from "../call/index.js";
import type { Question, SessionEvent, ToolCall } from "../call/index.js";
import type { Containment, Intent, Verdict } from "../policy/index.js";
import { isAppTool, isDelegating } from "../tools/index.js";
import type { CallView, Tool, Workspace } from "../tools/index.js";
import type { BackgroundCommands } from "../tools/background-commands.js";
import type { KeepOutcome } from "../tools/kept-workspace/workspace-keeper.js";
import type { Approvals } from "./approvals.js";
import { OwnWrites } from "./confined-workspace.js";
import type { CallTools } from "./call-tools.js";
import type { CallCheck, Judge, Resolved } from "./call-check.js";
import { byRule, intentHash } from "./decisions.js";
import type { Decisions } from "./decisions.js";
import { cannotBeUndone, keepBefore, keeperFor } from "./keep-before.js";
import { KeptBatch } from "./kept-batch.js";
import { runCall } from "./run-call.js";
import { changesFiles, groupOf, RunGroups, Cancelled, RunningCalls } from "./running-calls.js";
import type { Elicit } from "./run-call.js";
import type { SessionRecord } from "../record/index.js";
import type { LinkedAbort } from "./linked-abort.js";

/**
 * Takes the sub-agent that works on this call one step further, or ends the call. Returns without having done so
 * only when the signal has aborted, and leaves no half-written call behind.
 */
export type TakeChildStep = (toolCallId: string, signal: AbortSignal) => Promise<void>;

export type RunnerOptions = {
  readonly record: SessionRecord;
  readonly tools: CallTools;
  readonly judge: Judge;
  readonly check: CallCheck;
  readonly decisions: Decisions;
  readonly approvals: Approvals;
  readonly workspace: Workspace;
  readonly childStep: TakeChildStep | undefined;
  readonly elicit: Elicit | undefined;
  readonly background: BackgroundCommands;
  readonly timeLimit: number;
  readonly stopGraceMs: number;
  readonly now: () => number;
};

export class CallRunner {
  readonly running = new RunningCalls();
  readonly #options: RunnerOptions;
  readonly #ownWrites = new OwnWrites();
  readonly #groups = new RunGroups();
  readonly #givenGroups = new RunGroups();
  readonly #batch = new KeptBatch();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** The open calls that can start now. */
  startable(): readonly ToolCall[] {
    const open = this.#options.record.book.openCalls();
    const parents = new Set(open.map(({ parentToolCallId }) => parentToolCallId));
    return open.filter((call) => {
      if (this.running.has(call.toolCallId)) return false;
      if (call.state.status === "cleared") return true;
      return awaitsChild(call) && this.#options.childStep !== undefined && !parents.has(call.toolCallId);
    });
  }

  /** Rejects when what happened could not be recorded. */
  start(call: ToolCall, signal: AbortSignal): Promise<void> {
    const take = awaitsChild(call) ? this.#stepChild : this.#run;
    return this.running.start(call.toolCallId, signal, (stop) => take(call, stop));
  }

  /** Calls whose end could not be recorded when they ended: nothing of ours runs for them any more. */
  lost(calls: readonly ToolCall[] = this.#options.record.book.openCalls()): readonly SessionEvent[] {
    const at = this.#options.now();
    return calls.flatMap(({ toolCallId, state }): SessionEvent[] => {
      if (state.status !== "running" || this.running.has(toolCallId)) return [];
      return [{ type: "call-unknown", toolCallId, at, reason: "it failed and did not report its end." }];
    });
  }

  readonly #run = async (call: ToolCall, stop: LinkedAbort): Promise<void> => {
    const { tools, check, now } = this.#options;
    const { toolCallId, rawInput } = call;
    const tool = tools.find(call);
    const end = async (...events: readonly SessionEvent[]) =>
      void (await this.#recordUnlessOver(toolCallId, events));
    const failed = (error: string): SessionEvent => ({ type: "call-failed", toolCallId, at: now(), error });
    if (!tool || isAppTool(tool)) return end(failed(tools.unknownTool(call)));
    const checked = check.takeView(toolCallId);
    const view = checked ?? check.view();
    const resolved = await check.resolve(tool, rawInput, view);
    // Nothing was read since the decision.
    if (checked) view.forgetTexts();
    if (!resolved.ok) return end(failed(resolved.problem));
    const { groups, group } = this.#groupOf(toolCallId, resolved.intent);
    if (group === undefined) return this.#runResolved(call, tool, { ...resolved, view }, stop);
    const hasWaited = await groups.enter(group, stop.signal);
    try {
      // The calls that went before may have changed where its paths lead.
      if (hasWaited) view.forgetTexts();
      const again = hasWaited ? await check.resolve(tool, rawInput, view) : resolved;
      if (!again.ok) return await end(failed(again.problem));
      await this.#runResolved(call, tool, { ...again, view }, stop);
    } finally {
      groups.leave();
    }
  };

  /**
   * A client from outside may keep a command running for hours while it waits for its other calls, so those do not
   * wait for the command. Its file changes run one by one, each on the file that the one before it left.
   */
  #groupOf(toolCallId: string, intent: Intent): { readonly groups: RunGroups; readonly group?: string } {
    const { tools, workspace, record } = this.#options;
    const isGiven = tools.isGiven(toolCallId);
    const alone = changesFiles(intent) ? toolCallId : undefined;
    const call = record.book.call(toolCallId);
    // Alone, since nobody was asked: its changes must be separable from those of another call.
    const isKeptAlone =
      intent.command !== undefined &&
      call !== undefined &&
      isContained(call) &&
      keeperFor({ intent, workspace, ledger: record.ledger, isContained: true }) !== undefined;
    const group = isGiven ? alone : isKeptAlone ? toolCallId : groupOf(intent, workspace.roots);
    return { groups: isGiven ? this.#givenGroups : this.#groups, ...(group !== undefined && { group }) };
  }

  async #runResolved(
    call: ToolCall,
    tool: Tool,
    { input, intent, view }: Extract<Resolved, { ok: true }> & { readonly view: CallView },
    stop: LinkedAbort,
  ): Promise<void> {
    const { record, now } = this.#options;
    const { toolCallId } = call;
    const end = async (...events: readonly SessionEvent[]) =>
      void (await this.#recordUnlessOver(toolCallId, events));
    const ownBefore = this.#ownWrites.mark();
    const verdict = this.#options.judge(intent);
    const instead = await this.#instead(call, tool, { input, intent, verdict, view });
    // A call that was cancelled meanwhile is not asked about again.
    if (stop.isStopped) return end(...stoppedBefore(toolCallId, stop, now()));
    if (instead.length > 0) return end(...instead);
    const at = now();
    if (this.#options.childStep && isDelegating(tool)) {
      const childSessionId = `${record.sessionId}/${toolCallId}`;
      return end({ type: "child-awaited", toolCallId, at, childSessionId });
    }
    const { keeping, batch } = intent.command === undefined ? NOT_KEPT : await this.#keepBefore(call, intent);
    if (keeping?.type === "not-kept" && isContained(call))
      return end(this.#unkeptQuestion(call, intent, keeping.reason));
    const { elicit, background, timeLimit, stopGraceMs } = this.#options;
    const { workspace } = view;
    const started: SessionEvent = { type: "run-started", toolCallId, at: now(), intent };
    const run = async (): Promise<void> => {
      if (!(await this.#recordUnlessOver(toolCallId, [started]))) return;
      await runCall({
        tool,
        input,
        intent,
        ownWrites: this.#ownWrites,
        ownBefore,
        call: record.book.call(toolCallId) ?? call,
        stop,
        record,
        workspace,
        keeping,
        batch,
        contained: isContained(call) ? (verdict.contained ?? NO_GUARDS) : undefined,
        timeLimit: tool.timeLimit ?? timeLimit,
        stopGraceMs,
        elicit,
        background,
        now,
      });
    };
    await run().finally(() => {
      const isFree = batch === undefined || batch.leave(toolCallId);
      if (isFree && keeping?.type === "kept") workspace.keeper?.release(keeping);
    });
  }

  /** Commands of other clients run for as long as these want, each with a state of the workspace of its own. */
  async #keepBefore(call: ToolCall, intent: Intent): Promise<Keeping> {
    const { workspace, record, tools } = this.#options;
    const { toolCallId } = call;
    const options = { intent, workspace, ledger: record.ledger, isContained: isContained(call) };
    if (!keeperFor(options)) return NOT_KEPT;
    if (isContained(call) || tools.isGiven(toolCallId)) return { keeping: await keepBefore(options) };
    const batch = this.#batch;
    return { keeping: await batch.join(toolCallId, () => keepBefore(options)), batch };
  }

  /** Nobody was asked about a contained command, so it must be undoable. */
  #unkeptQuestion(call: ToolCall, intent: Intent, why: string): SessionEvent {
    const { judge, decisions, now } = this.#options;
    const { toolCallId, title } = call;
    const { saw } = judge(intent);
    const question = decisions.question(
      { toolCallId, title, intent },
      asking(cannotBeUndone(why), saw),
      true,
    );
    return { type: "question-asked", toolCallId, at: now(), question };
  }

  readonly #stepChild = async ({ toolCallId }: ToolCall, stop: LinkedAbort): Promise<void> => {
    const { childStep, now } = this.#options;
    await childStep?.(toolCallId, stop.signal);
    if (stop.isStopped) await this.#recordUnlessOver(toolCallId, stoppedBefore(toolCallId, stop, now()));
  };

  /** False when the call has ended in the meantime, cancelled by someone: then nothing more is to be done. */
  async #recordUnlessOver(toolCallId: string, events: readonly SessionEvent[]): Promise<boolean> {
    const { record } = this.#options;
    try {
      await record.append(events, { durable: true });
      return true;
    } catch (error) {
      const isOver = record.book.call(toolCallId)?.times.ended !== undefined;
      if (error instanceof IllegalEvent && isOver) return false;
      throw error;
    }
  }

  /** The events to record instead of running. A repeated question shows the call again. */
  async #instead(
    call: ToolCall,
    tool: Tool,
    { input, intent, verdict, view }: Judged,
  ): Promise<readonly SessionEvent[]> {
    const { toolCallId, title, decision, times } = call;
    const { check, decisions, approvals, now } = this.#options;
    const at = now();
    if (verdict.effect === "deny")
      return [{ type: "call-refused", toolCallId, at, decision: { ...byRule(verdict), at } }];
    const isSame = decision?.intentHash === intentHash(intent);
    const isAnswered = times.answered !== undefined || approvals.hasCleared(toolCallId);
    const mayContain = isContained(call) && verdict.contained !== undefined;
    if (isSame && (isAnswered || mayContain || verdict.effect === "allow")) return [];
    const shown = await check.shown(tool, input, { intent, verdict }, view);
    if (!shown.ok) return [{ type: "call-failed", toolCallId, at, error: shown.problem }];
    const asked = decisions.question(
      { toolCallId, title, intent, hunks: check.hunkCount(toolCallId, tool, shown.fields) },
      { ...verdict, reason: isSame && isContained(call) ? NO_SANDBOX : CHANGED },
      false,
    );
    return [
      { type: "call-revised", toolCallId, at, fields: shown.fields },
      { type: "question-asked", toolCallId, at, question: { ...asked, ...changedBefore(call) } },
    ];
  }
}

/** A person changed the input at the question before: the new one still knows the model's. */
const changedBefore = ({ decision }: ToolCall): Pick<Question, "originalInput"> =>
  decision?.originalInput === undefined ? {} : { originalInput: decision.originalInput };

type Judged = {
  readonly input: unknown;
  readonly intent: Intent;
  readonly verdict: Verdict;
  readonly view: CallView;
};

type Keeping = { readonly keeping?: KeepOutcome | undefined; readonly batch?: KeptBatch };

const NOT_KEPT: Keeping = {};

/** Nobody was asked about it: it runs in the sandbox, or not at all. */
const isContained = ({ decision }: ToolCall): boolean => decision?.by === "sandbox";

/** For a call that a rule allows by now: the sandbox still has its own protected names. */
const NO_GUARDS: Containment = { guards: [] };

export const awaitsChild = ({ state }: ToolCall): boolean =>
  state.status === "waiting" && state.waitingFor.type === "child";

const NO_SANDBOX = "it should run in the sandbox, which cannot contain it now";
const asking = (reason: string, saw: readonly string[]): Verdict => ({ effect: "ask", reason, saw });

const CHANGED = "its action has changed since the decision";

/**
 * A call that is stopped before it started is cancelled here, unless the whole turn stops: then the turn's end covers
 * it.
 */
function stoppedBefore(toolCallId: string, { reason }: LinkedAbort, at: number): readonly SessionEvent[] {
  return reason instanceof Cancelled
    ? [{ type: "call-cancelled", toolCallId, at, reason: reason.message }]
    : [];
}
