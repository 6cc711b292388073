/**
 * Makes any value safe to send and to store as JSON.
 *
 * Tools and agents return anything: cycles, BigInts, proxies that throw, a gigabyte in one string.
 * Invariants: the function never throws and never changes the value; the result equals its own
 * JSON.parse(JSON.stringify(result)) and is within the limits. A value that already fulfils this is returned
 * as the same reference, since this runs on every message; so a second pass changes nothing. A note replaces
 * each part that was removed. A proxy that returns other values the second time is not detected.
 */
import { pluralize } from "./amounts.js";
import { errorMessage } from "./error-message.js";

export type PlainJsonLimits = {
  /** Length of the JSON text; 1 MiB by default, at least 64. */
  readonly maxCharacters?: number;
  /** Depth of nesting; 64 by default: serde_json gives up at 128, and our envelopes nest too. */
  readonly maxDepth?: number;
  /** Per array or object; 10,000 by default, at least 1. */
  readonly maxItems?: number;
};

export function plainJson(value: unknown, limits?: PlainJsonLimits): unknown {
  const bounds = limits ? boundsOf(limits) : DEFAULT_BOUNDS;
  if (isPlain(value, bounds)) return value;
  const copying = startCopy(bounds, bounds.maxCharacters);
  const copy = copyChild(copying, () => value, { name: "", levels: bounds.maxDepth });
  if (!copying.ranOut) return copy ?? null;
  // The whole is too long: long strings are cut first, so that the small fields beside them stay.
  const tight = startCopy(bounds, Math.max(128, Math.floor(bounds.maxCharacters / 16)));
  return copyChild(tight, () => value, { name: "", levels: bounds.maxDepth }) ?? null;
}

type Bounds = Required<PlainJsonLimits>;

const DEFAULT_BOUNDS: Bounds = { maxCharacters: 1_048_576, maxDepth: 64, maxItems: 10_000 };

function boundsOf(limits: PlainJsonLimits): Bounds {
  return {
    maxCharacters: Math.max(64, limits.maxCharacters ?? DEFAULT_BOUNDS.maxCharacters),
    maxDepth: Math.max(0, limits.maxDepth ?? DEFAULT_BOUNDS.maxDepth),
    maxItems: Math.max(1, limits.maxItems ?? DEFAULT_BOUNDS.maxItems),
  };
}

// --- The check whether a value is plain already: a walk that counts characters of JSON and copies nothing. ---

function isPlain(value: unknown, bounds: Bounds): boolean {
  try {
    const { maxCharacters, maxDepth, maxItems } = bounds;
    // Most messages are so far below the limit that their strings need not be measured.
    return (
      roomAfter(value, maxCharacters, maxDepth, { maxItems, measure: longestJsonLength }) >= 0 ||
      roomAfter(value, maxCharacters, maxDepth, { maxItems, measure: jsonLength }) >= 0
    );
  } catch {
    return false;
  }
}

type Walk = { readonly maxItems: number; readonly measure: (text: string) => number };

const NOT_PLAIN = -1;

/** The characters left when this value is written; negative when it does not fit or is not plain. */
function roomAfter(value: unknown, room: number, levels: number, walk: Walk): number {
  switch (typeof value) {
    case "string":
      return value.length > room || LONE_SURROGATE.test(value) ? NOT_PLAIN : room - walk.measure(value);
    case "number":
      // JSON turns -0 into 0.
      return Number.isFinite(value) && !Object.is(value, -0) ? room - String(value).length : NOT_PLAIN;
    case "boolean":
      return room - String(value).length;
    case "object":
      return value === null ? room - 4 : roomAfterContainer(value, room, levels, walk);
    default:
      return NOT_PLAIN;
  }
}

function roomAfterContainer(container: object, room: number, levels: number, walk: Walk): number {
  // A cycle ends here too: it is deeper than any limit.
  if (levels <= 0) return NOT_PLAIN;
  const isArray = Array.isArray(container);
  if (Object.getPrototypeOf(container) !== (isArray ? Array.prototype : Object.prototype)) return NOT_PLAIN;
  if (isArray && container.length > walk.maxItems) return NOT_PLAIN;
  const names = Object.keys(container);
  if (names.length > walk.maxItems || Object.getOwnPropertySymbols(container).length > 0) return NOT_PLAIN;
  if (isArray && !areAllIndices(names, container.length)) return NOT_PLAIN;
  if ("toJSON" in container && typeof container.toJSON === "function") return NOT_PLAIN;
  let left = room - 2 - Math.max(0, names.length - 1);
  for (const name of names) {
    if (!isArray) left = roomAfter(name, left, levels, walk) - 1;
    if (left < 0) return NOT_PLAIN;
    // Not container[name]: a getter, which has no value here, may return another value when it is written.
    const value: unknown = Object.getOwnPropertyDescriptor(container, name)?.value;
    left = roomAfter(value, left, levels - 1, walk);
  }
  return left;
}

