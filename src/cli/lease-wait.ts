/** How a command waits for a session that another process has. */
import type { LeaseWait } from "../record/index.js";
import { note } from "./stderr.js";

/** Longer than a lease, which the process may no longer renew because it hangs or its machine is gone. */
export const LEASE_WAIT = { leaseWaitMs: 6_000, onLeaseWait: note } as const satisfies LeaseWait;
