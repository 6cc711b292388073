/**
 * Detects a model that repeats the same call. A rule that allows the call covers its effect and not its count; so
 * after a few times a person is asked whether to continue.
 */
import { createHash } from "node:crypto";
import type { SessionBook } from "../call/index.js";

/** How many of the last calls are looked at: a loop may have a few steps. */
const WINDOW = 32;
export const LOOP_LIMIT = 5;

export class LoopGuard {
  readonly #limit: number;
  #recent: string[] = [];

  constructor(book: SessionBook, limit: number) {
    this.#limit = limit;
    for (const { name, rawInput } of book.calls()) this.#note(keyOf(name, rawInput));
  }

  /** How many times this call has been made by now, this one included; undefined while that is nothing to ask about. */
  loops(name: string, rawInput: unknown): number | undefined {
    const key = keyOf(name, rawInput);
    this.#note(key);
    const times = this.#recent.filter((one) => one === key).length;
    return times > this.#limit ? times : undefined;
  }

  /** A person allowed it to continue: the count starts again. */
  forget(name: string, rawInput: unknown): void {
    const key = keyOf(name, rawInput);
    this.#recent = this.#recent.filter((one) => one !== key);
  }

  #note(key: string): void {
    this.#recent.push(key);
    if (this.#recent.length > WINDOW) this.#recent.shift();
  }
}

/** The reason of the question. */
export const looping = (times: number): string =>
  `the same call with the same input was made ${times} times: it may be going round in circles`;

/** A whole file may be the input: of a long one the hash is kept. */
const MAX_KEY_LENGTH = 1_000;

function keyOf(name: string, rawInput: unknown): string {
  const key = `${name} ${JSON.stringify(rawInput ?? null)}`;
  return key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("hex");
}
