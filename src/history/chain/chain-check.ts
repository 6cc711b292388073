/**
 * Checks the chain of one session, row by row, and reports each row that does not fit. After such a row the check
 * continues from the stored link, so that one change is reported once.
 */
import { pluralize } from "../../call/index.js";
import type { BrokenLink, ChainHead } from "../../call/index.js";
import { chainStart, nextLink } from "./hash-chain.js";

type Row = { readonly seq: number; readonly event: string; readonly chain: string | null };

export class ChainCheck {
  readonly #sessionId: string;
  readonly #report: (broken: BrokenLink) => void;
  readonly #kept: ReadonlyMap<number, string>;
  #seq = 0;
  #link: string | undefined;
  notCovered = 0;
  /** Whether the row before is missing, so that this row's link cannot be checked. */
  #isAfterGap = false;

  constructor(sessionId: string, kept: readonly ChainHead[], report: (broken: BrokenLink) => void) {
    this.#sessionId = sessionId;
    this.#report = report;
    this.#kept = new Map(kept.map(({ seq, link }) => [seq, link]));
  }

  add({ seq, event, chain }: Row): void {
    if (seq !== this.#seq + 1) this.#missing(this.#seq + 1, seq - 1);
    this.#seq = seq;
    const kept = this.#kept.get(seq);
    if (kept !== undefined && kept !== chain) {
      this.#broken(seq, "changed", "its link is not the one that was kept elsewhere");
    }
    if (chain === null) {
      if (this.#link === undefined) this.notCovered += 1;
      else this.#broken(seq, "added", "it has no link, though those before it have one");
      return;
    }
    const isRight = nextLink(this.#link ?? chainStart(this.#sessionId), seq, event) === chain;
    if (!isRight && !this.#isAfterGap) {
      this.#broken(seq, "changed", "its text, its place or the link before it is not what was recorded");
    }
    this.#isAfterGap = false;
    this.#link = chain;
  }

  /** Compares the last row with the session's own last `seq` and link. */
  end(lastSeq: number, chain: string | null): ChainHead | undefined {
    if (this.#seq < lastSeq) this.#missing(this.#seq + 1, lastSeq);
    if (this.#seq > lastSeq) {
      this.#broken(
        this.#seq,
        "added",
        `the session had ${pluralize(lastSeq, "event")} when it was last written`,
      );
    }
    if (this.#seq === lastSeq && (this.#link ?? null) !== chain) {
      this.#broken(lastSeq, "changed", "its link is not the one that the session ends with");
    }
    for (const seq of this.#kept.keys()) {
      if (seq > Math.max(this.#seq, lastSeq)) this.#broken(seq, "missing", "its link was kept elsewhere");
    }
    const { sessionId, seq, link } = { sessionId: this.#sessionId, seq: this.#seq, link: this.#link };
    return link === undefined ? undefined : { sessionId, seq, link };
  }

  #missing(from: number, to: number): void {
    const what = from === to ? "it is gone" : `it and all up to ${to} are gone`;
    this.#broken(from, "missing", what);
    this.#isAfterGap = true;
  }

  #broken(seq: number, problem: BrokenLink["problem"], detail: string): void {
    this.#report({ sessionId: this.#sessionId, seq, problem, detail });
  }
}
