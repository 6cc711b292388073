/**
 * A tool's input is written by a model, or by whoever wrote to the model: only what it holds itself
 * counts, never what it inherits, and looking must not run a getter.
 */
export function ownValue(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

/** The first of the keys that holds a text with something in it. */
export function ownText(holder: unknown, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = ownValue(holder, key);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
