/**
 * For doors that hold the line: goes on with a turn, and where it parks on questions, shows them and
 * waits. A turn that waits for the app or for a child session stays parked.
 */
import type { Question } from "../call/index.js";
import { holdUntilAnswered } from "../run/index.js";
import type { Ask } from "../run/index.js";
import type { AgentSession } from "./agent-session.js";
import type { TurnEnd } from "./turn.js";

export async function holdTurn(
  session: AgentSession,
  ask: Ask,
  signal: AbortSignal,
  started: Promise<TurnEnd>,
): Promise<TurnEnd> {
  let end = await started;
  while (end.status === "parked" && waitsForAnswer(session)) {
    const questions = openQuestions(session);
    const hold = (question: Question) =>
      holdUntilAnswered({ ledger: session.ledger, question, ask, signal, after: session.seq });
    await Promise.all(questions.map(hold));
    end = await session.advance(signal);
  }
  return end;
}

/** An answer may have come in the very moment the turn was parked; then there is nothing to hold, only to go on. */
function waitsForAnswer({ book }: AgentSession): boolean {
  return book
    .openCalls()
    .some(({ state }) => state.status === "waiting" && state.waitingFor.type === "question");
}

function openQuestions({ book }: AgentSession): readonly Question[] {
  return book.openCalls().flatMap(({ state }): Question[] => {
    if (state.status !== "waiting" || state.waitingFor.type !== "question") return [];
    const asked = book.question(state.waitingFor.questionId);
    return asked?.state.status === "open" ? [asked.question] : [];
  });
}
