/**
 * Detects a model that repeats the same calls: one call again and again, two that alternate, or a step of any width. A
 * rule that allows a call covers its effect and not its count; so after a few times a person is asked whether to continue.
 *
 * A call counts as repeated while few new calls came since. A call that was made before in the same turn is not new, so
 * the distance between two rounds of a loop stays small however many calls a round has.
 *
 * Invariant: memory is bounded, and a new turn forgets the calls that can no longer count.
 */
import { createHash } from "node:crypto";
import type { SessionBook } from "../call/index.js";
import { orderedText } from "../policy/intent.js";

/** A call counts until this many new calls came after it. */
const WINDOW = 31;
/** How many different calls are kept at most. A loop is noticed while a round has no more than half of them. */
const MAX_CALLS = 32_768;
export const LOOP_LIMIT = 5;

/** `at`: how many new calls there were by each time it was made, the oldest first. */
type MadeCall = { readonly turnId: string | undefined; readonly at: readonly number[] };

export class LoopGuard {
  readonly #book: SessionBook;
  readonly #limit: number;
  /** The call that was made last comes last. */
  readonly #made = new Map<string, MadeCall>();
  #newCalls = 0;
  #turnId: string | undefined;

  constructor(book: SessionBook, limit: number) {
    this.#book = book;
    this.#limit = limit;
    const { turn } = book;
    this.#turnId = turn?.turnId;
    let earlier = 0;
    for (const { name, rawInput, times } of book.calls()) {
      // Every call of an earlier turn is new: each gets a turn of its own.
      const turnId = times.announced < (turn?.startedAt ?? 0) ? `earlier ${earlier++}` : turn?.turnId;
      this.#note(keyOf(name, rawInput), turnId);
    }
  }

  /** How many times this call has been made by now, this one included; undefined while that is nothing to ask about. */
  loops(name: string, rawInput: unknown): number | undefined {
    const turnId = this.#book.turn?.turnId;
    if (turnId !== this.#turnId) this.#startTurn(turnId);
    const times = this.#note(keyOf(name, rawInput), turnId);
    return times > this.#limit ? times : undefined;
  }

  /** A person allowed it to continue: the count starts again. */
  forget(name: string, rawInput: unknown): void {
    this.#made.delete(keyOf(name, rawInput));
  }

  #note(key: string, turnId: string | undefined): number {
    const known = this.#made.get(key);
    const recent = known?.at.filter((at) => this.#counts(at)) ?? [];
    if (!known || known.turnId !== turnId) this.#newCalls += 1;
    const at = [...recent.slice(-WINDOW), this.#newCalls];
    this.#made.delete(key);
    this.#made.set(key, { turnId, at });
    if (this.#made.size > MAX_CALLS) this.#dropOldest();
    return at.length;
  }

  /** Half of them at once: to find the oldest key of a map costs more the more were deleted before. */
  #dropOldest(): void {
    for (const key of this.#made.keys()) {
      if (this.#made.size <= MAX_CALLS / 2) return;
      this.#made.delete(key);
    }
  }

  #startTurn(turnId: string | undefined): void {
    this.#turnId = turnId;
    for (const [key, { at }] of this.#made) if (!this.#counts(at.at(-1) ?? 0)) this.#made.delete(key);
  }

  #counts(at: number): boolean {
    return at > this.#newCalls - WINDOW;
  }
}

/** The reason of the question. */
export const looping = (times: number): string =>
  `the same call with the same input was made ${times} times: it may be going round in circles`;

/** A whole file may be the input: of a long one the hash is kept. */
const MAX_KEY_LENGTH = 64;

/**
 * Fields that say which attempt it is, and not what it does. A time or the id of a request is not among them: calls may be
 * about it. `description` is one beside a command, where models write in other words what the command is for.
 */
const OF_ATTEMPT =
  /^(?:_meta|nonce|attempts?|retry|retries|retry_?count|idempotency_?key|cache_?bust(?:er)?)$/i;

function withoutAttempt(rawInput: unknown): unknown {
  if (typeof rawInput !== "object" || rawInput === null || Array.isArray(rawInput)) return rawInput;
  const kept = Object.entries(rawInput).filter(
    ([name]) => !OF_ATTEMPT.test(name) && !(name === "description" && "command" in rawInput),
  );
  // Alone, such a field is what the call is about.
  return kept.length === 0 ? rawInput : Object.fromEntries(kept);
}

/** Neither the order of the fields, nor the amount of white space, nor a field of the attempt makes another call. */
function keyOf(name: string, rawInput: unknown): string {
  const text = orderedText(withoutAttempt(rawInput ?? null));
  const key = `${name} ${text.length <= MAX_RESPACED_LENGTH ? respaced(text) : text}`;
  return key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("base64");
}

/** The text of a whole file is compared as it is. */
const MAX_RESPACED_LENGTH = 10_000;

/** The strings in this JSON with one space for many, and none at their ends. */
const respaced = (json: string): string =>
  json.replace(/(?:\\[nrt]| )+/g, " ").replace(/ (?=")|(?<=") /g, "");
