/**
 * RECORD: a session being written: its lease, batches of events, text that is sent before it is stored, snapshots.
 *
 * Invariants: events are stored in the order in which subscribers see them; everything but text is stored before
 * anyone sees it; text that was sent is stored before, or together with, the event that follows it; a process that
 * lost the lease appends nothing; two records share only the ledger and the flush timer that they were given.
 */
export type { EventWriter } from "./append-batcher.js";
export { FlushTimer } from "./chunk-buffer.js";
export type { LeaseWait } from "./session-lease.js";
export { SessionRecord } from "./session-record.js";
export type { RecordOptions } from "./session-record.js";
