/** The folders the shell may be in when a command succeeded, and when it failed. */
import type { Draft } from "./draft.js";
import { eitherWay, type Folders, MAX_WAYS } from "./folders.js";

export type Outcome = { readonly ok: Folders; readonly fail: Folders };

export const staying = (folders: Folders): Outcome => ({ ok: folders, fail: folders });

/** The folders the shell may be in when the next command runs in any case. */
export function afterwards({ ok, fail }: Outcome, draft: Draft): Folders {
  const ways = eitherWay(ok, fail);
  if (ways.length > MAX_WAYS) draft.doubt("it changes the folder in too many ways to follow");
  return ways.slice(0, MAX_WAYS);
}

/** The outcome of one or the other of two branches. */
export function either(one: Outcome, other: Outcome, draft: Draft): Outcome {
  return {
    ok: afterwards({ ok: one.ok, fail: other.ok }, draft),
    fail: afterwards({ ok: one.fail, fail: other.fail }, draft),
  };
}
