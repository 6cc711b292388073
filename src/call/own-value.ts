/**
 * Reads a field of a tool's input, which a model or the author of its prompt has written: only own
 * properties count, never inherited ones, and reading must not run a getter.
 */
export function ownValue(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

/** The first non-empty text under one of the keys. */
export function ownText(holder: unknown, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = ownValue(holder, key);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
