/**
 * A yes is for the diff that was shown, so for a file as it was then. Between the last look and the write someone
 * else may have changed it; only what calls of this very session have written since is no surprise.
 */
import { visibleText } from "../call/index.js";
import type { KeptFile } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import { ToolFailure } from "../tools/index.js";

/** What calls of a session have written last, by path. */
export class OwnWrites {
  #count = 0;
  readonly #last = new Map<string, { readonly after: string; readonly number: number }>();

  /** How many there were by now. */
  get count(): number {
    return this.#count;
  }

  add(path: string, after: string): void {
    this.#count += 1;
    this.#last.set(path, { after, number: this.#count });
  }

  /** What was written there after the first `count` of them: what was written before, an intent made then has seen. */
  since(count: number, path: string): string | undefined {
    const last = this.#last.get(path);
    return last && last.number > count ? last.after : undefined;
  }
}

/** `own`: what a call of this session has written to the path since the intent was made. */
export function checkBase(
  { baseHashes }: Intent,
  path: string,
  before: KeptFile | undefined,
  own: string | undefined,
): void {
  const base = baseHashes[path];
  const now = before === undefined ? "nothing" : before.type === "file" ? before.blob : before.type;
  if (base === undefined || base === now || own === now) return;
  throw new ToolFailure(
    `${visibleText(path)} was changed by someone else in the meantime. It was not written. Read it again and make the call anew.`,
  );
}
