/**
 * The state that every view follows: the inbox, the sessions under way, and the connection. All of it comes from the server's one
 * stream. The page keeps nothing of its own, so a reload or a lost network neither loses nor doubles anything.
 */
import type { InboxQuestion, LiveFrame, LiveStatus, Me, SessionSummary } from "toolgate/serve/client";
import { api, isLoggedOut } from "./api.js";
import { notify } from "./notify.js";
import { Store } from "./store.js";

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

export const live = new Store<LiveState>(NOTHING_YET);

/** `undefined`: not known yet; `null`: not logged in. */
export const me = new Store<Me | null | undefined>(undefined);

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

/** A question keeps its place; a new one comes where its time puts it. */
function withQuestion(
  questions: readonly InboxQuestion[],
  question: InboxQuestion,
): readonly InboxQuestion[] {
  const at = questions.findIndex(({ questionId }) => questionId === question.questionId);
  if (at !== -1) return questions.with(at, question);
  return [...questions, question].toSorted((one, other) => one.askedAt - other.askedAt);
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

export type FollowedSession = {
  readonly session: string;
  readonly after: number;
  readonly call?: string;
  readonly onFrame: (frame: LiveFrame) => void;
};

let followed: FollowedSession | undefined;
let current: AbortController | undefined;

/** Opens the stream, in place of the one before. */
function open(): void {
  current?.abort();
  const controller = new AbortController();
  current = controller;
  void read(controller, followed);
}

async function read(controller: AbortController, session: FollowedSession | undefined): Promise<void> {
  const { signal } = controller;
  const query = session && {
    session: session.session,
    after: session.after,
    ...(session.call !== undefined && { call: session.call }),
  };
  const onStatus = (connection: LiveStatus): void => {
    if (signal.aborted) return;
    const isNew = connection.type === "connected";
    live.update((state) => ({ ...state, connection, connections: state.connections + (isNew ? 1 : 0) }));
  };
  try {
    for await (const frame of api.live({ ...query, signal, onStatus })) {
      if (signal.aborted) return;
      live.update((state) => withFrame(state, frame));
      session?.onFrame(frame);
      notify(frame);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (isLoggedOut(error)) me.set(null);
    // The session in the query is gone: its view says so, and the rest goes on.
    else if (session && followed === session) unfollowSession(session);
    else setTimeout(() => !signal.aborted && open(), 5_000);
  }
}

export function startLive(): void {
  open();
}

export function stopLive(): void {
  current?.abort();
  current = undefined;
}

export function followSession(session: FollowedSession): void {
  followed = session;
  if (current) open();
}

export function unfollowSession(session: FollowedSession): void {
  if (followed !== session) return;
  followed = undefined;
  if (current) open();
}
