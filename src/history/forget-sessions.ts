/**
 * Forgetting: one session, or all that are older than wanted.
 *
 * What must stay true: a session that someone holds is never removed under their hands, nor one that
 * was written to since it was looked at, nor (unless asked for) one with a question that is still open.
 */
import { randomUUID } from "node:crypto";
import type { Forgotten, ForgetOptions, Lease, Ledger, SessionSummary } from "../call/index.js";
import { allSessions, LedgerError } from "../call/index.js";

/** How long a blob stays that no event refers to: the event may be about to be recorded. */
export const UNUSED_BLOB_MS = 86_400_000;

const LEASE = { milliseconds: 60_000 };

/** Throws LEASE_HELD while someone holds it. A session that is not there is not there afterwards. */
export async function removeSession(ledger: Ledger, sessionId: string): Promise<void> {
  await ledger.remove(await ledger.claim(sessionId, owner(), LEASE));
}

type Clock = { readonly now?: () => number };

/** Removes the sessions that are named, and then those that are older than wanted. */
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
  // The whole list before anything is removed: a page goes on after a session that is still there.
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
  const lease = await claimIfFree(ledger, summary.sessionId);
  if (!lease) return "held";
  const isWaiting = (await ledger.openQuestions({ sessionId: summary.sessionId, limit: 1 })).length > 0;
  const why =
    isWaiting && !evenWaiting ? "waiting" : (await isAsItWas(ledger, summary)) ? undefined : "written";
  if (why === undefined) await ledger.remove(lease);
  else await ledger.release(lease);
  return why;
}

async function claimIfFree(ledger: Ledger, sessionId: string): Promise<Lease | undefined> {
  try {
    return await ledger.claim(sessionId, owner(), LEASE);
  } catch (thrown) {
    if (thrown instanceof LedgerError && thrown.code === "LEASE_HELD") return undefined;
    throw thrown;
  }
}

/** Whether the list still has it where it was: right before what comes after it. */
async function isAsItWas(
  ledger: Ledger,
  { sessionId, createdAt, updatedAt }: SessionSummary,
): Promise<boolean> {
  // Names are compared as text, and none comes before the empty one: this page begins with that moment's first.
  for (let before: SessionSummary = { sessionId: "", createdAt, updatedAt }; ;) {
    const [next] = await ledger.sessions({ before, limit: 1 });
    if (next?.updatedAt !== updatedAt) return false;
    if (next.sessionId === sessionId) return next.createdAt === createdAt;
    before = next;
  }
}

/** Nobody else's name, so that a lease that someone holds is never taken for ours. */
const owner = () => `retention ${randomUUID()}`;
