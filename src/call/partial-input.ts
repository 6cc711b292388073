/**
 * Parses tool input while its JSON text still streams in.
 *
 * Only complete top-level fields are returned: half an edit looks like a deletion, and `12` may become
 * `123`. A field is complete once the `,` or `}` after its value has arrived. After the first syntax error
 * no more fields are added, and the earlier ones stay. Parsing never throws.
 * Invariant: the cost is linear in the input, however it is cut: a character is scanned once, a field is
 * parsed once. That is why fields form a linked list, which is deep: store `inputText`, not a reading.
 */

export type PartialInput = {
  /** All text that has arrived. */
  readonly text: string;
  /** The end of `text` that was not scanned yet. */
  readonly unread: string;
  readonly stage: "before-object" | "in-object" | "closed" | "broken";
  /** The part of `text` after the last complete field, stored apart: slicing the growing text would copy all of it. */
  readonly pending: string;
  /** Brackets open inside the pending field. */
  readonly depth: number;
  readonly quote: "outside" | "inside" | "escaped";
  readonly lastField: Field | undefined;
  readonly fieldCount: number;
  /** The number of scanned and parsed characters, for the test of linear cost. */
  readonly steps: number;
};

type Field = { readonly name: string; readonly value: unknown; readonly before: Field | undefined };
type Draft = { -readonly [Part in keyof PartialInput]: PartialInput[Part] };

export const NO_INPUT: PartialInput = Object.freeze({
  text: "",
  unread: "",
  stage: "before-object",
  pending: "",
  depth: 0,
  quote: "outside",
  lastField: undefined,
  fieldCount: 0,
  steps: 0,
});

/** Models send a few characters at a time; they are scanned in pieces of this size, or on demand. */
const PIECE = 256;

export function readMore(reading: PartialInput, fragment: string): PartialInput {
  if (fragment === "") return reading;
  // A literal, not a spread: this runs for every few characters that a model writes.
  const waiting: PartialInput = {
    text: reading.text + fragment,
    unread: reading.unread + fragment,
    stage: reading.stage,
    pending: reading.pending,
    depth: reading.depth,
    quote: reading.quote,
    lastField: reading.lastField,
    fieldCount: reading.fieldCount,
    steps: reading.steps,
  };
  return waiting.unread.length < PIECE ? waiting : upToDate(waiting);
}

/** Makes a new object on each call; `fieldCount` is a cheap test whether there are new fields. */
export function completeFields(reading: PartialInput): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (let field = upToDate(reading).lastField; field; field = field.before)
    entries.push([field.name, field.value]);
  // Defines own properties, also for `__proto__`, and lets the last of two equal names win, as JSON.parse does.
  return Object.fromEntries(entries.toReversed());
}

/** The number of complete fields. The count only grows: a repeated name counts twice. */
export function fieldCount(reading: PartialInput): number {
  return upToDate(reading).fieldCount;
}

/** The reading with all text scanned. */
export function upToDate(reading: PartialInput): PartialInput {
  const { unread } = reading;
  if (unread === "") return reading;
  const draft: Draft = { ...reading, unread: "" };
  let position = 0;
  while (position < unread.length) {
    const start = position;
    if (draft.stage === "before-object") position = readOpening(draft, unread);
    else if (draft.stage === "in-object") position = readField(draft, unread, start);
    else break;
    draft.steps += position - start;
  }
  return draft;
}

export function inputText(reading: PartialInput): string {
  return reading.text;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Reads up to and including the opening brace; returns the position after it. */
function readOpening(draft: Draft, fragment: string): number {
  // Only the four blanks of JSON: `\s` would accept characters that JSON.parse refuses.
  const at = fragment.search(/[^ \t\n\r]/);
  if (at === -1) return fragment.length;
  draft.stage = fragment.charCodeAt(at) === OPEN_OBJECT ? "in-object" : "broken";
  return at + 1;
}

/** Reads to the end of the pending field or of the fragment; returns the position after it. */
function readField(draft: Draft, fragment: string, start: number): number {
  for (let at = start; at < fragment.length; at++) {
    const code = fragment.charCodeAt(at);
    if (draft.quote !== "outside") {
      draft.quote = quoteAfter(draft.quote, code);
    } else if (code === QUOTE) {
      draft.quote = "inside";
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      draft.depth++;
    } else if (draft.depth > 0) {
      // Brackets are only counted here: a `[` closed by `}` is found when the field is parsed.
      if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) draft.depth--;
    } else if (code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      draft.pending += fragment.slice(start, at);
      endField(draft, code);
      return at + 1;
    }
  }
  draft.pending += fragment.slice(start);
  return fragment.length;
}

function quoteAfter(quote: "inside" | "escaped", code: number): PartialInput["quote"] {
  if (quote === "escaped") return "inside";
  if (code === BACKSLASH) return "escaped";
  return code === QUOTE ? "outside" : "inside";
}

function endField(draft: Draft, end: number): void {
  const text = `{${draft.pending}}`;
  draft.pending = "";
  draft.steps += text.length;
  const field = end === CLOSE_ARRAY ? undefined : parseField(text);
  // Empty braces are valid; an empty field before or after a comma is not.
  const isEmptyObject = field === "none" && end === CLOSE_OBJECT && draft.fieldCount === 0;
  if (!field || (field === "none" && !isEmptyObject)) {
    draft.stage = "broken";
    return;
  }
  if (field !== "none") {
    draft.lastField = { name: field[0], value: field[1], before: draft.lastField };
    draft.fieldCount++;
  }
  if (end === CLOSE_OBJECT) draft.stage = "closed";
}

/** The one field of an object text; undefined when malformed, or nested deeper than the engine can parse. */
function parseField(text: string): [string, unknown] | "none" | undefined {
  try {
    const object: Record<string, unknown> = JSON.parse(text);
    return Object.entries(object)[0] ?? "none";
  } catch {
    return undefined;
  }
}
