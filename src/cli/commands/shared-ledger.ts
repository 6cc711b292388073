/** The option of commands that act on settings: those of one machine, or those that servers on one ledger share. */
export const SHARED_LEDGER = [
  "--ledger <address>",
  "the ledger of the servers, where several share one: postgres://…",
] as const;
