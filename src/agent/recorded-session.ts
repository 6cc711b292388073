/** The part that all open sessions share: the record, and a queue that runs one turn at a time. */
import { BadOption } from "../call/index.js";
import type { ContentBlock, Ledger, RecordedEvent, SessionBook, SessionEvent } from "../call/index.js";
import { checkOptions, required, SIGNAL } from "../call/check-options.js";
import { SerialQueue } from "../call/serial-queue.js";
import { firstLine } from "../call/visible-text.js";
import type { SessionRecord } from "../record/index.js";

const MAX_TITLE_LENGTH = 80;

export type TurnStart = {
  /** Events to record before the turn's start. */
  readonly before?: readonly SessionEvent[];
  /** False where nobody learns of the prompt before the next durable append: that one covers it. */
  readonly durable?: boolean;
};

export abstract class RecordedSession {
  protected readonly record: SessionRecord;
  /** The session's clock. */
  readonly now: () => number;
  readonly #turns = new SerialQueue();

  protected constructor(record: SessionRecord, now: () => number) {
    this.record = record;
    this.now = now;
  }

  get sessionId(): string {
    return this.record.sessionId;
  }

  /** The number of the last event in the book. */
  get seq(): number {
    return this.record.seq;
  }

  /** The number of the last event in the ledger. */
  get writtenSeq(): number {
    return this.record.writtenSeq;
  }

  /** Text that was sent and is not in the ledger yet. */
  get unwritten(): RecordedEvent | undefined {
    return this.record.unwritten;
  }

  get book(): SessionBook {
    return this.record.book;
  }

  get ledger(): Ledger {
    return this.record.ledger;
  }

  /**
   * Calls the subscriber with every event, in order, once it is stored and folded; with text in pieces, perhaps before it
   * is stored. Returns the function that unsubscribes.
   */
  onRecorded(subscriber: (events: readonly SessionEvent[]) => void): () => void {
    return this.record.onRecorded(subscriber);
  }

  /** Runs the turn after all turns that were queued before it. */
  async afterOthers<Result>(turn: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(turn);
  }

  /** Records the turn's start and the user's message, after the events `before`. Returns the turn's id. */
  protected async startTurn(
    blocks: readonly ContentBlock[],
    { before = [], durable = true }: TurnStart = {},
  ): Promise<string> {
    const turnId = `turn_${this.seq + 1}`;
    const at = this.now();
    const message = blocks.map((block): SessionEvent => ({
      type: "message-chunk",
      at,
      messageId: `user-${turnId}`,
      role: "user",
      block,
    }));
    await this.record.append(
      [...before, ...this.#title(blocks, at), { type: "turn-started", at, turnId }, ...message],
      { durable },
    );
    return turnId;
  }

  /** The first prompt gives a session its title, unless the session has one already. */
  #title(blocks: readonly ContentBlock[], at: number): readonly SessionEvent[] {
    const text = blocks.find((block) => block.type === "text")?.text ?? "";
    const title = firstLine(text, MAX_TITLE_LENGTH);
    return title === "" || this.book.info.title !== undefined
      ? []
      : [{ type: "info-changed", at, info: { title } }];
  }
}

/** Checked before anything is recorded: a turn that cannot run would stay open. */
export function checkPrompt(blocks: readonly ContentBlock[], signal: AbortSignal): void {
  if (!(signal instanceof AbortSignal)) checkOptions("prompt", { signal }, { signal: required(SIGNAL) });
  mustBeBlocks("prompt", blocks);
}

/** Anything else would be recorded unchanged, and read by every client of the session. */
export function mustBeBlocks(method: string, blocks: readonly ContentBlock[]): void {
  if (!Array.isArray(blocks) || !blocks.every(isBlock))
    throw new BadOption(
      `${method}: the message must be a list of content blocks, for example [{ type: "text", text: "Hi" }].`,
      "blocks",
    );
}

const isBlock = (block: unknown): boolean => typeof block === "object" && block !== null && "type" in block;
