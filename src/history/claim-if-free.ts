/** The lease on a session; undefined when another process has it. */
import type { Lease, Ledger } from "../call/index.js";
import { LedgerError } from "../call/index.js";

export async function claimIfFree(
  ledger: Ledger,
  ...claim: Parameters<Ledger["claim"]>
): Promise<Lease | undefined> {
  try {
    return await ledger.claim(...claim);
  } catch (thrown) {
    if (thrown instanceof LedgerError && thrown.code === "LEASE_HELD") return undefined;
    throw thrown;
  }
}
