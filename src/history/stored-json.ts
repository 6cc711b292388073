/** Values as stored JSON text, which every ledger returns unchanged. */
import type { SessionEvent } from "../call/index.js";
import { IllegalEvent, oneLine } from "../call/index.js";
import { frozen, jsonCopy } from "./json-copy.js";

/** Throws IllegalEvent for a value that JSON cannot write. */
export function jsonText(value: unknown, subject: string, eventType: string): string {
  // JSON.stringify returns undefined for a value that JSON cannot express, although its type does not say so.
  return written(() => JSON.stringify(value) as string | undefined, subject, eventType);
}

/** A copy of the value as a ledger on disk would return it. Freeze it before sharing it. */
export function copiedJson<Value>(value: Value, subject: string, eventType: string): Value {
  return written(() => jsonCopy(value), subject, eventType) as Value;
}

/** The same copy, frozen, safe to share. */
export function frozenJson<Value>(value: Value, subject: string, eventType: string): Value {
  return frozen(copiedJson(value, subject, eventType));
}

function written<Written>(write: () => Written | undefined, subject: string, eventType: string): Written {
  let result: Written | undefined;
  try {
    result = write();
  } catch (thrown) {
    const reason = oneLine(thrown instanceof Error ? thrown.message : String(thrown), 200);
    throw new IllegalEvent(subject, eventType, `keeps only what can be written as JSON (${reason})`);
  }
  if (result !== undefined) return result;
  throw new IllegalEvent(subject, eventType, `keeps only what can be written as JSON (it is nothing)`);
}

/**
 * A name as text that a database stores whole: SQLite ends a text at a NUL, and half a surrogate pair is
 * not UTF-8, so two names could become one. Ordinary names stay unchanged.
 */
export function storedName(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

export function nameFromStored(text: string): string {
  return JSON.parse(`"${text}"`) as string;
}

/** The name of the repair that replaces an event which cannot be read. */
const UNREADABLE = "unreadable-event";

/** Event types of older ledgers. Their rows keep the old names, since the hash chain covers the stored bytes. */
const RENAMED_TYPES: ReadonlyMap<string, SessionEvent["type"]> = new Map([
  ["cancel-wished", "cancel-requested"],
  ["call-lost", "call-unknown"],
]);

/** An event as it was written. An unreadable one becomes a repair event, so that the others can still be read. */
export function eventFromStored(text: string, seq: number): SessionEvent {
  try {
    const event: unknown = JSON.parse(text);
    // Stored JSON counts as an event when it has a type.
    if (typeof event === "object" && event !== null && "type" in event && typeof event.type === "string") {
      const type = RENAMED_TYPES.get(event.type);
      return (type === undefined ? event : { ...event, type }) as SessionEvent;
    }
  } catch {
    // Handled below, like JSON that is not an event.
  }
  const detail = `Event ${seq} of this session cannot be read: its row in the ledger is damaged. The others are as they were recorded.`;
  return { type: "traffic-repaired", at: 0, repair: { repair: UNREADABLE, detail } };
}
