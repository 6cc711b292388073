/**
 * REMEMBER: the ledgers that keep sessions, their questions and their blobs; the index to find things in
 * them; what leaves them, and what is forgotten.
 *
 * What must stay true here: every ledger keeps the port of `call/` and passes the same suite,
 * `ledger.contract.ts`; what is read is what JSON makes of what was appended, whichever ledger it was;
 * a log that was taken can be replayed, so an event that would settle a question twice is turned away.
 * What leaves the store by the index or an export is redacted. No database is loaded before one is opened.
 */
export type { BrokenLink, ChainHead } from "./chain-check.js";
export { exportSession } from "./export-session.js";
export type { ExportFormat, ExportOptions } from "./export-session.js";
export type { HistoryIndex, HistoryIndexOptions } from "./history-index.js";
export type {
  CallQuery,
  FoundCall,
  FoundSession,
  Page,
  SearchHit,
  SearchQuery,
  SessionQuery,
} from "./index-items.js";
export type { CallStatistics, Percentiles, StatisticsQuery } from "./index-statistics.js";
export type { IndexProgress } from "./index-update.js";
export { LedgerFileError } from "./ledger-file-error.js";
export type { LedgerFileErrorCode } from "./ledger-file-error.js";
export { MemoryLedger } from "./memory-ledger.js";
export { openHistoryIndex } from "./open-history-index.js";
export { redact, redactJson } from "./redact.js";
export { redactEvent, redactSession } from "./redact-event.js";
export type { RedactOptions } from "./redact-event.js";
export { RedactedEvents } from "./redacted-events.js";
export { redactingLedger } from "./redacting-ledger.js";
export { redactionPattern } from "./redaction-pattern.js";
export type { RedactionPattern } from "./redaction-pattern.js";
export { replaySession } from "./replay-session.js";
export type { Replayed } from "./replay-session.js";
export { removeSession, retainSessions } from "./retain-sessions.js";
export type { Retained, RetainOptions } from "./retain-sessions.js";
export { openSqliteLedger } from "./sqlite-ledger.js";
export type { SqliteLedgerOptions } from "./sqlite-ledger.js";
export { tidyLedger } from "./tidy-ledger.js";
export type { Tidied, TidyOptions } from "./tidy-ledger.js";
export { verifyLedger } from "./verify-ledger.js";
export type { Verified, VerifyOptions } from "./verify-ledger.js";
