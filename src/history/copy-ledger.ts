/**
 * Copies all sessions of one ledger into another, with their times, questions, kept files and snapshots.
 *
 * Invariants: a session is copied whole, or what was copied of it is removed again; one that somebody holds, that lacks
 * events or whose kept files are damaged, is left out.
 * The text of an event is the same in every store, and so is the chain over it: equal heads of both chains prove the copy.
 */
import { randomUUID } from "node:crypto";
import type { Ledger, RecordedEvent, SessionSummary } from "../call/index.js";
import { allSessions, eventPages } from "../call/index.js";
import { claimIfFree } from "./claim-if-free.js";
import { LedgerFileError } from "./ledger-file-error.js";

const LEASE = { milliseconds: 600_000 };
const DURABLE = { durable: true };

export type CopiedSession = {
  readonly sessionId: string;
  readonly result: "copied" | "held" | "there" | "damaged";
  readonly events: number;
};

export type CopyTarget = {
  readonly ledger: Ledger;
  /** Sets the clock that the target was opened with, since times are the ledger's own. */
  readonly setTime: (time: number) => void;
};

/** Yields each session when it is done, the oldest first. */
export async function* copyLedger(from: Ledger, to: CopyTarget): AsyncGenerator<CopiedSession> {
  const summaries: SessionSummary[] = [];
  for await (const summary of allSessions(from)) summaries.push(summary);
  for (const summary of summaries.toReversed()) yield await copySession(from, to, summary);
}

async function copySession(from: Ledger, to: CopyTarget, summary: SessionSummary): Promise<CopiedSession> {
  const { sessionId } = summary;
  if (await to.ledger.has(sessionId)) return { sessionId, result: "there", events: 0 };
  const held = await claimIfFree(from, sessionId, owner(), LEASE);
  if (!held) return { sessionId, result: "held", events: 0 };
  try {
    const events = await copyEvents(from, to, summary);
    return events === undefined
      ? { sessionId, result: "damaged", events: 0 }
      : { sessionId, result: "copied", events };
  } finally {
    await from.release(held);
  }
}

/** Undefined, and nothing copied, when the session lacks events, or a file that it kept is damaged. */
async function copyEvents(
  from: Ledger,
  { ledger, setTime }: CopyTarget,
  { sessionId, createdAt, updatedAt, lastSeq = 0 }: SessionSummary,
): Promise<number | undefined> {
  setTime(createdAt);
  const lease = await ledger.claim(sessionId, owner(), LEASE);
  try {
    let copied = 0;
    for await (const page of eventPages(from, sessionId)) {
      for (const { event } of page) await copyBlob(from, ledger, event);
      // The first event has the time of the session's start, the last one that of its last write.
      const [first, ...rest] = page.map(({ event }) => event);
      if (copied === 0 && first) await ledger.append(lease, [first], DURABLE);
      setTime(updatedAt);
      await ledger.append(lease, copied === 0 ? rest : page.map(({ event }) => event), DURABLE);
      copied += page.length;
    }
    if (copied < lastSeq) {
      await ledger.remove(lease);
      return undefined;
    }
    const snapshot = await from.snapshot?.(sessionId);
    if (snapshot) await ledger.keepSnapshot?.(lease, snapshot);
    await ledger.release(lease);
    return copied;
  } catch (error) {
    await ledger.remove(lease);
    // Another session may be whole.
    if (error instanceof LedgerFileError && error.code === "LEDGER_DAMAGED") return undefined;
    throw error;
  }
}

async function copyBlob(from: Ledger, to: Ledger, event: RecordedEvent["event"]): Promise<void> {
  if (event.type !== "file-kept" || !("before" in event.change)) return;
  const { before } = event.change;
  const bytes = before && "blob" in before ? await from.getBlob(before.blob) : undefined;
  if (bytes) await to.putBlob(bytes);
}

/** A unique name, so that no other lease is taken for ours. */
const owner = () => `copy ${randomUUID()}`;
