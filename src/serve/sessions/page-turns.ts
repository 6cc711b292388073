/**
 * Turns that this server runs for the page: of its own agent, and of sessions of terminals and editors that nobody has
 * open. A turn that waits for an answer holds nothing here; its session is opened again when the answer is recorded.
 */
import { randomUUID } from "node:crypto";
import { AapProblem, problemIfElsewhere } from "../../aap/api/aap-problem.js";
import { AgentSession } from "../../agent/index.js";
import type { TurnEnd } from "../../agent/index.js";
import { readSessionInfo } from "../../call/index.js";
import type { ContentBlock, SessionBook, SessionInfo } from "../../call/index.js";
import { FlushTimer } from "../../record/index.js";
import type { RunsSession, ServeContext } from "../server/serve-context.js";

type RunningTurn = {
  readonly session: AgentSession;
  readonly stop: AbortController;
  readonly over: Promise<void>;
};

const LEASE_WAIT_MS = 1_000;
const CANCELLED = "it was cancelled.";

export class PageTurns {
  readonly #context: ServeContext;
  readonly #running = new Map<string, RunningTurn>();
  readonly #resuming = new Map<string, Promise<boolean>>();
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
    return this.#running.has(sessionId) || this.#resuming.has(sessionId);
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
    else await session.close();
    return sessionId;
  }

  async prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<void> {
    if (this.#running.has(sessionId))
      throw new AapProblem("BUSY", "A turn of this session is under way. Nothing was started.");
    const runs = await this.#runs(sessionId);
    await this.#begin(await this.#open(runs, sessionId), prompt);
  }

  /**
   * Continues a turn whose questions are answered. False where this server has no agent for it, another process has it, or
   * it still waits. One attempt at a time: an answer during an attempt is seen by the next one.
   */
  resume(sessionId: string): Promise<boolean> {
    return this.#resume(sessionId, isParked);
  }

  /** The same, also for a turn that ran in a process that died. */
  takeOver(sessionId: string): Promise<boolean> {
    return this.#resume(sessionId, (book) => book.turn?.state.status === "running" || isParked(book));
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
      await session.close();
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
    const running = this.#running.get(sessionId);
    if (running && toolCallId !== undefined) return running.session.gate.cancelCall(toolCallId, reason);
    if (running) {
      running.stop.abort();
      await running.over;
      return true;
    }
    const session = await this.#open(await this.#runs(sessionId), sessionId);
    const status = session.book.turn?.state.status;
    if (status !== "parked" && status !== "running") {
      await session.close();
      return false;
    }
    if (toolCallId !== undefined) {
      try {
        return await session.gate.cancelCall(toolCallId, reason);
      } finally {
        await session.close();
        void this.resume(sessionId).catch(this.#context.onError);
      }
    }
    const stop = new AbortController();
    stop.abort();
    try {
      await session.advance(stop.signal);
    } finally {
      await session.close();
    }
    return true;
  }

  /** Renames it, or sets its mode, while it runs or while nobody has it. */
  async change(
    sessionId: string,
    { title, modeId }: { readonly title?: string; readonly modeId?: string },
  ): Promise<void> {
    const running = this.#running.get(sessionId)?.session;
    const session = running ?? (await this.#open(await this.#runs(sessionId), sessionId));
    try {
      if (title !== undefined) await session.describe({ ...session.book.info, title });
      if (modeId !== undefined) await session.setMode(modeId);
    } finally {
      if (!running) await session.close();
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
  }

  async #begin(session: AgentSession, prompt: readonly ContentBlock[]): Promise<void> {
    try {
      if (this.#isClosed)
        throw new AapProblem("UNAVAILABLE", "The server is about to end. Nothing was done; send it again.");
      await session.begin(prompt);
    } catch (error) {
      await session.close();
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
      await session.close().catch(this.#context.onError);
    }
  }

  async #runs(sessionId: string): Promise<RunsSession> {
    const info = await readSessionInfo(this.#context.ledger, sessionId);
    const runs = await this.#context.agentFor(info);
    if (runs) return runs;
    throw new AapProblem("CONFLICT", `${whyNot(info)} Nothing was done.`);
  }

  async #open(
    { agent, workspace }: RunsSession,
    sessionId: string,
    info?: SessionInfo,
  ): Promise<AgentSession> {
    try {
      return await AgentSession.open({
        agent,
        ledger: this.#context.ledger,
        workspace,
        sessionId,
        leaseWaitMs: LEASE_WAIT_MS,
        flushTimer: this.#flushTimer,
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

/** A parked turn with a call that can go on. */
const isParked = (book: SessionBook): boolean => book.turn?.state.status === "parked" && isAnswered(book);

/** Whether a call can go on: the answer to one of several questions is enough. */
function isAnswered(book: SessionBook): boolean {
  const waiting = book
    .openCalls()
    .flatMap(({ state }) =>
      state.status === "waiting" && state.waitingFor.type === "question" ? [state.waitingFor.questionId] : [],
    );
  return waiting.length === 0 || waiting.some((id) => book.question(id)?.state.status !== "open");
}

/** Why no agent of this server can continue the session. */
export const whyNot = ({ agent }: SessionInfo): string =>
  `This session belongs to ${agent ?? "another agent"}, which this server does not run, or to another model.`;
