/**
 * Removes one session, or all sessions that are older than a limit.
 *
 * Invariants: a session with a live lease is never removed, nor one that was written to since it was
 * selected, nor (unless the caller asks for it) one with an open question.
 */
import { randomUUID } from "node:crypto";
import type { Forgotten, ForgetOptions, Ledger, SessionSummary } from "../call/index.js";
import { allSessions } from "../call/index.js";
import { claimIfFree } from "./claim-if-free.js";

/** The time that a blob stays without an event that refers to it: the event may be about to be recorded. */
export const UNUSED_BLOB_MS = 86_400_000;

const LEASE = { milliseconds: 60_000 };

/** Throws LEASE_HELD while someone holds the session. Does nothing when there is no such session. */
export async function removeSession(ledger: Ledger, sessionId: string): Promise<void> {
  await ledger.remove(await ledger.claim(sessionId, owner(), LEASE));
}

type Clock = { readonly now?: () => number };

/** Removes the named sessions, and then those that are older than the limit. */
export async function forgetSessions(
  ledger: Ledger,
  options: ForgetOptions & Clock,
): Promise<Pick<Forgotten, "removed" | "kept">> {
  const { sessionIds = [], olderThanMs } = options;
  for (const sessionId of sessionIds) await removeSession(ledger, sessionId);
  const aged = olderThanMs === undefined ? NONE : await retainSessions(ledger, { ...options, olderThanMs });
  return { removed: [...sessionIds, ...aged.removed], kept: aged.kept };
}

const NONE = { removed: [], kept: [] };

type RetainOptions = Pick<ForgetOptions, "keepLast" | "evenWaiting"> &
  Clock & { readonly olderThanMs: number };

type Retained = Pick<Forgotten, "removed" | "kept">;

export async function retainSessions(ledger: Ledger, options: RetainOptions): Promise<Retained> {
  const { olderThanMs, keepLast = 0, evenWaiting = false, now = Date.now } = options;
  const before = now() - olderThanMs;
  const removed: string[] = [];
  const kept: Retained["kept"][number][] = [];
  const old: SessionSummary[] = [];
  let listed = 0;
  // The whole list is read before anything is removed, since a page starts after a session that must still exist.
  for await (const summary of allSessions(ledger)) {
    listed += 1;
    if (listed > keepLast && summary.updatedAt < before) old.push(summary);
  }
  for (const summary of old) {
    const { sessionId } = summary;
    const why = await removeUnlessUsed(ledger, summary, evenWaiting);
    if (why === undefined) removed.push(sessionId);
    else kept.push({ sessionId, why });
  }
  return { removed, kept };
}

async function removeUnlessUsed(
  ledger: Ledger,
  summary: SessionSummary,
  evenWaiting: boolean,
): Promise<Retained["kept"][number]["why"] | undefined> {
  const lease = await claimIfFree(ledger, summary.sessionId, owner(), LEASE);
  if (!lease) return "held";
  const isWaiting = (await ledger.openQuestions({ sessionId: summary.sessionId, limit: 1 })).length > 0;
  const why =
    isWaiting && !evenWaiting ? "waiting" : (await isAsItWas(ledger, summary)) ? undefined : "written";
  if (why === undefined) await ledger.remove(lease);
  else await ledger.release(lease);
  return why;
}

/** Whether the session was not written to since: then the list has it at the same place. */
async function isAsItWas(
  ledger: Ledger,
  { sessionId, createdAt, updatedAt }: SessionSummary,
): Promise<boolean> {
  // The empty id sorts before all others, so this page begins with the first session of that time.
  for (let before: SessionSummary = { sessionId: "", createdAt, updatedAt }; ;) {
    const [next] = await ledger.sessions({ before, limit: 1 });
    if (next?.updatedAt !== updatedAt) return false;
    if (next.sessionId === sessionId) return next.createdAt === createdAt;
    before = next;
  }
}

/** A unique name, so that no other lease is taken for ours. */
const owner = () => `retention ${randomUUID()}`;
