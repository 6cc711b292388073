/**
 * The store: ledgers of sessions, questions and blobs, and archives to find, count, verify, export and forget them.
 * Callers name a store by its address only.
 *
 * Invariants: every ledger and every archive implements the port of `call/` and passes the same suite
 * (`contract/ledger.contract.ts`, `contract/archive.contract.ts`); every ledger returns the appended events as JSON
 * copies; an event that would settle a question twice is refused, so every log can be replayed. An archive redacts the
 * texts that it returns. No database driver is loaded before a database is opened.
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
