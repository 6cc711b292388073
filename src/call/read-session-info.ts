/** Reads a session's description without the rest of its log, which may be long. */
import type { Ledger } from "./ledger.js";
import { readAll } from "./ledger.js";
import { SessionBook } from "./session-book.js";
import type { SessionInfo } from "./session.js";

export async function readSessionInfo(ledger: Ledger, sessionId: string): Promise<SessionInfo> {
  const recorded = await readAll(ledger, sessionId, { type: "info-changed" });
  // A ledger may ignore the type filter.
  const events = recorded.map(({ event }) => event).filter(({ type }) => type === "info-changed");
  return new SessionBook(sessionId, events).info;
}
