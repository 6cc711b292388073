/** Deletes a session, with its history and its open questions. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { LedgerError } from "../../call/index.js";
import type { Lease, Ledger } from "../../call/index.js";

/** Long enough to remove the session; the lease is not renewed. */
const LEASE_MS = 10_000;
/** Another server keeps a session open a moment longer than its response. */
const LEASE_WAIT_MS = 1_000;
const RETRY_MS = 100;

export async function deleteSession(ledger: Ledger, sessionId: string): Promise<void> {
  await ledger.remove(await claim(ledger, sessionId, performance.now() + LEASE_WAIT_MS));
}

async function claim(ledger: Ledger, sessionId: string, until: number): Promise<Lease> {
  for (;;) {
    try {
      return await ledger.claim(sessionId, `aap ${randomUUID()}`, { milliseconds: LEASE_MS });
    } catch (error) {
      const isHeld = error instanceof LedgerError && error.code === "LEASE_HELD";
      if (!isHeld || performance.now() >= until) throw error;
      await wait(RETRY_MS);
    }
  }
}
