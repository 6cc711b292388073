/**
 * A settings file that we write ourselves. Each change reads the file again under its lock, so no change of another
 * process is lost; an unreadable file is never overwritten.
 */
import { dirname } from "node:path";
import { FileLock } from "../process/file-lock.js";
import type { IsStillOurs } from "../process/file-lock.js";
import { createFolder } from "./create-folder.js";
import { FollowedFile } from "./followed-file.js";
import type { FileState, Parse } from "./followed-file.js";
import { jsonParser } from "./json-parser.js";
import { readFileSafely } from "./read-file-safely.js";
import { SettingsError } from "./settings-error.js";
import type { Change, DocumentOptions, OpenDocument, StoredDocument } from "./stored-document.js";
import { writeAtomically } from "./write-atomically.js";

/** The work with a lock never waits, so a live owner holds it for milliseconds. */
const STALE_AFTER_MS = 10_000;

export const storedFile: OpenDocument = (path, options) => new StoredFile(path, options);

export class StoredFile<T> implements StoredDocument<T> {
  readonly #followed: FollowedFile<T>;
  readonly #lock: FileLock;
  readonly #parse: Parse<T>;
  readonly #empty: T;

  constructor(
    readonly path: string,
    { schema, empty, staleAfterMs = STALE_AFTER_MS }: DocumentOptions<T>,
  ) {
    this.#parse = jsonParser(schema);
    this.#followed = new FollowedFile(path, this.#parse);
    this.#lock = new FileLock(path, { staleAfterMs });
    this.#empty = empty;
  }

  current(): FileState<T> {
    return this.#followed.current();
  }

  async change<Result>(change: (value: T) => Change<T, Result>): Promise<Result> {
    createFolder(dirname(this.path));
    for (;;) {
      const done = await this.#lock.run((isStillOurs) => this.#apply(change, isStillOurs));
      if (done) return done.result;
    }
  }

  /** Others look at the file whenever they need it. */
  async spread(): Promise<void> {}

  /** Changes nothing when another process has the lock. */
  tryChange(change: (value: T) => Change<T, unknown>): void {
    this.#lock.tryRun((isStillOurs) => this.#apply(change, isStillOurs));
  }

  /** Undefined when another process took over the lock before anything was written, because we were suspended. */
  #apply<Result>(
    change: (value: T) => Change<T, Result>,
    isStillOurs: IsStillOurs,
  ): { readonly result: Result } | undefined {
    const { value, result } = change(this.#readNow());
    if (value === undefined) return { result };
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    const reread = this.#parse(text, this.path);
    if (!reread.ok) {
      throw new SettingsError(
        "NOT_STORABLE",
        `The new content could not be read again: ${reread.problem} The file was not changed.`,
      );
    }
    if (!writeAtomically(this.path, text, isStillOurs)) return undefined;
    // Read it now, so that our own write counts as the last good content.
    this.current();
    return { result };
  }

  #readNow(): T {
    const reading = readFileSafely(this.path);
    if (reading.state === "absent") return this.#empty;
    if (reading.state === "unreadable") throw broken(`${this.path} cannot be read: ${reading.why}.`);
    const parsed = this.#parse(reading.text, this.path);
    if (!parsed.ok) throw broken(parsed.problem);
    return parsed.value;
  }
}

function broken(problem: string): SettingsError {
  return new SettingsError(
    "FILE_BROKEN",
    `${problem} Nothing was changed; correct it, or remove it to start again.`,
  );
}
