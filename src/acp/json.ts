/** Checks of values that came as JSON. */

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null and absent mean the same in most places of the wire. */
export function isNone(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Deep equality of two JSON values; the same value is found equal at once. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index]));
  }
  // Counted and not listed: this runs on every step of every call. Keys are looked up as own properties only.
  let more = 0;
  for (const key in a) {
    const one = (a as JsonObject)[key];
    const other = (b as JsonObject)[key];
    if (!Object.hasOwn(b, key) || (one !== other && !sameJson(one, other))) return false;
    more += 1;
  }
  for (const _ in b) more -= 1;
  return more === 0;
}
