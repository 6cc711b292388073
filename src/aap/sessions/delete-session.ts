/** Forgets a session, with its history and its open questions. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { LedgerError } from "../../call/index.js";
import type { Lease, Ledger } from "../../call/index.js";

/** Long enough to remove it; nobody renews it. */
const LEASE_MILLISECONDS = 10_000;
/** Another server keeps a session open a moment longer than its response. */
const PATIENCE_MILLISECONDS = 1_000;
const LOOK_AGAIN_MILLISECONDS = 100;

export async function deleteSession(ledger: Ledger, sessionId: string): Promise<void> {
  await ledger.remove(await claim(ledger, sessionId, performance.now() + PATIENCE_MILLISECONDS));
}

async function claim(ledger: Ledger, sessionId: string, until: number): Promise<Lease> {
  for (;;) {
    try {
      return await ledger.claim(sessionId, `aap ${randomUUID()}`, { milliseconds: LEASE_MILLISECONDS });
    } catch (error) {
      const isHeld = error instanceof LedgerError && error.code === "LEASE_HELD";
      if (!isHeld || performance.now() >= until) throw error;
      await wait(LOOK_AGAIN_MILLISECONDS);
    }
  }
}
