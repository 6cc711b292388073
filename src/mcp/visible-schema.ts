/**
 * Prepares a server's JSON Schema for display and checks: invisible characters become visible, and formats that our
 * checker does not support are removed, since it would print their names as the server wrote them.
 */
import { visibleText } from "../call/index.js";

const TEXTS = new Set(["description", "title", "$comment"]);
/** Values below these keys are compared, not displayed. */
const VALUES = new Set(["const", "default", "enum", "examples"]);
const MAX_TEXT = 2000;
const MAX_DEPTH = 64;

const KNOWN_FORMATS = new Set(
  `date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4
  ipv6 regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 float double
  password binary`.split(/\s+/),
);

/** Undefined when it is no object, too large or too deep. */
export function visibleSchema(
  schema: unknown,
  maxLength: number,
): { readonly [keyword: string]: unknown } | undefined {
  if (!isObject(schema)) return undefined;
  try {
    if (JSON.stringify(schema).length > maxLength) return undefined;
    return cleanObject(schema, 0);
  } catch {
    return undefined;
  }
}

function cleanObject(
  schema: { readonly [key: string]: unknown },
  depth: number,
): { readonly [key: string]: unknown } {
  if (depth > MAX_DEPTH) throw new Error("Too deep.");
  const entries = Object.entries(schema).flatMap(([key, value]): (readonly [string, unknown])[] => {
    if (key === "format" && typeof value === "string" && !KNOWN_FORMATS.has(value)) return [];
    if (TEXTS.has(key) && typeof value === "string") return [[key, visibleText(value.slice(0, MAX_TEXT))]];
    return [[key, VALUES.has(key) ? value : clean(value, depth + 1)]];
  });
  // From entries: a key named __proto__ stays a key.
  return Object.fromEntries(entries);
}

function clean(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  return isObject(value) ? cleanObject(value, depth) : value;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
