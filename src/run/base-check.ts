/**
 * A yes is for the diff that was shown, so for a file as it was then. Between the last look and the write someone
 * else may have changed it; only what calls of this very session have written since is no surprise.
 */
import { visibleText } from "../call/index.js";
import type { KeptFile } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import { ToolFailure } from "../tools/index.js";

/** What calls of a session have written last, by path. */
export type OwnWrites = Map<string, string>;

export function checkBase(
  { baseHashes }: Intent,
  own: OwnWrites,
  path: string,
  before: KeptFile | undefined,
): void {
  const base = baseHashes[path];
  const now = before === undefined ? "nothing" : before.type === "file" ? before.blob : before.type;
  if (base === undefined || base === now || own.get(path) === now) return;
  throw new ToolFailure(
    `${visibleText(path)} was changed by someone else in the meantime. It was not written. Read it again and make the call anew.`,
  );
}
