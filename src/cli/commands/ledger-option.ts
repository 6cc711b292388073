/** The option `--ledger` of commands that read sessions, and of those that act on settings. */
export const SESSIONS_LEDGER = [
  "--ledger <address>",
  "where sessions are stored: a file, or postgres://… (default: in your state folder)",
] as const;

/** Settings are files of one machine, or shared by the servers on one ledger. */
export const SHARED_LEDGER = [
  "--ledger <address>",
  "the ledger of the servers, where several share one: postgres://…",
] as const;
