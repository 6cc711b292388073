/**
 * Follows in the ledger a session that another process, or another client of this one, has open. The client sees its
 * events and may answer its questions. The first answer counts, wherever it was given.
 */
import type { SessionHandle, TurnEnd } from "../../agent/index.js";
import { eventPages, SessionBook } from "../../call/index.js";
import type { Ledger, RecordedEvent, SessionEvent } from "../../call/index.js";
import { foldStored } from "../../call/ledger.js";
import { SerialQueue } from "../../call/serial-queue.js";
import { emitWarning } from "../../run/emit-warning.js";
import { openQuestions } from "../../run/index.js";
import { CODE, RpcError } from "../connection/message.js";

type Subscriber = (events: readonly SessionEvent[]) => void;

export class WatchedSession implements SessionHandle {
  readonly ledger: Ledger;
  readonly book: SessionBook;
  readonly #owner: string | undefined;
  readonly #subscribers = new Set<Subscriber>();
  readonly #turns = new SerialQueue();
  readonly #closed = new AbortController();
  #seq = 0;

  private constructor(ledger: Ledger, sessionId: string, owner: string | undefined) {
    this.ledger = ledger;
    this.#owner = owner;
    this.book = new SessionBook(sessionId);
  }

  /** `owner`: who has the session. Folds its log, and follows it from there. */
  static async open(ledger: Ledger, sessionId: string, owner: string | undefined): Promise<WatchedSession> {
    const session = new WatchedSession(ledger, sessionId, owner);
    for await (const page of eventPages(ledger, sessionId)) for (const one of page) session.#apply(one);
    void session.#follow().catch((error: unknown) => {
      if (!session.#closed.signal.aborted) emitWarning(error);
    });
    return session;
  }

  get sessionId(): string {
    return this.book.sessionId;
  }

  get seq(): number {
    return this.#seq;
  }

  get writtenSeq(): number {
    return this.#seq;
  }

  readonly unwritten = undefined;
  readonly now = (): number => Date.now();

  onRecorded(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  async afterOthers<Result>(turn: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(turn);
  }

  /** The turn is the other process's: this waits for a question that can be answered here. */
  async advance(signal: AbortSignal): Promise<TurnEnd> {
    const isOver = () => signal.aborted || this.#closed.signal.aborted;
    if (!isOver() && openQuestions(this.book).length === 0)
      await new Promise<void>((resolve) => {
        const stop = this.onRecorded(() => {
          if (openQuestions(this.book).length > 0) done();
        });
        const done = () => {
          stop();
          resolve();
        };
        for (const one of [signal, this.#closed.signal]) one.addEventListener("abort", done, { once: true });
      });
    return isOver() ? { status: "stopped", stopReason: "cancelled" } : { status: "parked" };
  }

  readonly prompt = async (): Promise<never> => this.#refuse();
  readonly setMode = async (): Promise<never> => this.#refuse();
  readonly gate = { wake: () => undefined, cancelCall: async (): Promise<never> => this.#refuse() };

  async close(): Promise<void> {
    this.#closed.abort();
  }

  #refuse(): never {
    throw new RpcError(CODE.invalidRequest, watchedOnly(this.sessionId, this.#owner));
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closed;
    for await (const one of this.ledger.follow(this.sessionId, { after: this.#seq, signal })) {
      this.#apply(one);
      for (const subscriber of this.#subscribers) subscriber([one.event]);
    }
  }

  #apply(recorded: RecordedEvent): void {
    foldStored(this.book, [recorded]);
    this.#seq = recorded.seq;
  }
}

function watchedOnly(sessionId: string, owner: string | undefined): string {
  const who = owner === undefined ? "" : ` (${owner})`;
  return `Session ${sessionId} is open elsewhere${who}. Nothing was started. You see it here and can answer its questions; close it there to go on here.`;
}
