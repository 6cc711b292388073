/**
 * The gate. `submit` announces calls, checks them and decides on them, in one durable append, and never
 * waits for a person. `proceed` runs what was let through, and returns when nothing more can run. `call`
 * takes one call all the way, for whoever has a loop of their own.
 */
import { setMaxListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { createToolTitle, IllegalEvent, plainJson, ToolCallIds } from "../call/index.js";
import type { Question, SessionBook, SessionEvent, ToolCall, ToolCallContent } from "../call/index.js";
import { SerialQueue } from "../call/serial-queue.js";
import type { Intent, Rule, Verdict } from "../policy/index.js";
import type { Toolbox, Workspace } from "../tools/index.js";
import { awaitsChild, CallRunner } from "./call-runner.js";
import type { TakeChildStep } from "./call-runner.js";
import { cancelEvents } from "./cancel-events.js";
import { CallCheck } from "./check-call.js";
import type { Judge } from "./check-call.js";
import { holdUntilAnswered } from "./hold-until-answered.js";
import type { Ask } from "./hold-until-answered.js";
import { LOOP_LIMIT, LoopGuard } from "./loop-guard.js";
import { questionFor } from "./question-for.js";
import type { Remember } from "./remember.js";
import type { Elicit } from "./run-call.js";
import { Cancelled } from "./running-calls.js";
import type { RunningCalls } from "./running-calls.js";
import type { SessionRecord } from "../record/index.js";
import { SettleAnswers } from "./settle-answers.js";
import { undoCall } from "./undo-call.js";
import type { Undone } from "./undo-call.js";
import { toolFor, unknownTool } from "./unknown-tool.js";
import { Wrapped } from "./wrap-tools.js";
import type { CallsTools, Gated, WrappableTool } from "./wrap-tools.js";

export type GateOptions = {
  readonly record: SessionRecord;
  readonly toolbox: Toolbox;
  /** What the rules say of an intent. */
  readonly judge: Judge;
  readonly workspace: Workspace;
  /** Hears of each call that a rule let through. */
  readonly onCleared?: ((verdict: Verdict) => void) | undefined;
  /** Stores what an "always" says. Without it no question offers one. */
  readonly remember?: Remember | undefined;
  /** Puts questions to someone, for calls made with `call`. Without it they are refused. */
  readonly ask?: Ask | undefined;
  /** Asks the person at the other side while a call runs. */
  readonly elicit?: Elicit | undefined;
  /** Takes the sub-agents further that calls of delegating tools wait for. Without it there are none. */
  readonly childStep?: TakeChildStep | undefined;
  /** After how many milliseconds a question can no longer be answered with yes; never when left out. */
  readonly questionLifetime?: number | undefined;
  /** After how many milliseconds a tool that has no limit of its own is told to stop. */
  readonly timeLimit?: number | undefined;
  /** How long a tool that was told to stop is waited for. */
  readonly patience?: number | undefined;
  /** How often the same call may be made before someone is asked. */
  readonly loopLimit?: number | undefined;
  readonly now?: (() => number) | undefined;
};

/** A call as the model asked for it. `toolCallId` when it was announced while it was being written. */
export type ToolRequest = {
  readonly name: string;
  /** The parsed JSON; a text that is no JSON stays a text and fails the tool's own check. */
  readonly input: unknown;
  readonly toolCallId?: string;
  readonly providerCallId?: string;
  readonly parentToolCallId?: string;
};

export type Submitted = {
  readonly toolCallIds: readonly string[];
  readonly settled: readonly string[];
  readonly cleared: readonly string[];
  readonly waiting: readonly string[];
};

const TEN_MINUTES = 600_000;
const PATIENCE = 10_000;

export class Gate {
  readonly #record: SessionRecord;
  readonly #toolbox: Toolbox;
  readonly #options: GateOptions;
  readonly #now: () => number;
  readonly #ids: ToolCallIds;
  readonly #check: CallCheck;
  readonly #answers: SettleAnswers;
  readonly #runner: CallRunner;
  readonly #running: RunningCalls;
  readonly #wrapped: Wrapped;
  /** One at a time: a second undo must see what the first has put back. */
  readonly #undoing = new SerialQueue();

  constructor(options: GateOptions) {
    const { record, toolbox, judge, workspace, now = Date.now } = options;
    this.#record = record;
    this.#toolbox = toolbox;
    this.#options = options;
    this.#now = now;
    this.#ids = new ToolCallIds(record.book);
    const loops = new LoopGuard(record.book, options.loopLimit ?? LOOP_LIMIT);
    this.#check = new CallCheck({
      workspace,
      judge,
      loops,
      now,
      onCleared: options.onCleared ?? (() => undefined),
      question: (...asked) => this.#question(...asked),
    });
    this.#runner = new CallRunner({
      record,
      toolbox,
      judge,
      check: this.#check,
      workspace,
      question: (...asked) => this.#question(...asked),
      childStep: options.childStep,
      elicit: options.elicit,
      timeLimit: options.timeLimit ?? TEN_MINUTES,
      patience: options.patience ?? PATIENCE,
      now,
    });
    this.#running = this.#runner.running;
    this.#wrapped = new Wrapped(this, toolbox);
    // Someone else has the session: what runs here can no longer be recorded.
    record.lost.addEventListener("abort", () => this.#running.stopAll(record.lost.reason), {
      once: true,
    });
    const { remember } = options;
    this.#answers = new SettleAnswers({ record, toolbox, judge, check: this.#check, loops, remember, now });
  }

  /** The event that announces a call while the model is still writing its input. */
  announce(
    name: string,
    { providerCallId, parentToolCallId }: Pick<ToolRequest, "providerCallId" | "parentToolCallId"> = {},
    input?: unknown,
  ): SessionEvent & { type: "call-announced" } {
    const tool = this.#toolbox.get(name);
    return {
      type: "call-announced",
      toolCallId: this.#ids.next(),
      at: this.#now(),
      name,
      title: createToolTitle(name, input),
      kind: tool?.kind ?? "other",
      kindSource: tool ? (tool.kindSource ?? "declared") : "inferred",
      ...(providerCallId !== undefined && { providerCallId }),
      ...(parentToolCallId !== undefined && { parentToolCallId }),
    };
  }

  /** `also`: events of the caller's that belong into the same append, as functions of the calls' ids. */
  async submit(
    requests: readonly ToolRequest[],
    also: (toolCallIds: readonly string[]) => readonly SessionEvent[] = () => [],
  ): Promise<Submitted> {
    const isOver = (toolCallId: string) => this.#record.book.call(toolCallId)?.times.ended !== undefined;
    const parts: { toolCallId: string; parent: string; events: readonly SessionEvent[] }[] = [];
    for (const request of requests) {
      const { parentToolCallId: parent = "" } = request;
      // A caller may link to a call that has ended long since; a sub-agent's call goes with its parent.
      parts.push({ parent: isOver(parent) ? "" : parent, ...(await this.#submitOne(request)) });
    }
    const toolCallIds = parts.map(({ toolCallId }) => toolCallId);
    // One that was cancelled while it was being written or checked has ended already.
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
    // What ended while nothing could be recorded, on a full disk for one.
    await this.#answers.recordMade(() => this.#runner.lost());
    // The record broke, not a tool: nothing more is started, and the caller hears of it.
    const failures: unknown[] = [];
    for (;;) {
      const since = this.#running.wakes;
      if (!signal.aborted && failures.length === 0) {
        // When answers cannot be read, what runs is still waited for.
        await this.#answers.settle().catch((error: unknown) => void failures.push(error));
        for (const call of failures.length > 0 ? [] : this.#runner.startable())
          this.#runner.start(call, signal).catch((error: unknown) => void failures.push(error));
      }
      if (this.#running.size === 0) break;
      await this.#running.somethingHappens(since);
      // Of thousands of calls many end in one moment: one look is enough for them all.
      if (this.#running.size > 0) await setImmediate();
    }
    if (failures.length > 0) throw failures[0];
  }

  /** An answer has come in: a `proceed` that is under way looks at it now, and not when a call ends. */
  wake(): void {
    this.#running.wake();
  }

  /** Takes one call all the way: submitted, asked about, run. Returns it as it ended; an app's or a sub-agent's may still wait. */
  async call(request: ToolRequest, signal: AbortSignal = NEVER): Promise<ToolCall> {
    // Many calls may be made with one signal; Node takes the eleventh listener for a leak.
    setMaxListeners(0, signal);
    const { toolCallIds } = await this.submit([request]);
    const toolCallId = toolCallIds[0] ?? "";
    const current = () => this.#record.book.call(toolCallId);
    for (let call = current(); call; call = current()) {
      if (call.times.ended !== undefined) return call;
      const { state } = call;
      if (signal.aborted && state.status !== "running") {
        await this.cancelCall(toolCallId, "it was cancelled.");
      } else if (state.status === "cleared" || state.status === "running") {
        await this.#ran(call, signal);
      } else if (state.status === "waiting" && state.waitingFor.type === "question") {
        await this.#hold(state.waitingFor.questionId, signal);
        await this.#answers.settle();
      } else return call;
    }
    throw new Error(`Call ${toolCallId} is not in the record.`);
  }

  /** Returns when it runs no more. A `proceed` may have started it, with a signal of its own. */
  async #ran(call: ToolCall, signal: AbortSignal): Promise<void> {
    const { toolCallId, state } = call;
    if (state.status === "running" && !this.#running.has(toolCallId))
      throw new Error(`Call ${toolCallId} was started, and how it ended could not be recorded.`);
    const ended =
      state.status === "cleared" ? this.#runner.start(call, signal) : this.#running.ended(toolCallId);
    const stop = () => void this.#running.stop(toolCallId, new Cancelled("it was cancelled."));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      await ended;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends every call: what waits is cancelled, what runs is told to stop, waited for, and reports for itself. */
  async cancel(reason: string): Promise<void> {
    await this.#cancel(() => this.#record.book.openCalls(), reason);
  }

  /**
   * Ends one call, and with it the calls that were made for it: what waits is cancelled, what runs is told to stop and
   * waited for. False when it has ended already.
   */
  async cancelCall(toolCallId: string, reason: string): Promise<boolean> {
    const call = this.#record.book.call(toolCallId);
    if (!call || call.times.ended !== undefined) return false;
    const isMeant = (one: ToolCall) => one.toolCallId === toolCallId || one.parentToolCallId === toolCallId;
    await this.#cancel(() => this.#record.book.openCalls().filter(isMeant), reason);
    this.#running.wake();
    return true;
  }

  async #cancel(calls: () => readonly ToolCall[], reason: string): Promise<void> {
    const meant = new Set<string>();
    // What is only about to start ends by what is recorded here: what it still looks at need not be waited for.
    const atWork = new Set<string>();
    const stop = () => {
      for (const call of calls()) {
        meant.add(call.toolCallId);
        if (isAtWork(call)) atWork.add(call.toolCallId);
      }
      for (const toolCallId of meant) this.#running.stop(toolCallId, new Cancelled(reason));
    };
    stop();
    await this.#answers.recordMade(() => cancelEvents(this.#record.book, reason, this.#now(), calls()));
    // What was started in the moment before.
    stop();
    await Promise.allSettled([...atWork].map((toolCallId) => this.#running.ended(toolCallId)));
    await this.#answers.recordMade(() => this.#runner.lost(calls()));
  }

  /**
   * The same tools with each call going through the gate: plain functions, or a record as the AI SDK has
   * them. A name that is known already is refused.
   */
  wrapTools<Tools extends { readonly [name: string]: WrappableTool }>(tools: Tools): Gated<Tools> {
    return this.#wrapped.tools(tools);
  }

  /** The same agent, with each of its `callTool` calls going through the gate. */
  wrapCallTool<Agent extends CallsTools>(agent: Agent): Agent {
    return this.#wrapped.callTool(agent);
  }

  /** Puts back the files that a call changed; throws UndoRefused when they have changed since. */
  async undo(toolCallId: string): Promise<Undone> {
    return this.#undoing.run(() => undoCall(this.#record, this.#options.workspace, toolCallId, this.#now));
  }

  /** The session as it is recorded so far. */
  get book(): SessionBook {
    return this.#record.book;
  }

  get sessionId(): string {
    return this.#record.sessionId;
  }

  /** Hears of every event once it is recorded, in order. Returns the function that ends this. */
  onRecorded(listener: (events: readonly SessionEvent[]) => void): () => void {
    return this.#record.onRecorded(listener);
  }

  /** Gives the session back, for whoever opens it next. */
  async close(): Promise<void> {
    this.#running.stopAll(new Cancelled("the session was closed."));
    const atWork = this.#record.book.openCalls().filter(isAtWork);
    await Promise.allSettled(atWork.map(({ toolCallId }) => this.#running.ended(toolCallId)));
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

  async #submitOne(request: ToolRequest): Promise<{ toolCallId: string; events: readonly SessionEvent[] }> {
    const { name, input = {} } = request;
    const announced = request.toolCallId === undefined ? this.announce(name, request, input) : undefined;
    const toolCallId = announced?.toolCallId ?? request.toolCallId ?? "";
    const rawInput = plainJson(input);
    const at = this.#now();
    const tool = toolFor(this.#toolbox, request);
    const meta = tool?._meta && { _meta: tool._meta };
    const title = announced?.title ?? createToolTitle(name, rawInput);
    const arrived: SessionEvent[] = [
      ...(announced ? [announced] : []),
      { type: "input-ready", toolCallId, at, rawInput },
      // What was announced with its input has its title already.
      ...(announced && !meta
        ? []
        : [{ type: "call-revised", toolCallId, at, fields: { title, ...meta } } as const]),
    ];
    const failed = (error: string): SessionEvent[] => [{ type: "call-failed", toolCallId, at, error }];
    // What was cut to be shown must never be what is run.
    if (rawInput !== input) return { toolCallId, events: [...arrived, ...failed(TOO_LARGE)] };
    if (!tool) return { toolCallId, events: [...arrived, ...failed(unknownTool(request, this.#toolbox))] };
    return {
      toolCallId,
      events: [...arrived, ...(await this.#check.submitted(toolCallId, tool, rawInput, title))],
    };
  }

  #question(
    toolCallId: string,
    title: string,
    intent: Intent,
    verdict: Verdict,
    isForThisOnce = false,
  ): Question {
    const { judge, workspace, remember, questionLifetime } = this.#options;
    return questionFor({
      sessionId: this.#record.sessionId,
      toolCallId,
      number: this.#record.seq,
      title,
      intent,
      verdict,
      at: this.#now(),
      lifetime: questionLifetime,
      roots: workspace.roots,
      isForThisOnce,
      settles:
        remember && !isForThisOnce ? (rules: readonly Rule[]) => judge(intent, rules).effect : undefined,
    });
  }

  async #hold(questionId: string, signal: AbortSignal): Promise<void> {
    const { ledger, seq, book } = this.#record;
    const asked = book.question(questionId);
    if (asked?.state.status !== "open") return;
    const ask = this.#options.ask ?? nobody;
    await holdUntilAnswered({ ledger, question: asked.question, ask, signal, after: seq, now: this.#now });
  }
}

const NEVER = new AbortController().signal;

const nobody: Ask = () =>
  Promise.resolve({
    outcome: { type: "refused" },
    by: "rule",
    rule: "nobody to ask",
    reason: "there is nobody to ask",
  });

const TOO_LARGE =
  "The input is too large, or not plain JSON. Nothing was run; make it smaller or send it in parts.";

/** Whether it may be in the middle of something: a tool that runs, an answer of a sub-agent. */
const isAtWork = (call: ToolCall): boolean => call.state.status === "running" || awaitsChild(call);
