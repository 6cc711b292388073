/** Reads the choice behind an "always" or "never": the number of a width, a scope, and an expiry, in any order. */
import type { GrantExpiry, GrantScopeName, OfferedWidth, SelectedOption } from "../call/index.js";

export type Choice = Pick<SelectedOption, "width" | "scope" | "expires">;

const SCOPES: ReadonlyMap<string, GrantScopeName> = new Map([
  ["s", "session"],
  ["session", "session"],
  ["p", "project"],
  ["project", "project"],
  ["e", "user"],
  ["everywhere", "user"],
]);

const EXPIRIES: ReadonlyMap<string, GrantExpiry> = new Map([
  ["h", "hour"],
  ["hour", "hour"],
  ["t", "today"],
  ["today", "today"],
  ["m", "month"],
  ["month", "month"],
]);

/** Undefined when a word is none of these, or when two of one sort contradict each other. */
export function readChoice(words: readonly string[], widths: readonly OfferedWidth[]): Choice | undefined {
  const choice: { width?: string; scope?: GrantScopeName; expires?: GrantExpiry } = {};
  for (const word of words) {
    const width = /^\d+$/.test(word) ? widths[Number(word) - 1]?.width : undefined;
    const scope = SCOPES.get(word);
    const expires = EXPIRIES.get(word);
    if (width !== undefined && choice.width === undefined) choice.width = width;
    else if (scope !== undefined && choice.scope === undefined) choice.scope = scope;
    else if (expires !== undefined && choice.expires === undefined) choice.expires = expires;
    else return undefined;
  }
  return choice;
}
