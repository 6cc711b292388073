/**
 * The current state of a settings file, and its last good content. Each `current()` checks for a change with one `stat`.
 */
import { fileStamp, readFileSafely } from "./read-file-safely.js";

export type FileState<T> =
  /** The file never existed. */
  | { readonly state: "absent" }
  | { readonly state: "good"; readonly value: T; readonly sha256: string }
  /** The file was good once and no longer exists, or a shared text cannot be read any more. */
  | { readonly state: "gone"; readonly lastGood: T; readonly problem: string }
  | { readonly state: "broken"; readonly lastGood: T | undefined; readonly problem: string };

export type Parse<T> = (
  text: string,
  path: string,
) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export class FollowedFile<T> {
  #state: FileState<T> = { state: "absent" };
  #stamp: string | undefined;

  constructor(
    readonly path: string,
    readonly parse: Parse<T>,
  ) {}

  current(): FileState<T> {
    if (this.#stamp !== undefined && fileStamp(this.path) === this.#stamp) return this.#state;
    const reading = readFileSafely(this.path);
    this.#stamp = reading.state === "read" ? reading.stamp : undefined;
    this.#state = this.#next(reading);
    return this.#state;
  }

  #next(reading: ReturnType<typeof readFileSafely>): FileState<T> {
    const lastGood = goodIn(this.#state);
    if (reading.state === "absent")
      return lastGood === undefined ? { state: "absent" } : gone(this.path, lastGood);
    if (reading.state === "unreadable")
      return { state: "broken", lastGood, problem: unreadable(this.path, reading.why) };
    const parsed = this.#parsed(reading.text);
    if (parsed.ok) return { state: "good", value: parsed.value, sha256: reading.sha256 };
    return { state: "broken", lastGood, problem: parsed.problem };
  }

  #parsed(text: string): ReturnType<Parse<T>> {
    try {
      return this.parse(text, this.path);
    } catch (thrown) {
      // A bug in a parser must not let a call run unchecked.
      return { ok: false, problem: unreadable(this.path, String(thrown)) };
    }
  }
}

function goodIn<T>(state: FileState<T>): T | undefined {
  switch (state.state) {
    case "absent":
      return undefined;
    case "good":
      return state.value;
    case "gone":
    case "broken":
      return state.lastGood;
    default:
      return state satisfies never;
  }
}

function gone<T>(path: string, lastGood: T): FileState<T> {
  const problem = `${path} is gone. Its deny and ask rules stay in force until toolgate is restarted; restore the file, or restart.`;
  return { state: "gone", lastGood, problem };
}

function unreadable(path: string, why: string): string {
  return `${path} cannot be read: ${why}. Nothing was taken from it; correct or remove it.`;
}
