/**
 * Forgetting: one session, or all that are older than wanted.
 *
 * What must stay true: a session that someone holds is never removed under their hands, nor one that
 * was written to since it was looked at, nor (unless asked for) one with a question that is still open.
 */
import { randomUUID } from "node:crypto";
import type { Lease, Ledger, SessionSummary } from "../call/index.js";
import { allSessions, LedgerError } from "../call/index.js";

const LEASE = { milliseconds: 60_000 };

/** Throws LEASE_HELD while someone holds it. A session that is not there is not there afterwards. */
export async function removeSession(ledger: Ledger, sessionId: string): Promise<void> {
  await ledger.remove(await ledger.claim(sessionId, owner(), LEASE));
}

export type RetainOptions = {
  /** Sessions that were last written longer ago than this, in milliseconds, are removed. */
  readonly olderThan: number;
  /** The most recently written ones stay, however old they are. */
  readonly keepLast?: number;
  /** Also those that wait for an answer: then nobody can give it any more. */
  readonly evenWaiting?: boolean;
  readonly now?: () => number;
};

export type Retained = {
  readonly removed: readonly string[];
  /** Old enough, and left where they are. */
  readonly kept: readonly { readonly sessionId: string; readonly why: "held" | "waiting" | "written" }[];
};

export async function retainSessions(ledger: Ledger, options: RetainOptions): Promise<Retained> {
  const { olderThan, keepLast = 0, evenWaiting = false, now = Date.now } = options;
  const before = now() - olderThan;
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
