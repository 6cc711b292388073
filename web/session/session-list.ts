/** The sessions that were read, page by page, while the first page is read again and again. */
import type { SessionPage, SessionSummary } from "toolgate/serve/client";

export type SessionList = {
  readonly sessions: readonly SessionSummary[];
  /** The `before` of the next page; none at the end. */
  readonly next: string | undefined;
};

/**
 * The sessions behind the first page stay, as far as they were read: those of later pages, and those that a newer session
 * has pushed off the first. A session before its end that it does not name was deleted.
 */
export function withNewest(list: SessionList | undefined, { sessions, next }: SessionPage): SessionList {
  const oldest = sessions.at(-1);
  if (!list || !oldest || next === undefined) return { sessions, next };
  const newest = new Set(sessions.map(({ sessionId }) => sessionId));
  const end = list.sessions.findIndex(({ sessionId }) => sessionId === oldest.sessionId);
  const later = list.sessions.slice(end + 1).filter(({ sessionId }) => !newest.has(sessionId));
  return later.length === 0 ? { sessions, next } : { sessions: [...sessions, ...later], next: list.next };
}

/** A session that has changed since stands on both pages. */
export function withPage(list: SessionList, { sessions, next }: SessionPage): SessionList {
  const known = new Set(list.sessions.map(({ sessionId }) => sessionId));
  return { sessions: [...list.sessions, ...sessions.filter((one) => !known.has(one.sessionId))], next };
}
