/** Finds a session by its id or the start of it, or the newest session of a folder. */
import { readSessionInfo } from "../call/index.js";
import type { Ledger } from "../call/index.js";

/** Only so many of the newest sessions are searched. */
const MAX_SESSIONS = 200;

export async function findSession(ledger: Ledger, wanted: string | true, cwd: string): Promise<string> {
  const sessions = await ledger.sessions({ limit: MAX_SESSIONS });
  if (wanted !== true) {
    const known = sessions.filter(({ sessionId }) => sessionId === wanted || sessionId.startsWith(wanted));
    const [only, ...others] = known;
    if (only && (others.length === 0 || only.sessionId === wanted)) return only.sessionId;
    if (only) throw new NoSession(`"${wanted}" matches ${known.length} session ids`);
    if (await ledger.has(wanted)) return wanted;
    throw new NoSession(`There is no session "${wanted}"`);
  }
  for (const { sessionId } of sessions) {
    if ((await readSessionInfo(ledger, sessionId)).cwd === cwd) return sessionId;
  }
  throw new NoSession(`No session has worked in ${cwd} yet`);
}

/** The session for `--resume`. One word is an id; the error explains how to pass it as a prompt instead. */
export async function findResumed(ledger: Ledger, wanted: string | true, cwd: string): Promise<string> {
  try {
    return await findSession(ledger, wanted, cwd);
  } catch (error) {
    if (!(error instanceof NoSession) || wanted === true) throw error;
    error.message += `. If that is what the agent should do, put it after --: toolgate run --resume -- ${wanted}`;
    throw error;
  }
}

class NoSession extends Error {
  readonly code = "NO_SESSION";

  constructor(what: string) {
    super(`${what}. Nothing was done; see which there are with: toolgate history list`);
    this.name = "NoSession";
  }
}