/** Indices come first and in order, so the last name shows whether there is a hole or an extra property. */
function areAllIndices(names: readonly string[], length: number): boolean {
  return names.length === length && (length === 0 || names[length - 1] === String(length - 1));
}

// --- The copy, for all other values. A copy costs at least as much room as the walk above counts. ---

type Copying = Bounds & {
  /** Characters of JSON still to spend. */
  room: number;
  /** Whether anything was left out because of maxCharacters. */
  ranOut: boolean;
  readonly longestString: number;
  /** The containers around the value being copied. */
  readonly path: Set<object>;
};
type Place = { readonly name: string; readonly levels: number };

/** Any number, word or short note fits in this. */
const SMALLEST = 32;
/** Two brackets and a note on left-out items; the note's share is refunded when everything fits. */
const CONTAINER = 44;

function startCopy(bounds: Bounds, longestString: number): Copying {
  return { ...bounds, room: bounds.maxCharacters, ranOut: false, longestString, path: new Set() };
}

/** Undefined for values that JSON leaves out of objects. */
function copyChild(copying: Copying, read: () => unknown, place: Place): unknown {
  const { room } = copying;
  try {
    return copyValue(copying, read(), place);
  } catch (thrown) {
    copying.room = room;
    return copyText(copying, `[unreadable: ${reasonOf(thrown)}]`);
  }
}

function copyValue(copying: Copying, value: unknown, place: Place): unknown {
  switch (typeof value) {
    case "string":
      return copyText(copying, value);
    case "number":
      if (!Number.isFinite(value)) return copyText(copying, String(value));
      copying.room -= String(value).length;
      return value + 0; // -0 becomes 0
    case "bigint":
      return copyText(copying, String(value));
    case "boolean":
      copying.room -= String(value).length;
      return value;
    case "object":
      if (value !== null) return copyObject(copying, value, place);
      copying.room -= 4;
      return null;
    default:
      return undefined;
  }
}

function copyObject(copying: Copying, object: object, place: Place): unknown {
  let plain = asPrimitive(object);
  if (plain === object && "toJSON" in object && typeof object.toJSON === "function") {
    // toJSON is called once, as JSON.stringify does: an object may return itself.
    plain = object.toJSON(place.name);
    if (isObject(plain)) plain = asPrimitive(plain);
  }
  return isObject(plain) ? copyContainer(copying, plain, place) : copyValue(copying, plain, place);
}

/** A string or number for the objects that wrap one; the object itself for all others. */
function asPrimitive(object: object): unknown {
  if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer)
    return `[binary, ${pluralize(object.byteLength, "byte")}]`;
  if (object instanceof Date) return Number.isNaN(object.getTime()) ? "Invalid Date" : object.toISOString();
  const isBoxed = /^\[object (String|Number|Boolean|BigInt)\]$/.test(Object.prototype.toString.call(object));
  return isBoxed ? object.valueOf() : object;
}

function copyContainer(copying: Copying, container: object, { levels }: Place): unknown {
  if (copying.path.has(container)) return copyText(copying, "[circular]");
  if (levels <= 0) return copyText(copying, `[more than ${pluralize(copying.maxDepth, "level")} deep]`);
  if (copying.room < CONTAINER) {
    copying.ranOut = true;
    return copyText(copying, "…");
  }
  copying.room -= CONTAINER;
  copying.path.add(container);
  try {
    return copyParts(copying, container, levels - 1);
  } finally {
    copying.path.delete(container);
  }
}

function copyParts(copying: Copying, container: object, levels: number): unknown {
  if (Array.isArray(container)) return copyItems(copying, container, levels);
  if (container instanceof Set) return copyItems(copying, [...container], levels);
  if (container instanceof Map) {
    const names = [...container.keys()];
    const isRecord = names.every((name) => typeof name === "string");
    return isRecord
      ? copyFields(copying, names, (name) => container.get(name), levels)
      : copyItems(copying, [...container], levels);
  }
  // An error's own fields are not enumerable. Its stack stays out, since it names our files.
  const hidden = container instanceof Error ? ["name", "message", "cause", "errors"] : [];
  const names = new Set([...hidden.filter((name) => name in container), ...Object.keys(container)]);
  return copyFields(copying, [...names], (name) => Reflect.get(container, name), levels);
}

