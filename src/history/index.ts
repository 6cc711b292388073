/**
 * REMEMBER: the ledgers that keep sessions, their questions and their blobs.
 *
 * What must stay true here: every ledger keeps the port of `call/` and passes the same suite,
 * `ledger.contract.ts`; what is read is what JSON makes of what was appended, whichever ledger it was;
 * a log that was taken can be replayed, so an event that would settle a question twice is turned away.
 * No database is loaded before one is opened.
 */
export { MemoryLedger } from "./memory-ledger.js";
export { openSqliteLedger } from "./sqlite-ledger.js";
