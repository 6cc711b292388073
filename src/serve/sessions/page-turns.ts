/**
 * Turns that this server runs for the page: of its own agent, and of sessions of terminals and editors that nobody has
 * open. A turn that waits for an answer holds nothing here; its session is opened again when the answer is recorded.
 */
import { randomUUID } from "node:crypto";
import { AapProblem, problemIfElsewhere } from "../../aap/api/aap-problem.js";
import { retryNotice } from "../../aap/turns/retry-notice.js";
import { withQuestionLifetime } from "../../aap/turns/with-question-lifetime.js";
import { AgentSession } from "../../agent/index.js";
import type { TurnEnd } from "../../agent/index.js";
import { oneLine, readSessionInfo, visibleText } from "../../call/index.js";
import type { ContentBlock, SessionBook, SessionInfo } from "../../call/index.js";
import { FlushTimer } from "../../record/index.js";
import { withModel } from "./with-model.js";
import type { RunsSession, ServeContext } from "../server/serve-context.js";

type RunningTurn = {
  readonly session: AgentSession;
  readonly stop: AbortController;
  readonly over: Promise<void>;
};

type RetryListener = (notice: ReturnType<typeof retryNotice>) => void;

const LEASE_WAIT_MS = 1_000;
const CANCELLED = "it was cancelled.";

const busy = (kept: string): AapProblem =>
  new AapProblem("BUSY", `A turn of this session is under way. ${kept}`);

export class PageTurns {
  readonly #context: ServeContext;
  readonly #running = new Map<string, RunningTurn>();
  /** Sessions between turns whose background commands run on. */
  readonly #idle = new Map<string, AgentSession>();
  readonly #resuming = new Map<string, Promise<boolean>>();
  /** Called when the model's request of a session is sent again. */
  readonly #onRetry = new Map<string, Set<RetryListener>>();
  readonly #flushTimer = new FlushTimer();
  #isClosed = false;

  constructor(context: ServeContext) {
    this.#context = context;
  }

  isRunning(sessionId: string): boolean {
    return this.#running.has(sessionId);
  }

  /** Whether this server has the session open: its turn runs, or is looked at for an answer. */
  isOpen(sessionId: string): boolean {
    return this.#running.has(sessionId) || this.#resuming.has(sessionId) || this.#idle.has(sessionId);
  }

  /** The session between turns, where it is open because of its background commands. */
  idle(sessionId: string): AgentSession | undefined {
    return this.#idle.get(sessionId);
  }

  background(sessionId: string): AgentSession["gate"]["background"] | undefined {
    return (this.#running.get(sessionId)?.session ?? this.#idle.get(sessionId))?.gate.background;
  }

  /** Calls back when the model's request is sent again, until the returned function is called. */
  onModelRetry(sessionId: string, listener: RetryListener): () => void {
    const listeners = this.#onRetry.get(sessionId) ?? new Set();
    this.#onRetry.set(sessionId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#onRetry.get(sessionId) === listeners) this.#onRetry.delete(sessionId);
    };
  }

  /** Ends the background commands of a session between turns. */
  async end(sessionId: string): Promise<void> {
    const session = this.#idle.get(sessionId);
    this.#idle.delete(sessionId);
    await session?.close();
  }

  /** Creates a session, and starts its first turn where there is a prompt. Returns when that is recorded. */
  async create(
    runs: RunsSession,
    info: SessionInfo,
    {
      prompt,
      modeId,
    }: { readonly prompt?: readonly ContentBlock[] | undefined; readonly modeId?: string | undefined },
  ): Promise<string> {
    const sessionId = `session_${randomUUID()}`;
    const session = await this.#open(runs, sessionId, info);
    if (modeId !== undefined) await session.setMode(modeId);
    if (prompt) await this.#begin(session, prompt);
    else await this.#release(session);
    return sessionId;
  }

