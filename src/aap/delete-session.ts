/** Forgets a session, with its history and its open questions. */
import { randomUUID } from "node:crypto";
import type { Ledger } from "../call/index.js";
import { readSession } from "./session-config.js";

/** Long enough to remove it; nobody renews it. */
const LEASE_MILLISECONDS = 10_000;

export async function deleteSession(ledger: Ledger, sessionId: string): Promise<void> {
  await readSession(ledger, sessionId);
  const owner = `aap ${randomUUID()}`;
  await ledger.remove(await ledger.claim(sessionId, owner, { milliseconds: LEASE_MILLISECONDS }));
}
