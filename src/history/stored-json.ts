/** Values as stored JSON text, which every ledger returns unchanged. */
import type { AskedQuestion, SessionEvent } from "../call/index.js";
import { IllegalEvent, LedgerError, oneLine } from "../call/index.js";
import { isAboutQuestion, questionAfter } from "./question-state.js";
import type { QuestionEvent } from "./question-state.js";

/** Throws IllegalEvent for a value that JSON cannot write. */
function jsonText(value: unknown, subject: string, eventType: string): string {
  let text: string | undefined;
  try {
    // JSON.stringify returns undefined for a value that JSON cannot express, although its type does not say so.
    text = JSON.stringify(value) as string | undefined;
  } catch (thrown) {
    throw unwritable(subject, eventType, thrown);
  }
  if (text === undefined) throw unwritable(subject, eventType, NOTHING);
  return text;
}

/** A copy of the value as a ledger on disk would return it. Freeze it before sharing it. */
export function copiedJson<Value>(value: Value, subject: string, eventType: string): Value {
  let copy: unknown;
  try {
    copy = jsonCopy(value);
  } catch (thrown) {
    throw unwritable(subject, eventType, thrown);
  }
  if (copy === undefined) throw unwritable(subject, eventType, NOTHING);
  // JSON gives a value back as it was; what JSON leaves out, types of events do not have.
  return copy as Value;
}

/** The same copy, frozen, safe to share. */
export function frozenJson<Value>(value: Value, subject: string, eventType: string): Value {
  return frozen(copiedJson(value, subject, eventType));
}

const NOTHING = "it is nothing";

function unwritable(subject: string, eventType: string, thrown: unknown): IllegalEvent {
  const reason = oneLine(thrown instanceof Error ? thrown.message : String(thrown), 200);
  return new IllegalEvent(subject, eventType, `keeps only what can be written as JSON (${reason})`);
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

/** A stored event: its text, and the parsed event when it is about a question. */
export type StoredEvent = { readonly text: string; readonly question: QuestionEvent | undefined };

export function storedEvent(event: SessionEvent, sessionId: string): StoredEvent {
  const text = jsonText(event, `Session ${sessionId}`, event.type);
  // The text decides, because an event with a `toJSON` of its own may become another one; and most
  // events, some of them long, need not be read back for that.
  if (!text.includes('"question-')) return { text, question: undefined };
  const read = JSON.parse(text) as SessionEvent;
  return { text, question: isAboutQuestion(read) ? read : undefined };
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

/** A question by the stored events that asked and settled it. */
export function questionFromStored(
  questionId: string,
  row: { readonly asked: string; readonly settled: string | null },
): AskedQuestion {
  const asked = eventFromStored(row.asked, 0);
  if (asked.type !== "question-asked") throw unreadable(questionId);
  const { question } = asked;
  const open: AskedQuestion = { question, state: { status: "open" } };
  if (row.settled === null) return open;
  const settled = eventFromStored(row.settled, 0);
  if (!isAboutQuestion(settled)) throw unreadable(questionId);
  return questionAfter(open, settled, question.sessionId);
}

/** A refusal and not a failure, so that the writes beside it are committed. */
function unreadable(questionId: string): LedgerError {
  return new LedgerError(
    "NO_SUCH_QUESTION",
    `Question ${questionId} cannot be read any more: its row in the ledger is damaged. Nothing was recorded.`,
  );
}

/** No honest event is deeper. Deeper values go to JSON, which throws the error. */
const MAX_DEPTH = 200;

/**
 * Copies a value as a JSON round trip would, without serializing it: strings, which are most of an event, are shared and
 * not copied. Values that are not plain data take the round trip. Undefined where JSON would leave the value out. Throws
 * the error of JSON.stringify.
 */
export function jsonCopy(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON has neither -0, NaN nor Infinity.
      return Number.isFinite(value) ? value + 0 : null;
    case "object":
      if (value === null) return null;
      if (depth > MAX_DEPTH || "toJSON" in value) return overText(value);
      if (Array.isArray(value)) return listCopy(value, depth);
      return isPlain(value) ? objectCopy(value, depth) : overText(value);
    case "bigint":
      return overText(value);
    default:
      return undefined;
  }
}

function listCopy(list: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = [];
  // A hole becomes null, as JSON writes it.
  for (let index = 0; index < list.length; index += 1) copy.push(jsonCopy(list[index], depth + 1) ?? null);
  return copy;
}

function objectCopy(object: object, depth: number): unknown {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(object);
  // By index: a `for … of` is several times as much for the compiler.
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const copied = jsonCopy(Reflect.get(object, key), depth + 1);
    if (copied !== undefined) setOwn(copy, key, copied);
  }
  return copy;
}

/** An assignment to this name would set the prototype. */
function setOwn(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(copy, key, { value, enumerable: true });
  else copy[key] = value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function overText(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

/**
 * Freezes a copy that was made here, at any depth. A part that is frozen already was frozen here, with all its parts.
 * JSON has no cycles, and stored events are not deep.
 */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
