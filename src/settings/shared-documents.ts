/** Settings that all instances on one store share. Each change replaces the version that it has read. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { SharedTexts } from "../call/shared-texts.js";
import type { FileState, Parse } from "./followed-file.js";
import { jsonParser } from "./json-parser.js";
import { SettingsError } from "./settings-error.js";
import type { Change, DocumentOptions, OpenDocument, StoredDocument } from "./stored-document.js";

export const sharedDocuments =
  (texts: SharedTexts): OpenDocument =>
  (path, options) =>
    new SharedDocument(texts, basename(path), options);

class SharedDocument<T> implements StoredDocument<T> {
  readonly path: string;
  readonly #texts: SharedTexts;
  readonly #name: string;
  readonly #parse: Parse<T>;
  readonly #empty: T;
  #state: FileState<T> = { state: "absent" };
  #version = 0;

  constructor(texts: SharedTexts, name: string, { schema, empty }: DocumentOptions<T>) {
    this.path = `${name} of ${texts.where}`;
    this.#texts = texts;
    this.#name = name;
    this.#parse = jsonParser(schema);
    this.#empty = empty;
  }

  /** While the store cannot be read, nothing in it allows anything any more: another instance may have revoked it. */
  current(): FileState<T> {
    const state = this.#newest();
    if (!this.#texts.isStale) return state;
    const lastGood = this.#lastGood();
    const problem = `${this.path} cannot be read, since the server does not answer. Only what it denies is in force until it does.`;
    return lastGood === undefined
      ? { state: "broken", lastGood, problem }
      : { state: "gone", lastGood, problem };
  }

  #newest(): FileState<T> {
    const stored = this.#texts.current(this.#name);
    if (!stored || stored.version === this.#version) return this.#state;
    this.#version = stored.version;
    const lastGood = this.#lastGood();
    const parsed = this.#parse(stored.text, this.path);
    this.#state = parsed.ok
      ? { state: "good", value: parsed.value, sha256: createHash("sha256").update(stored.text).digest("hex") }
      : { state: "broken", lastGood, problem: parsed.problem };
    return this.#state;
  }

  async change<Result>(change: (value: T) => Change<T, Result>): Promise<Result> {
    for (;;) {
      await this.#texts.refresh();
      const state = this.#newest();
      if (state.state === "broken")
        throw new SettingsError("FILE_BROKEN", `${state.problem} Nothing was changed; correct it.`);
      const { value, result } = change(this.#lastGood() ?? this.#empty);
      if (value === undefined) return result;
      const text = `${JSON.stringify(value, undefined, 2)}\n`;
      const reread = this.#parse(text, this.path);
      if (!reread.ok)
        throw new SettingsError(
          "NOT_STORABLE",
          `The new content could not be read again: ${reread.problem} Nothing was changed.`,
        );
      if (await this.#texts.replace(this.#name, text, this.#version)) return result;
    }
  }

  tryChange(change: (value: T) => Change<T, unknown>): void {
    // The caller tries again later.
    void this.change(change).catch(() => undefined);
  }

  spread(): Promise<void> {
    return this.#texts.spread();
  }

  #lastGood(): T | undefined {
    const state = this.#state;
    if (state.state === "good") return state.value;
    return state.state === "absent" ? undefined : state.lastGood;
  }
}
