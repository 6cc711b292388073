/**
 * Opens a session that was there before. Whoever had it may still have it, or has died a moment ago and holds it a little
 * longer; and what a dead process left running is settled now, which the person who goes on wants to know first.
 */
import { readAll } from "../call/index.js";
import type { Ledger, SessionEvent } from "../call/index.js";
import { note } from "./stderr.js";

/** Milliseconds. */
const LONG = 1_000;

export type ResumedSession<Session> = {
  readonly session: Session;
  /** What was recorded when it was opened. */
  readonly settled: readonly SessionEvent[];
};

/** Without an id it is a new one. */
export async function resumeSession<Session>(
  ledger: Ledger,
  sessionId: string | undefined,
  open: () => Promise<Session>,
): Promise<ResumedSession<Session>> {
  if (sessionId === undefined) return { session: await open(), settled: [] };
  const before = (await readAll(ledger, sessionId)).at(-1)?.seq ?? 0;
  const waiting = setTimeout(
    () => note("Session is locked by another process; waiting for the lock …"),
    LONG,
  );
  try {
    const session = await open();
    const settled = await readAll(ledger, sessionId, { after: before });
    return { session, settled: settled.map(({ event }) => event) };
  } finally {
    clearTimeout(waiting);
  }
}
