/** A command waits this long for a session: the lease of a killed process outlives it by a few seconds. */
export const LEASE_WAIT_MS = 6_000;
