/**
 * REMEMBER: the ledgers that keep sessions, their questions and their blobs, and the archives to find, count, verify,
 * export and forget what they keep. Callers name a store by its address only.
 *
 * What must stay true here: every ledger and every archive implements the port of `call/` and passes the same suite
 * (`contract/ledger.contract.ts`, `contract/archive.contract.ts`); a read returns what JSON makes of the appended events,
 * whichever ledger it was; an event that would settle a question twice is refused, so every log can be replayed. Texts
 * that leave the store by an archive are redacted. No database is loaded before one is opened.
 */
export { exportSession } from "./export/export-session.js";
export type { ExportOptions } from "./export/export-session.js";
export { LedgerFileError } from "./ledger-file-error.js";
export type { LedgerFileErrorCode } from "./ledger-file-error.js";
export { MemoryArchive } from "./memory/memory-archive.js";
export { MemoryLedger } from "./memory/memory-ledger.js";
export { openArchive } from "./open-archive.js";
export type { ArchiveOptions } from "./open-archive.js";
export { openLedger } from "./open-ledger.js";
export type { LedgerOptions } from "./open-ledger.js";
export { ledgerFileOf } from "./store-address.js";
export { redact, redactJson } from "./redaction/redact.js";
export { redactEvent, redactSession } from "./redaction/redact-event.js";
export type { RedactOptions } from "./redaction/redact-event.js";
export { RedactedEvents } from "./redaction/redacted-events.js";
export { redactingLedger } from "./redaction/redacting-ledger.js";
export { redactionPattern } from "./redaction/redaction-pattern.js";
export type { RedactionPattern } from "./redaction/redaction-pattern.js";
export { replaySession } from "./replay-session.js";
export type { Replayed } from "./replay-session.js";
