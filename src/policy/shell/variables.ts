/** The variables that a text sets, with their values as far as they are known. */

export type Value =
  /** Exactly this text. */
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "number";
      readonly maySign?: boolean;
      /** The process that the shell itself started last in the background. */
      readonly isJob?: true;
    }
  /** The name of a file that this pattern matches. */
  | { readonly type: "name"; readonly pattern: string }
  /** A text that is not known, from a command of the text. */
  | { readonly type: "unknown" };

/** A variable that is missing here is inherited: its value may be a secret. */
export type Variables = ReadonlyMap<string, Value>;

export const NO_VARIABLES: Variables = new Map();
export const UNKNOWN: Value = { type: "unknown" };

export function withUnknown(variables: Variables, names: Iterable<string>): Variables {
  const all = new Map(variables);
  // A name that was never set may still have its inherited value.
  for (const name of names) if (all.has(name)) all.set(name, UNKNOWN);
  return all;
}

/** The variables whose values are the same in both; others are given up, as unknown or as inherited. */
export function sameVariables(one: Variables, other: Variables): Variables {
  const same = new Map<string, Value>();
  for (const [name, value] of one) {
    const there = other.get(name);
    if (there) same.set(name, JSON.stringify(there) === JSON.stringify(value) ? value : UNKNOWN);
  }
  return same;
}

/** Equal for equal variables. */
export const variablesKey = (variables: Variables): string =>
  variables.size === 0 ? "" : JSON.stringify([...variables].sort(([one], [other]) => (one < other ? -1 : 1)));
