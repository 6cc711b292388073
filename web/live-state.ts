/** The inbox and the sessions under way, as the frames of the live stream change them. */
import type { InboxQuestion, LiveFrame, LiveStatus, SessionSummary } from "toolgate/serve/client";

export type LiveState = {
  readonly connection: LiveStatus;
  /** Undefined until the first `inbox` frame. */
  readonly questions: readonly InboxQuestion[] | undefined;
  readonly sessions: readonly SessionSummary[];
  /** Counts changes of rules, so that views read them again. */
  readonly rulesVersion: number;
  /** Counts connections, so that views read again what they may have missed. */
  readonly connections: number;
};

export const NOTHING_YET: LiveState = {
  connection: { type: "connecting" },
  questions: undefined,
  sessions: [],
  rulesVersion: 0,
  connections: 0,
};

export const answerableIn = (questions: readonly InboxQuestion[] | undefined): number =>
  (questions ?? []).filter(({ isAnswerable }) => isAnswerable).length;

/** Applies a frame that is not about one session's entries. */
export function withFrame(state: LiveState, frame: LiveFrame): LiveState {
  switch (frame.type) {
    case "inbox":
      return { ...state, questions: frame.inbox.questions };
    case "question":
      return { ...state, questions: withQuestion(state.questions ?? [], frame.question) };
    case "sessions":
      return { ...state, sessions: frame.sessions };
    case "session":
      return { ...state, sessions: withSession(state.sessions, frame.session) };
    case "session-removed":
      return {
        ...state,
        sessions: state.sessions.filter(({ sessionId }) => sessionId !== frame.sessionId),
        questions: state.questions?.filter(({ sessionId }) => sessionId !== frame.sessionId),
      };
    case "rules-changed":
      return { ...state, rulesVersion: state.rulesVersion + 1 };
    default:
      return state;
  }
}

/** As many as the server keeps: a page that is open for days shows what a fresh one shows. */
const MAX_SETTLED = 200;

/** A question keeps its place; a new one comes where its time puts it. */
function withQuestion(
  questions: readonly InboxQuestion[],
  question: InboxQuestion,
): readonly InboxQuestion[] {
  const at = questions.findIndex(({ questionId }) => questionId === question.questionId);
  if (at !== -1) return withoutOldSettled(questions.with(at, question));
  return [...questions, question].toSorted((one, other) => one.askedAt - other.askedAt);
}

function withoutOldSettled(questions: readonly InboxQuestion[]): readonly InboxQuestion[] {
  const settled = questions.filter(({ state }) => state.status !== "open");
  if (settled.length <= MAX_SETTLED) return questions;
  const old = new Set(settled.slice(0, -MAX_SETTLED));
  return questions.filter((question) => !old.has(question));
}

/** The list has the sessions that are not idle. */
function withSession(
  sessions: readonly SessionSummary[],
  session: SessionSummary,
): readonly SessionSummary[] {
  const at = sessions.findIndex(({ sessionId }) => sessionId === session.sessionId);
  if (session.state === "idle") return at === -1 ? sessions : sessions.toSpliced(at, 1);
  return at === -1 ? [session, ...sessions] : sessions.with(at, session);
}
