/** An entry of a session as the page shows it, redacted. */
import type { SessionBook } from "../../call/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import { placedCard } from "../../view/session-entries.js";
import type { SessionEntry } from "../api/session-bodies.js";
import type { CallPlaces } from "./call-places.js";
import type { KeyedEntry } from "./keyed-entries.js";

export type EntryContext = {
  readonly book: SessionBook;
  readonly places: CallPlaces;
  readonly redactPatterns: Parameters<typeof redactedRecord>[1];
};

export function shownEntry({ key, entry }: KeyedEntry, context: EntryContext): SessionEntry {
  const { book, places, redactPatterns } = context;
  // The walk changes texts and nothing else, so the values stay what they are.
  const redacted = <Value>(value: Value): Value => redactedRecord(value, redactPatterns) as Value;
  if (entry.type === "message")
    return { type: "message", key, message: redacted(entry.message), isCutOff: entry.isCutOff };
  if (entry.type === "call") {
    const { call, depth, near, question } = entry;
    const placed = { call: redacted(call), near, question: question && redacted(question) };
    const card = placedCard(placed, { keepsColours: true });
    return { type: "call", key, card, depth, ...places.of(call, book) };
  }
  return { ...redacted(entry), key };
}
