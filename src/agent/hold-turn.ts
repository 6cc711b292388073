/**
 * For doors that hold the line: goes on with a turn, shows each question as soon as it is asked, also while
 * other calls still run, and waits where the turn is parked on them. A turn that waits for the app alone
 * stays parked. A second turn of the session waits until the first is over.
 */
import type { Question } from "../call/index.js";
import { waitForAnswers, openQuestions } from "../run/index.js";
import type { Ask } from "../run/index.js";
import type { HeldSession } from "./held-session.js";
import type { TurnEnd } from "./turn.js";

export function holdTurn(
  session: HeldSession,
  ask: Ask,
  signal: AbortSignal,
  start: () => Promise<TurnEnd>,
): Promise<TurnEnd> {
  return session.afterOthers(() => hold(session, ask, signal, start));
}

async function hold(
  session: HeldSession,
  ask: Ask,
  signal: AbortSignal,
  start: () => Promise<TurnEnd>,
): Promise<TurnEnd> {
  const holds = new Holds(session, ask, signal);
  try {
    let end = await start();
    while (end.status === "parked" && (waitsForAnswer(session) || holds.hasMoved)) {
      await holds.oneSettles();
      end = await session.advance(signal);
    }
    return end;
  } finally {
    holds.stop();
  }
}

/** The questions that are being shown. */
class Holds {
  readonly #session: HeldSession;
  readonly #ask: Ask;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #held = new Map<string, Promise<void>>();
  readonly #stopListening: () => void;
  #failure: { readonly error: unknown } | undefined;
  /** Whether something has happened since the turn was parked: what it waited for may have been cancelled by someone. */
  hasMoved = false;

  constructor(session: HeldSession, ask: Ask, signal: AbortSignal) {
    this.#session = session;
    this.#ask = ask;
    this.#signal = AbortSignal.any([signal, this.#over.signal]);
    this.#stopListening = session.onRecorded((events) => {
      this.hasMoved = events.at(-1)?.type !== "turn-parked";
      for (const event of events) if (event.type === "question-asked") this.#hold(event.question);
    });
  }

  /** Returns when one of the open questions is settled, here or elsewhere. */
  async oneSettles(): Promise<void> {
    const open = openQuestions(this.#session.book);
    // An answer may have come in the very moment the turn was parked; then there is nothing to hold, only to go on.
    if (open.length === 0) return;
    for (const question of open) this.#hold(question);
    await Promise.race(open.flatMap(({ questionId }) => this.#held.get(questionId) ?? []));
    if (this.#failure) throw this.#failure.error;
  }

  stop(): void {
    this.#stopListening();
    this.#over.abort();
  }

  /** An answer that could not be recorded. In a turn that goes on, someone may wait for the call, and would for ever. */
  async #broke({ toolCallId }: Question, error: unknown): Promise<void> {
    const { gate, book } = this.#session;
    const isGoingOn = book.turn?.state.status === "running";
    const reason = "its answer could not be recorded.";
    const isOver = isGoingOn && (await gate.cancelCall(toolCallId, reason).catch(() => false));
    if (!isOver) this.#failure ??= { error };
  }

  #hold(question: Question): void {
    const { questionId } = question;
    if (this.#held.has(questionId)) return;
    if (this.#session.book.question(questionId)?.state.status !== "open") return;
    this.#held.set(questionId, this.#untilSettled(question));
  }

  async #untilSettled(question: Question): Promise<void> {
    const { ledger, seq, gate, now } = this.#session;
    try {
      await waitForAnswers({ ledger, question, ask: this.#ask, signal: this.#signal, after: seq, now });
    } catch (error) {
      await this.#broke(question, error);
    } finally {
      gate.wake();
    }
  }
}

function waitsForAnswer({ book }: HeldSession): boolean {
  return book
    .openCalls()
    .some(({ state }) => state.status === "waiting" && state.waitingFor.type === "question");
}