  async prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<void> {
    if (this.#running.has(sessionId)) throw busy("Nothing was started.");
    const runs = await this.#runs(sessionId);
    await this.#begin(await this.#open(runs, sessionId), prompt);
  }

  /**
   * Continues a turn whose questions are answered. False where this server has no agent for it, another process has it, or
   * it still waits. One attempt at a time: an answer during an attempt is seen by the next one.
   */
  resume(sessionId: string): Promise<boolean> {
    return this.#resume(sessionId, (book) => this.#isParked(book));
  }

  /** The same, also for a turn that ran in a process that died. */
  takeOver(sessionId: string): Promise<boolean> {
    return this.#resume(sessionId, (book) => book.turn?.state.status === "running" || this.#isParked(book));
  }

  /** A parked turn with a call that can go on. */
  #isParked(book: SessionBook): boolean {
    return book.turn?.state.status === "parked" && isSettled(book, this.#context.now());
  }

  #resume(sessionId: string, canGoOn: (book: SessionBook) => boolean): Promise<boolean> {
    const before = this.#resuming.get(sessionId) ?? Promise.resolve(false);
    const next = before.catch(() => false).then(() => this.#resumeNow(sessionId, canGoOn));
    this.#resuming.set(sessionId, next);
    const forget = () => {
      if (this.#resuming.get(sessionId) === next) this.#resuming.delete(sessionId);
    };
    next.then(forget, forget);
    return next;
  }

  async #resumeNow(sessionId: string, canGoOn: (book: SessionBook) => boolean): Promise<boolean> {
    const running = this.#running.get(sessionId);
    if (running) {
      running.session.gate.wake();
      return true;
    }
    if (this.#isClosed || !(await this.#context.ledger.has(sessionId))) return false;
    const runs = await this.#context.agentFor(await readSessionInfo(this.#context.ledger, sessionId));
    if (!runs) return false;
    const session = await this.#open(runs, sessionId).catch(unlessElsewhere);
    if (!session) return false;
    if (!canGoOn(session.book)) {
      await this.#release(session);
      return false;
    }
    this.#run(session, (signal) => session.advance(signal));
    return true;
  }

  /** Ends the turn that runs or waits, or one call of it. False when there is nothing to end. */
  async cancel(
    sessionId: string,
    { toolCallId, reason = CANCELLED }: { readonly toolCallId?: string; readonly reason?: string },
  ): Promise<boolean> {
    let running = this.#running.get(sessionId);
    const hasRun = running !== undefined;
    if (running && toolCallId !== undefined) return running.session.gate.cancelCall(toolCallId, reason);
    for (; running; running = this.#running.get(sessionId)) {
      running.stop.abort();
      await running.over;
      // A turn that was parking did not hear of it: its question would stay open.
      if (running.session.book.turn?.state.status !== "parked") return true;
    }
    const session = await this.#open(await this.#runs(sessionId), sessionId);
    const status = session.book.turn?.state.status;
    if (status !== "parked" && status !== "running") {
      await this.#release(session);
      return hasRun;
    }
    if (toolCallId !== undefined) {
      try {
        return await session.gate.cancelCall(toolCallId, reason);
      } finally {
        await this.#release(session);
        void this.resume(sessionId).catch(this.#context.onError);
      }
    }
    const stop = new AbortController();
    stop.abort();
    try {
      await session.advance(stop.signal);
    } finally {
      await this.#release(session);
    }
    return true;
  }

  /** Renames it, or sets its mode, while it runs or while nobody has it; its model only between turns. */
  async change(
    sessionId: string,
    { title, modeId, model }: { readonly title?: string; readonly modeId?: string; readonly model?: string },
  ): Promise<void> {
    const running = this.#running.get(sessionId)?.session;
    if (running && model !== undefined) throw busy("Nothing was changed.");
    const session = running ?? (await this.#open(await this.#runs(sessionId), sessionId));
    try {
      if (model !== undefined && session.book.turn && session.book.turn.state.status !== "stopped")
        throw busy("Nothing was changed.");
      if (model !== undefined && session.gate.background.isRunning)
        throw new AapProblem(
          "CONFLICT",
          "Commands of this session run in the background. Nothing was changed; stop them first.",
        );
      if (title !== undefined) await session.describe({ ...session.book.info, title });
      if (model !== undefined) await session.describe(withModel(session.book.info, model));
      if (modeId !== undefined) await session.setMode(modeId);
    } finally {
      if (!running) await this.#release(session);
    }
  }

  /** Summarizes the session for its model, between turns. False when there was nothing to summarize. */
  async compact(sessionId: string): Promise<boolean> {
    if (this.#running.has(sessionId)) throw busy("Nothing was summarized.");
    const session = await this.#open(await this.#runs(sessionId), sessionId);
    try {
      return await session.compact(new AbortController().signal);
    } finally {
      await this.#release(session);
    }
  }

  /** Takes no new turns, and resolves when those under way are over or parked. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    while (this.#running.size > 0)
      await Promise.allSettled([...this.#running.values()].map(({ over }) => over));
  }

  /** Ends all turns that run; those that wait go on waiting. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort();
    await Promise.allSettled(running.map(({ over }) => over));
    await Promise.allSettled([...this.#idle.keys()].map((sessionId) => this.end(sessionId)));
  }

  /** Closes a session, unless commands go on in its background. Then it is closed when they have ended. */
  async #release(session: AgentSession): Promise<void> {
    const { sessionId, gate } = session;
    if (this.#isClosed || !gate.background.isRunning) return session.close();
    this.#idle.set(sessionId, session);
    const isOver = async (): Promise<void> => {
      await gate.background.ended();
      if (this.#idle.get(sessionId) === session && !gate.background.isRunning) await this.end(sessionId);
    };
    void isOver().catch(this.#context.onError);
  }

  async #begin(session: AgentSession, prompt: readonly ContentBlock[]): Promise<void> {
    try {
      if (this.#isClosed)
        throw new AapProblem("UNAVAILABLE", "The server is about to end. Nothing was done; send it again.");
      await session.begin(prompt);
    } catch (error) {
      await this.#release(session);
      throw error;
    }
    this.#run(session, (signal) => session.advance(signal));
  }

  #run(session: AgentSession, turn: (signal: AbortSignal) => Promise<TurnEnd>): void {
    const { sessionId } = session;
    const stop = new AbortController();
    const over = this.#until(session, turn, stop.signal).finally(() => this.#running.delete(sessionId));
    this.#running.set(sessionId, { session, stop, over });
    void over.then(() => this.#resumeParked(session)).catch(this.#context.onError);
  }

  /** An answer may have been recorded while the turn was parking. */
  async #resumeParked({ book, sessionId }: AgentSession): Promise<void> {
    if (book.turn?.state.status === "parked") await this.resume(sessionId);
  }

  async #until(
    session: AgentSession,
    turn: (signal: AbortSignal) => Promise<TurnEnd>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await turn(signal);
    } catch (error) {
      this.#context.onError(error);
    } finally {
      await this.#release(session).catch(this.#context.onError);
    }
  }

  async #runs(sessionId: string): Promise<RunsSession> {
    const { ledger, agentFor } = this.#context;
    if (!(await ledger.has(sessionId)))
      throw new AapProblem(
        "NOT_FOUND",
        `There is no session ${sessionId}: it was deleted, or never was. Nothing was done.`,
      );
    const info = await readSessionInfo(ledger, sessionId);
    const runs = await agentFor(info);
    if (runs) return runs;
    throw new AapProblem("CONFLICT", `${whyNot(info)} Nothing was done.`);
  }

  async #open(
    { agent, workspace }: RunsSession,
    sessionId: string,
    info?: SessionInfo,
  ): Promise<AgentSession> {
    const idle = this.#idle.get(sessionId);
    this.#idle.delete(sessionId);
    if (idle) {
      // Other processes record answers too.
      await idle.catchUp();
      return idle;
    }
    try {
      return await AgentSession.open({
        agent: withQuestionLifetime(agent, this.#context.questionLifetimeMs),
        ledger: this.#context.ledger,
        workspace,
        sessionId,
        leaseWaitMs: LEASE_WAIT_MS,
        flushTimer: this.#flushTimer,
        onModelRetry: (retry) => {
          for (const listener of this.#onRetry.get(sessionId) ?? []) listener(retryNotice(retry));
        },
        ...(info && { info }),
      });
    } catch (error) {
      throw problemIfElsewhere(error);
    }
  }
}

/** Another process or place has the session, and continues it there. */
function unlessElsewhere(error: unknown): undefined {
  if (!(error instanceof AapProblem) || (error.code !== "BUSY" && error.code !== "CONFLICT")) throw error;
}

/** Whether a call can go on: the end of one of several questions is enough. */
function isSettled(book: SessionBook, now: number): boolean {
  const waiting = book
    .openCalls()
    .flatMap(({ state }) =>
      state.status === "waiting" && state.waitingFor.type === "question" ? [state.waitingFor.questionId] : [],
    );
  return (
    waiting.length === 0 ||
    waiting.some((id) => {
      const asked = book.question(id);
      return asked?.state.status !== "open" || (asked.question.expiresAt ?? Infinity) <= now;
    })
  );
}

const MAX_NAME = 100;

/** Why no agent of this server can continue the session. */
export const whyNot = ({ agent }: SessionInfo): string =>
  `This session belongs to ${agent === undefined ? "another agent" : oneLine(visibleText(agent), MAX_NAME)}, which this server does not run, or to another model.`;
