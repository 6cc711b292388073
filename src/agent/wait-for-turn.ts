/**
 * For clients that stay connected: runs a turn, shows each question as soon as it is asked, also while other calls
 * still run, and waits while the turn is parked on questions. A turn that waits only for the app stays parked. A
 * second turn of the session waits for the first one's end.
 */
import { checkOptions, FUNCTION, having, required, SIGNAL } from "../call/check-options.js";
import { shownQuestion } from "../call/index.js";
import type { Question, SessionBook } from "../call/index.js";
import { ClientGone } from "../run/client-gone.js";
import { openQuestions } from "../run/index.js";
import type { Ask } from "../run/index.js";
import { untilAnswered } from "../run/wait-for-answers.js";
import type { SessionHandle } from "./session-handle.js";
import type { TurnEnd } from "./advance-turn.js";

const WAIT_OPTIONS = {
  session: required(having("a session (AgentSession.open, LoopSession.open)", "afterOthers")),
  ask: required(FUNCTION),
  signal: required(SIGNAL),
  start: required(FUNCTION),
};

/** For the library's users: refuses wrong arguments at once. */
export function waitForTurn(
  session: SessionHandle,
  ask: Ask,
  signal: AbortSignal,
  start: () => Promise<TurnEnd>,
): Promise<TurnEnd> {
  checkOptions("waitForTurn", { session, ask, signal, start }, WAIT_OPTIONS);
  return waitForEnd(session, ask, signal, start);
}

/** For our own doors. */
export const waitForEnd: typeof waitForTurn = (session, ask, signal, start) =>
  session.afterOthers(() => runAndWait(session, ask, signal, start));

async function runAndWait(
  session: SessionHandle,
  ask: Ask,
  signal: AbortSignal,
  start: () => Promise<TurnEnd>,
): Promise<TurnEnd> {
  const questions = new ShownQuestions(session, ask, signal);
  try {
    let end = await start();
    while (end.status === "parked" && (waitingQuestions(session.book).length > 0 || questions.hasMoved)) {
      await questions.oneSettles();
      // The turn stays parked, for the next client.
      if (signal.reason instanceof ClientGone) return end;
      end = await session.advance(signal);
    }
    return end;
  } finally {
    questions.stop();
  }
}

/** The questions that are being shown. */
class ShownQuestions {
  readonly #session: SessionHandle;
  readonly #ask: Ask;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #shown = new Map<string, Promise<void>>();
  /** Settled questions for which `oneSettles` has returned. */
  readonly #reported = new Set<string>();
  readonly #stopListening: () => void;
  #failure: { readonly error: unknown } | undefined;
  /** Whether events followed the turn's parking: someone may have cancelled the calls that it waited for. */
  hasMoved = false;

  constructor(session: SessionHandle, ask: Ask, signal: AbortSignal) {
    this.#session = session;
    this.#ask = ask;
    this.#signal = AbortSignal.any([signal, this.#over.signal]);
    this.#stopListening = session.onRecorded((events) => {
      this.hasMoved = events.at(-1)?.type !== "turn-parked";
      for (const event of events) if (event.type === "question-asked") this.#show(event.question);
    });
  }

  /**
   * Returns when a question that a call waits for is settled, here or elsewhere, once for each question: the book of a
   * session that another process runs may show a settled one as open until the next event arrives.
   */
  async oneSettles(): Promise<void> {
    const { book } = this.#session;
    for (const question of openQuestions(book)) this.#show(question);
    const asked = waitingQuestions(book);
    const unreported = asked.filter((questionId) => !this.#reported.has(questionId));
    if (unreported.length > 0)
      this.#reported.add(await Promise.race(unreported.map((questionId) => this.#settled(questionId))));
    else if (asked.length > 0) await this.#nextEvent();
    if (this.#failure) throw this.#failure.error;
  }

  async #settled(questionId: string): Promise<string> {
    // An answer may have come with the parking, before the follower of the question has seen it.
    const isOpen = this.#session.book.question(questionId)?.state.status === "open";
    if (isOpen) await this.#shown.get(questionId);
    return questionId;
  }

  async #nextEvent(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stopListening = this.#session.onRecorded(() => done());
      const done = () => {
        stopListening();
        this.#signal.removeEventListener("abort", done);
        resolve();
      };
      this.#signal.addEventListener("abort", done);
      if (this.#signal.aborted) done();
    });
  }

  stop(): void {
    this.#stopListening();
    this.#over.abort();
  }

  /** Cancels the call in a running turn when its answer could not be recorded: otherwise it would wait for ever. */
  async #onFailure({ toolCallId }: Question, error: unknown): Promise<void> {
    const { gate, book } = this.#session;
    const isRunning = book.turn?.state.status === "running";
    const reason = "its answer could not be recorded.";
    const isOver = isRunning && (await gate.cancelCall(toolCallId, reason).catch(() => false));
    if (!isOver) this.#failure ??= { error };
  }

  #show(question: Question): void {
    const { questionId } = question;
    if (this.#shown.has(questionId)) return;
    if (this.#session.book.question(questionId)?.state.status !== "open") return;
    this.#shown.set(questionId, this.#untilSettled(question));
  }

  async #untilSettled(question: Question): Promise<void> {
    const { ledger, seq, gate, book, now } = this.#session;
    const call = book.call(question.toolCallId);
    if (!call) return;
    const shown = shownQuestion(question, call);
    try {
      await untilAnswered({
        ledger,
        question: shown,
        ask: this.#ask,
        signal: this.#signal,
        after: seq,
        now,
      });
    } catch (error) {
      await this.#onFailure(question, error);
    } finally {
      gate.wake();
    }
  }
}

/** The questions that calls wait for; some may be answered already. */
function waitingQuestions(book: SessionBook): readonly string[] {
  return book
    .openCalls()
    .flatMap(({ state }) =>
      state.status === "waiting" && state.waitingFor.type === "question" ? [state.waitingFor.questionId] : [],
    );
}
