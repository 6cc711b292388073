/**
 * The gate: the one mechanism that takes calls from request to result. There are two kinds of calls.
 *
 * Calls that we run: `submit` announces them, checks them and decides on them, in one durable append, and never waits
 * for a person. `proceed` runs the allowed ones, and returns when nothing more can run. `call` takes one call all the
 * way.
 *
 * Calls that somebody else runs and reports (`reportedBy`): the gate decides on them and records them, and hands the
 * outcome to their runner.
 */
import { setImmediate } from "node:timers/promises";
import { IllegalEvent, plainJson, shownQuestion, ToolCallIds } from "../call/index.js";
import type { CallAnnounced, SessionBook, SessionEvent, ToolCall, ToolCallContent } from "../call/index.js";
import {
  BadOption,
  checkOptions,
  listOf,
  OBJECT,
  POSITIVE,
  required,
  SIGNAL,
  TEXT,
} from "../call/check-options.js";
import { SerialQueue } from "../call/serial-queue.js";
import { nobody } from "./askers.js";
import { awaitsChild, CallRunner } from "./call-runner.js";
import { cancelEvents } from "./end-events.js";
import { emitWarning } from "./emit-warning.js";
import { finishCall } from "./finish-call.js";
import { GATE_OPTIONS } from "./gate-options.js";
import type { GateOptions, Submitted, ToolRequest } from "./gate-options.js";
import { untilAnswered } from "./wait-for-answers.js";
import { ReportedCalls } from "./reported-calls.js";
import type { Reporter } from "./reported-calls.js";
import { Cancelled } from "./running-calls.js";
import type { RunningCalls } from "./running-calls.js";
import type { SessionRecord } from "../record/index.js";
import { undoCall } from "./undo-call.js";
import type { Undone, UndoOptions } from "./undo-call.js";
import { readEdit } from "./undo-hunks.js";
import type { EditHunk } from "./undo-hunks.js";
import { WrappedTools } from "./wrapped-tools.js";
import type { CallsTools, Gated, WrappableTool } from "./wrapped-tools.js";
import type { Verdict } from "../policy/index.js";
import { BackgroundCommands } from "../tools/background-commands.js";
import { Approvals } from "./approvals.js";
import { CallTools } from "./call-tools.js";
import { CallCheck } from "./call-check.js";
import { Decisions } from "./decisions.js";
import { LOOP_LIMIT, LoopGuard } from "./loop-guard.js";
import { SettleAnswers } from "./settle-answers.js";

export class Gate {
  readonly #record: SessionRecord;
  readonly #options: GateOptions;
  readonly #now: () => number;
  readonly #parts: GateParts;
  readonly #running: RunningCalls;
  readonly #wrapped: WrappedTools;
  #reported: ReportedCalls | undefined;
  /** Undos run one at a time: a second one must see what the first restored. */
  readonly #undoing = new SerialQueue();

  constructor(options: GateOptions) {
    checkOptions("Gate", options, GATE_OPTIONS);
    const { record, toolbox, now = Date.now } = options;
    this.#record = record;
    this.#options = options;
    this.#now = now;
    this.#parts = gateParts(options, (toolCallId) => this.#reported?.verdictOn(toolCallId));
    this.#running = this.#parts.runner.running;
    this.#wrapped = new WrappedTools(this, toolbox);
    const stopRechecks = options.onRulesChanged?.(() => void this.recheck().catch(emitWarning));
    if (stopRechecks) record.onClose(async () => stopRechecks());
    // Someone else has the session: what runs here can no longer be recorded.
    const { background } = this.#parts;
    record.lost.addEventListener(
      "abort",
      () => {
        this.#running.stopAll(record.lost.reason);
        void background.close();
      },
      { once: true },
    );
    record.onClose(() => background.close());
  }

  /** The event that announces a call while the model is still writing its input. */
  announce(
    name: string,
    ids: Pick<ToolRequest, "providerCallId" | "parentToolCallId"> = {},
    input?: unknown,
  ): CallAnnounced {
    if (typeof name !== "string") checkOptions("announce", { name }, { name: required(TEXT) });
    return this.#parts.check.announce({ name, ...ids }, input);
  }

