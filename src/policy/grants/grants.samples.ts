import { expect, test } from "vitest";
import { decide } from "../decide.js";
import type { Intent } from "../intent.js";
import { inMode } from "../modes.js";
import { rememberResults } from "../paths/match-path.js";
import type { Proposal } from "./grant.js";
import { proposeGrants } from "./propose-grants.js";
import type { GrantPlaces } from "./propose-grants.js";

/** The narrowest "always" for an intent. */
export const exactGrant = (intent: Intent, places: GrantPlaces): Proposal | undefined =>
  proposeGrants(intent, places).find(({ width }) => width === "exact");

/** A command that is granted; commands that its first width allows; commands that it must not. */
type Row = readonly [granted: string, allowed: readonly string[], asked: readonly string[]];

/** Decisions in mode accept-edits after the widest "always" for a command, and a test of them for each row. */
export function alwaysFor(
  command: (text: string) => Intent,
  places: GrantPlaces & { readonly home: string },
) {
  const first = rememberResults((text) => proposeGrants(command(text), places)[0]);
  const policyOf = rememberResults((granted) => ({
    ...places,
    ...inMode("accept-edits", first(granted)?.rules ?? []),
  }));
  const effect = (text: string, granted: string) => decide(command(text), policyOf(granted)).effect;
  const holds = (rows: readonly Row[]) =>
    test.each(rows)("always for %s", (granted, allowed, asked) => {
      for (const text of [granted, ...allowed]) expect(effect(text, granted), text).toBe("allow");
      for (const text of asked) expect(effect(text, granted), text).not.toBe("allow");
    });
  return { first, effect, holds };
}
