/**
 * REMEMBER: the ledgers that keep sessions, their questions and their blobs; the index to find things in
 * them; what leaves them, and what is forgotten.
 *
 * What must stay true here: every ledger keeps the port of `call/` and passes the same suite,
 * `ledger.contract.ts`; what is read is what JSON makes of what was appended, whichever ledger it was;
 * a log that was taken can be replayed, so an event that would settle a question twice is turned away.
 * What leaves the store by the index or an export is redacted. No database is loaded before one is opened.
 */
export type { BrokenLink, ChainHead } from "./sqlite/chain-check.js";
export { exportSession } from "./export/export-session.js";
export type { ExportFormat, ExportOptions } from "./export/export-session.js";
export type { HistoryIndex, HistoryIndexOptions } from "./sqlite/archive/history-index.js";
export type {
  CallQuery,
  FoundCall,
  FoundSession,
  Page,
  SearchHit,
  SearchQuery,
  SessionQuery,
} from "./sqlite/archive/index-items.js";
export type { CallStatistics, Percentiles, StatisticsQuery } from "./sqlite/archive/index-statistics.js";
export type { IndexProgress } from "./sqlite/archive/index-update.js";
export { LedgerFileError } from "./ledger-file-error.js";
export type { LedgerFileErrorCode } from "./ledger-file-error.js";
export { MemoryLedger } from "./memory/memory-ledger.js";
export { openHistoryIndex } from "./sqlite/archive/open-history-index.js";
export { redact, redactJson } from "./redaction/redact.js";
export { redactEvent, redactSession } from "./redaction/redact-event.js";
export type { RedactOptions } from "./redaction/redact-event.js";
export { RedactedEvents } from "./redaction/redacted-events.js";
export { redactingLedger } from "./redaction/redacting-ledger.js";
export { redactionPattern } from "./redaction/redaction-pattern.js";
export type { RedactionPattern } from "./redaction/redaction-pattern.js";
export { replaySession } from "./replay-session.js";
export type { Replayed } from "./replay-session.js";
export { removeSession, retainSessions } from "./retain-sessions.js";
export type { Retained, RetainOptions } from "./retain-sessions.js";
export { openSqliteLedger } from "./sqlite/sqlite-ledger.js";
export type { SqliteLedgerOptions } from "./sqlite/sqlite-ledger.js";
export { tidyLedger } from "./sqlite/tidy-ledger.js";
export type { Tidied, TidyOptions } from "./sqlite/tidy-ledger.js";
export { verifyLedger } from "./sqlite/verify-ledger.js";
export type { Verified, VerifyOptions } from "./sqlite/verify-ledger.js";