  /** `also`: events of the caller's that belong into the same append, as functions of the calls' ids. */
  async submit(
    requests: readonly ToolRequest[],
    also: (toolCallIds: readonly string[]) => readonly SessionEvent[] = () => [],
  ): Promise<Submitted> {
    mustBeRequests(requests);
    const isOver = (toolCallId: string) => this.#record.book.call(toolCallId)?.times.ended !== undefined;
    const parts: { toolCallId: string; parent: string; events: readonly SessionEvent[] }[] = [];
    for (const request of requests) {
      const { parentToolCallId: parent = "" } = request;
      // A caller may link to a call that has ended long since; a sub-agent's call goes with its parent.
      parts.push({ parent: isOver(parent) ? "" : parent, ...(await this.#parts.check.submit(request)) });
    }
    const toolCallIds = parts.map(({ toolCallId }) => toolCallId);
    // A call that was cancelled while it was drafted or checked has ended already.
    await this.#record.appendLatest(() => [
      ...parts.flatMap(({ toolCallId, parent, events }) =>
        isOver(toolCallId) || isOver(parent) ? [] : events,
      ),
      ...also(toolCallIds),
    ]);
    const where = (...statuses: string[]) =>
      toolCallIds.filter((id) => statuses.includes(this.#record.book.call(id)?.state.status ?? ""));
    return {
      toolCallIds,
      settled: where("failed", "refused"),
      cleared: where("cleared"),
      waiting: where("waiting"),
    };
  }

  /**
   * Runs every cleared call, in parallel, and every sub-agent, until nothing more can run. Answers that come while it
   * runs are taken up when `wake` says so.
   */
  async proceed(signal: AbortSignal): Promise<void> {
    if (!(signal instanceof AbortSignal)) checkOptions("proceed", { signal }, { signal: required(SIGNAL) });
    // Calls may have ended while nothing could be recorded, on a full disk for example.
    await this.#parts.answers.appendLatest(() => this.#parts.runner.lost());
    // The record broke, not a tool: nothing more is started, and the caller gets the error.
    const failures: unknown[] = [];
    for (;;) {
      const since = this.#running.wakes;
      if (!signal.aborted && failures.length === 0) {
        // When answers cannot be read, what runs is still waited for.
        await this.#parts.answers.settle().catch((error: unknown) => void failures.push(error));
        for (const call of failures.length > 0 ? [] : this.#parts.runner.startable())
          this.#parts.runner.start(call, signal).catch((error: unknown) => void failures.push(error));
      }
      if (this.#running.size === 0) break;
      await this.#running.somethingHappens(since);
      // Many of thousands of calls end in the same tick: one pass handles them all.
      if (this.#running.size > 0) await setImmediate();
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Takes up the answers that have come in by now. */
  async settle(): Promise<void> {
    await this.#parts.answers.settle();
  }

  /** Answers the open questions that the rules settle by now. */
  async recheck(): Promise<void> {
    if (await this.#parts.answers.answerByRule()) this.wake();
  }

  /** An answer has come in: a `proceed` that is under way looks at it now, and not when a call ends. */
  wake(): void {
    this.#running.wake();
  }

  /** Takes one call all the way: submitted, asked about, run. Returns it as it ended; an app's or a sub-agent's may still wait. */
  async call(request: ToolRequest, signal: AbortSignal = NEVER): Promise<ToolCall> {
    if (!(signal instanceof AbortSignal)) checkOptions("call", { signal }, { signal: SIGNAL });
    const { toolCallIds } = await this.submit([request]);
    return this.finish(toolCallIds[0] ?? "", signal);
  }

  /** Takes one submitted call to its end, as `call` does. */
  async finish(toolCallId: string, signal: AbortSignal = NEVER): Promise<ToolCall> {
    if (typeof toolCallId !== "string" || !(signal instanceof AbortSignal))
      checkOptions("finish", { toolCallId, signal }, { toolCallId: required(TEXT), signal: SIGNAL });
    const options = {
      record: this.#record,
      runner: this.#parts.runner,
      untilAnswered: this.#untilAnswered,
      settle: () => this.settle(),
      cancelCall: (id: string, reason: string) => this.#cancelOwn(id, reason),
    };
    try {
      return await finishCall(options, toolCallId, signal);
    } finally {
      this.#parts.tools.forget(toolCallId);
    }
  }

  /** The calls of somebody who runs and reports them. A gate has one such reporter. */
  reportedBy(reporter: Reporter): ReportedCalls {
    const { tools } = this.#parts;
    const isOurs = (toolCallId: string) => tools.isGiven(toolCallId);
    const options = { ...this.#parts, isOurs, untilAnswered: this.#untilAnswered };
    this.#reported = new ReportedCalls(options, reporter);
    return this.#reported;
  }

  /** Ends every call: cancels the waiting ones, stops the running ones and waits for the end that they report. */
  async cancel(reason: string): Promise<void> {
    await this.#cancel(() => this.#record.book.openCalls(), reason);
  }

  /**
   * Ends one call and the calls made for it: cancels waiting ones, stops running ones and waits for them. Returns
   * false when the call has ended already. A call that somebody else runs is cancelled only while it waits.
   */
  async cancelCall(toolCallId: string, reason: string): Promise<boolean> {
    if (this.#reported && !this.#parts.tools.isGiven(toolCallId))
      return this.#reported.withdraw(toolCallId, reason);
    return this.#cancelOwn(toolCallId, reason);
  }

  async #cancelOwn(toolCallId: string, reason: string): Promise<boolean> {
    const call = this.#record.book.call(toolCallId);
    if (!call || call.times.ended !== undefined) return false;
    const isMeant = (one: ToolCall) => one.toolCallId === toolCallId || one.parentToolCallId === toolCallId;
    await this.#cancel(() => this.#record.book.openCalls().filter(isMeant), reason);
    this.#running.wake();
    return true;
  }

  async #cancel(calls: () => readonly ToolCall[], reason: string): Promise<void> {
    const meant = new Set<string>();
    // A call that has not started yet ends by the events recorded here, so nobody needs to wait for its check.
    const atWork = new Set<string>();
    const stop = () => {
      for (const call of calls()) {
        meant.add(call.toolCallId);
        if (isAtWork(call)) atWork.add(call.toolCallId);
      }
      for (const toolCallId of meant) this.#running.stop(toolCallId, new Cancelled(reason));
    };
    stop();
    await this.#parts.answers.appendLatest(() =>
      cancelEvents(this.#record.book, reason, this.#now(), calls()),
    );
    // A call may have started just before the append.
    stop();
    await Promise.allSettled([...atWork].map((toolCallId) => this.#running.ended(toolCallId)));
    await this.#parts.answers.appendLatest(() => this.#parts.runner.lost(calls()));
  }

  /**
   * The same tools with each call going through the gate: plain functions, or a record as the AI SDK has
   * them. A name that is known already is refused.
   */
  wrapTools<Tools extends { readonly [name: string]: WrappableTool }>(tools: Tools): Gated<Tools> {
    if (!OBJECT.isRight(tools))
      throw new BadOption("wrapTools: the tools must be an object, each under its name.");
    return this.#wrapped.tools(tools);
  }

  /** The same agent, with each of its `callTool` calls going through the gate. */
  wrapCallTool<Agent extends CallsTools>(agent: Agent): Agent {
    return this.#wrapped.callTool(agent);
  }

  /** Puts back the files that a call changed, or single hunks of its edit; throws UndoRefused when they have changed since. */
  async undo(toolCallId: string, options: UndoOptions = {}): Promise<Undone> {
    checkOptions<UndoOptions>("undo", options, { hunks: listOf(POSITIVE) });
    const { workspace } = this.#options;
    return this.#undoing.run(() => undoCall(this.#record, workspace, toolCallId, this.#now, options));
  }

  /** The hunks of an edit, as `undo` takes them; throws UndoRefused for a call that is none. */
  async hunks(toolCallId: string): Promise<readonly EditHunk[]> {
    return (await readEdit(this.#record, this.#options.workspace, toolCallId)).hunks;
  }

  /** The commands that keep running after their calls. */
  get background(): Pick<BackgroundCommands, "peek" | "isRunning" | "runningCount" | "ended"> {
    return this.#parts.background;
  }

  /** The session as it is recorded so far. */
  get book(): SessionBook {
    return this.#record.book;
  }

  get sessionId(): string {
    return this.#record.sessionId;
  }

  /** Calls the listener with every event once it is recorded, in order. Returns the function that unsubscribes it. */
  onRecorded(listener: (events: readonly SessionEvent[]) => void): () => void {
    return this.#record.onRecorded(listener);
  }

  /** Releases the session, so that another process can open it. */
  async close(): Promise<void> {
    this.#running.stopAll(new Cancelled("the session was closed."));
    const atWork = this.#record.book.openCalls().filter(isAtWork);
    await Promise.allSettled(atWork.map(({ toolCallId }) => this.#running.ended(toolCallId)));
    await this.#parts.background.close();
    await this.#options.workspace.release?.();
    await this.#record.close();
  }

  /** The app's result of a call it was asked to make; `content` is what it shows beside that, pictures for one. */
  async finishForApp(
    toolCallId: string,
    output: unknown,
    content?: readonly ToolCallContent[],
  ): Promise<void> {
    const state = this.#record.book.call(toolCallId)?.state;
    if (state?.status !== "waiting" || state.waitingFor.type !== "app")
      throw new IllegalEvent(`Tool call ${toolCallId}`, "call-done", "does not wait for the app");
    await this.#record.append(
      [
        {
          type: "call-done",
          toolCallId,
          at: this.#now(),
          rawOutput: plainJson(output),
          ...(content && { content }),
        },
      ],
      { durable: true },
    );
  }

  readonly #untilAnswered = async (questionId: string, signal: AbortSignal): Promise<void> => {
    const { ledger, seq, book } = this.#record;
    const asked = book.question(questionId);
    const call = asked && book.call(asked.question.toolCallId);
    if (!call || asked.state.status !== "open") return;
    const question = shownQuestion(asked.question, call);
    const ask = this.#options.ask ?? nobody;
    await untilAnswered({ ledger, question, ask, signal, after: seq, now: this.#now });
  };
}

const NEVER = new AbortController().signal;

/** Whether it may be in the middle of something: a tool that runs, an answer of a sub-agent. */
const isAtWork = (call: ToolCall): boolean => call.state.status === "running" || awaitsChild(call);

const TIME_LIMIT_MS = 600_000;
const STOP_GRACE_MS = 10_000;

type GateParts = ReturnType<typeof gateParts>;

/** The parts that check, decide, settle and run calls. `reportedVerdict`: the verdict by now on a call that somebody else runs. */
function gateParts(options: GateOptions, reportedVerdict: (toolCallId: string) => Verdict | undefined) {
  const { record, judge, workspace, remember, onCleared, childStep, elicit, now = Date.now } = options;
  const tools = new CallTools(options.toolbox);
  const loops = new LoopGuard(record.book, options.loopLimit ?? LOOP_LIMIT);
  const approvals = new Approvals(now);
  const decisions = new Decisions({
    record,
    judge,
    roots: workspace.roots,
    remember,
    onCleared,
    questionLifetimeMs: options.questionLifetime,
    now,
  });
  const callIds = options.callIds ?? new ToolCallIds(record.book);
  const { book } = record;
  const check = new CallCheck({ tools, callIds, workspace, book, judge, decisions, approvals, loops, now });
  const shared = { record, tools, judge, check, now };
  const background = new BackgroundCommands();
  const runner = new CallRunner({
    ...shared,
    background,
    decisions,
    approvals,
    workspace,
    childStep,
    elicit,
    timeLimit: options.timeLimit ?? TIME_LIMIT_MS,
    stopGraceMs: options.stopGraceMs ?? STOP_GRACE_MS,
  });
  const answers = new SettleAnswers({ ...shared, loops, remember, reportedVerdict });
  return { ...shared, loops, approvals, decisions, runner, answers, background };
}

/** TypeScript does not see callers in JavaScript. */
function mustBeRequests(requests: readonly ToolRequest[]): void {
  if (!Array.isArray(requests) || !requests.every(isRequest))
    throw new BadOption(
      'Gate: each call must be an object with a "name", the tool\'s, and an "input".',
      "name",
    );
}

const isRequest = (request: unknown): boolean =>
  typeof request === "object" && request !== null && "name" in request && typeof request.name === "string";
