/** Resumes a session. Opening settles the calls that a killed process left running; the user wants to see these first. */
import { readAll } from "../call/index.js";
import type { Ledger, SessionEvent } from "../call/index.js";

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
  const session = await open();
  const settled = await readAll(ledger, sessionId, { after: before });
  return { session, settled: settled.map(({ event }) => event) };
}
