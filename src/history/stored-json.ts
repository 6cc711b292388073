/**
 * How values are kept: as the JSON text that every ledger can store and that reads back the same.
 */
import { IllegalEvent, oneLine } from "../call/index.js";

/** What cannot be written as JSON is turned away. */
export function jsonText(value: unknown, subject: string, eventType: string): string {
  try {
    const text: unknown = JSON.stringify(value);
    if (typeof text === "string") return text;
  } catch (thrown) {
    const reason = oneLine(thrown instanceof Error ? thrown.message : String(thrown), 200);
    throw new IllegalEvent(subject, eventType, `keeps only what can be written as JSON (${reason})`);
  }
  throw new IllegalEvent(subject, eventType, `keeps only what can be written as JSON (it is nothing)`);
}

/** The value as a ledger on disk would give it back, safe to hand out again and again. */
export function frozenJson<Value>(value: Value, subject: string, eventType: string): Value {
  const text = jsonText(value, subject, eventType);
  return JSON.parse(text, (_name, part: unknown) => Object.freeze(part)) as Value;
}

/**
 * A name as text that a database keeps whole: SQLite ends a text at a NUL, and half a surrogate pair is
 * no UTF-8, so two names could become one. Ordinary names stay as they are.
 */
export function storedName(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

export function nameFromStored(text: string): string {
  return JSON.parse(`"${text}"`) as string;
}
