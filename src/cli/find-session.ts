/** Finds a session by its id or the start of it, or the newest session of a folder. */
import { allSessions, readAll, readSessionInfo } from "../call/index.js";
import type { Ledger, SessionInfo } from "../call/index.js";
import { isForeign } from "./session-flags.js";

/** Reads all sessions, the newest first: an id or a folder may be an old one's. */
export async function findSession(ledger: Ledger, wanted: string | true, cwd: string): Promise<string> {
  if (wanted === true) return newestIn(ledger, cwd);
  if (await ledger.has(wanted)) return wanted;
  const known: string[] = [];
  for await (const { sessionId } of allSessions(ledger)) {
    // The prefix that all ids share may be left out.
    if (sessionId.startsWith(wanted) || sessionId.startsWith(`session_${wanted}`)) known.push(sessionId);
  }
  const [only, ...others] = known;
  if (only === undefined) throw new NoSession(`There is no session "${wanted}"`);
  if (others.length > 0) throw new NoSession(`"${wanted}" matches ${known.length} session ids`);
  return only;
}

/** `isWanted`: passes over others, unless there are only others. */
async function newestIn(
  ledger: Ledger,
  cwd: string,
  isWanted: (info: SessionInfo) => boolean = () => true,
): Promise<string> {
  let other: string | undefined;
  for await (const { sessionId } of allSessions(ledger)) {
    const info = await readSessionInfo(ledger, sessionId);
    if (info.cwd !== cwd || !(await hasTurn(ledger, sessionId))) continue;
    if (isWanted(info)) return sessionId;
    other ??= sessionId;
  }
  if (other !== undefined) return other;
  throw new NoSession(`No session has worked in ${cwd} yet`);
}

/** False for a conversation that was opened and left without a message. */
export async function hasTurn(ledger: Ledger, sessionId: string): Promise<boolean> {
  const recorded = await readAll(ledger, sessionId, { type: "turn-started" });
  // A ledger may ignore the type filter.
  return recorded.some(({ event }) => event.type === "turn-started");
}

/**
 * The session for `--resume`: without an id the newest of our own agent, or with `ofAgent` of an external one. One word is
 * an id; the error explains how to pass it as a prompt instead.
 */
export async function findResumed(
  ledger: Ledger,
  wanted: string | true,
  cwd: string,
  { ofAgent = false } = {},
): Promise<string> {
  if (wanted === true) return newestIn(ledger, cwd, (info) => isForeign(info) === ofAgent);
  try {
    return await findSession(ledger, wanted, cwd);
  } catch (error) {
    if (!(error instanceof NoSession)) throw error;
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
