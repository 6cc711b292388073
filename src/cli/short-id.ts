/** Enough of a session's id to find it by. */
export const shortId = (sessionId: string): string =>
  /^session_[0-9a-f]{8}(?:-|[0-9a-f]{24}$)/.test(sessionId)
    ? sessionId.slice(0, "session_".length + 8)
    : sessionId;
