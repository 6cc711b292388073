/** The states of the shell when a command succeeded, and when it failed. */
import type { Draft } from "./draft.js";
import { eitherWay, fewWays, firstWays, type Ways } from "./ways.js";

export type Outcome = { readonly ok: Ways; readonly fail: Ways };

export const staying = (ways: Ways): Outcome => ({ ok: ways, fail: ways });

/** The states the shell may be in when the next command runs in any case. */
export function afterwards({ ok, fail }: Outcome, draft: Draft): Ways {
  const ways = eitherWay(ok, fail);
  const followed = fewWays(ways);
  if (!followed) draft.doubt("it changes the folder in too many ways to follow");
  return followed ?? firstWays(ways);
}

/** The outcome of one or the other of two branches. */
export function either(one: Outcome, other: Outcome, draft: Draft): Outcome {
  return {
    ok: afterwards({ ok: one.ok, fail: other.ok }, draft),
    fail: afterwards({ ok: one.fail, fail: other.fail }, draft),
  };
}
