/**
 * Checks a session's snapshot against its log: folds the log up to it, row by row, and compares. A snapshot of another
 * version of the fold is never used, so only its seal is checked.
 */
import type { BrokenLink } from "../../call/index.js";
import { savedSession, SessionBook, sessionFromSaved } from "../../call/index.js";
import { snapshotSeal } from "./hash-chain.js";
import { eventFromStored } from "../stored-json.js";

type Stored = { readonly seq: number; readonly saved: string; readonly seal: string };
type Row = { readonly seq: number; readonly event: string; readonly chain: string | null };

export class SnapshotCheck {
  readonly #stored: Stored;
  readonly #book: SessionBook;
  readonly #isOurVersion: boolean;
  #doubt: string | undefined = "its event is not there";
  #canFold = true;

  constructor(sessionId: string, stored: Stored) {
    this.#stored = stored;
    this.#book = new SessionBook(sessionId);
    this.#isOurVersion = isOurVersion(stored.saved);
  }

  add({ seq, event, chain }: Row): void {
    if (seq > this.#stored.seq) return;
    if (this.#isOurVersion) this.#fold(event, seq);
    if (seq === this.#stored.seq) this.#doubt = this.#doubtAt(chain);
  }

  wrong(): BrokenLink | undefined {
    if (this.#doubt === undefined) return undefined;
    const { sessionId } = this.#book;
    const detail = `the snapshot kept after it is not what was recorded: ${this.#doubt}`;
    return { sessionId, seq: this.#stored.seq, problem: "changed", detail };
  }

  #fold(event: string, seq: number): void {
    try {
      if (this.#canFold) this.#book.apply(eventFromStored(event, seq));
    } catch {
      this.#canFold = false;
    }
  }

  #doubtAt(link: string | null): string | undefined {
    if (link === null || snapshotSeal(link, this.#stored) !== this.#stored.seal) return "its seal is broken";
    if (!this.#isOurVersion) return undefined;
    const isFolded = this.#canFold && savedSession(this.#book.snapshot()) === this.#stored.saved;
    return isFolded ? undefined : "the log makes something else";
  }
}

function isOurVersion(saved: string): boolean {
  try {
    return sessionFromSaved(saved) !== undefined;
  } catch {
    return false;
  }
}
