/**
 * A yes is for the diff that was shown, so for a file as it was then. Between the last look and the write someone
 * else may have changed it; only the writes of this session's own calls are expected.
 */
import { visibleText } from "../call/index.js";
import type { KeptFile } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import { ToolFailure } from "../tools/index.js";

/** The last writes of a session's calls, by path. */
export class OwnWrites {
  #count = 0;
  readonly #last = new Map<string, { readonly after: string; readonly number: number }>();

  /** How many writes there were so far. */
  get count(): number {
    return this.#count;
  }

  add(path: string, after: string): void {
    this.#count += 1;
    this.#last.set(path, { after, number: this.#count });
  }

  /** The last write to this path after the first `count` writes; an intent made then has seen the earlier ones. */
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
    `${visibleText(path)} was changed by someone else in the meantime. It was not written. Read it again, then make the call again.`,
  );
}