function copyItems(copying: Copying, items: readonly unknown[], levels: number): unknown[] {
  const copies: unknown[] = [];
  const most = items.length > copying.maxItems ? copying.maxItems - 1 : items.length;
  for (let index = 0; index < most && hasRoom(copying, SMALLEST); index++) {
    copying.room -= 1;
    const copy = copyChild(copying, () => items[index], { name: String(index), levels });
    if (copy === undefined) copying.room -= 4;
    copies.push(copy ?? null);
  }
  const left = items.length - copies.length;
  if (left > 0) copies.push(`… ${pluralize(left, "item")} left out …`);
  else copying.room += CONTAINER - 2;
  return copies;
}

function copyFields(
  copying: Copying,
  names: readonly string[],
  read: (name: string) => unknown,
  levels: number,
): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  const most = names.length > copying.maxItems ? copying.maxItems - 1 : names.length;
  let seen = 0;
  for (const name of names.slice(0, most)) {
    if (!hasRoom(copying, 2 * SMALLEST)) break;
    seen++;
    // A field that JSON leaves out costs room too, since the room bounds the work.
    const key = copyText(copying, name, copying.room - SMALLEST);
    copying.room -= 2;
    const copy = copyChild(copying, () => read(name), { name, levels });
    if (copy !== undefined) entries.push([key, copy]);
  }
  if (seen < names.length) entries.push(["…", `${pluralize(names.length - seen, "field")} left out`]);
  else copying.room += CONTAINER - 2;
  // Defines own properties, also for `__proto__`.
  return Object.fromEntries(entries);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function hasRoom(copying: Copying, needed: number): boolean {
  if (copying.room < needed) copying.ranOut = true;
  return copying.room >= needed;
}

function copyText(copying: Copying, text: string, room = copying.room): string {
  const fitted = fitText(text, Math.min(room, copying.longestString));
  if (fitted.length !== text.length) copying.ranOut = true;
  copying.room -= jsonLength(fitted);
  return fitted;
}

function reasonOf(thrown: unknown): string {
  try {
    return errorMessage(thrown).slice(0, 200);
  } catch {
    return "no reason given";
  }
}

// --- Strings, measured as JSON writes them. ---

const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;
const CUT_NOTE = 40;

/** The string, well-formed (some JSON readers choke on half a pair), its middle left out where it is too long. */
function fitText(text: string, room: number): string {
  if (text.length + 2 <= room) {
    const fixed = text.replace(LONE_SURROGATES, "\uFFFD");
    if (jsonLength(fixed) <= room) return fixed;
  }
  const kept = room - 2 - CUT_NOTE;
  if (kept < SMALLEST) return "…";
  const head = unitsThatFit(text, kept / 4, 1);
  const tail = unitsThatFit(text, (kept * 3) / 4, -1);
  const note = `… ${pluralize(text.length - head.length - tail.length, "character")} left out …`;
  return `${head}${note}${tail}`.replace(LONE_SURROGATES, "\uFFFD");
}

/** As many characters of the beginning (step 1) or the end (step -1) as fit, without splitting a pair. */
function unitsThatFit(text: string, room: number, step: 1 | -1): string {
  let left = room;
  let count = 0;
  while (count < text.length) {
    left -= unitLength(text.charCodeAt(step === 1 ? count : text.length - 1 - count));
    if (left < 0) break;
    count++;
  }
  const edge = text.charCodeAt(step === 1 ? count - 1 : text.length - count);
  if ((edge & 0xfc00) === (step === 1 ? 0xd800 : 0xdc00)) count--;
  return step === 1 ? text.slice(0, count) : text.slice(text.length - count);
}

function jsonLength(text: string): number {
  let length = 2;
  for (let index = 0; index < text.length; index++) length += unitLength(text.charCodeAt(index));
  return length;
}

const longestJsonLength = (text: string): number => 2 + 6 * text.length;

function unitLength(code: number): 1 | 2 | 6 {
  if (code >= 0x20) return code === 0x22 || code === 0x5c ? 2 : 1;
  // \b \t \n \f \r have short forms, 0x0b has not.
  return code >= 0x08 && code <= 0x0d && code !== 0x0b ? 2 : 6;
}
