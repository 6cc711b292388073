/**
 * Resumes a session. Another process may still hold its lease, or was killed and the lease has not expired yet. Opening
 * settles the calls that a killed process left running; the user wants to see these first.
 */
import { readAll } from "../call/index.js";
import type { Ledger, SessionEvent } from "../call/index.js";
import { note } from "./stderr.js";

const NOTE_AFTER_MS = 1_000;

export type ResumedSession<Session> = {
  readonly session: Session;
  /** Events recorded while it was opened. */
  readonly settled: readonly SessionEvent[];
};

/** Without an id, opens a new session. */
export async function resumeSession<Session>(
  ledger: Ledger,
  sessionId: string | undefined,
  open: () => Promise<Session>,
): Promise<ResumedSession<Session>> {
  if (sessionId === undefined) return { session: await open(), settled: [] };
  const before = (await readAll(ledger, sessionId)).at(-1)?.seq ?? 0;
  const waiting = setTimeout(
    () => note("Session is locked by another process; waiting for the lock …"),
    NOTE_AFTER_MS,
  );
  try {
    const session = await open();
    const settled = await readAll(ledger, sessionId, { after: before });
    return { session, settled: settled.map(({ event }) => event) };
  } finally {
    clearTimeout(waiting);
  }
}
