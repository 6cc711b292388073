/**
 * One session as entries, folded from its log and kept up to date while somebody looks at it. Changes are collected for a
 * moment and sent as the entries that differ: a call that reports a thousand times a second costs a page twenty frames.
 *
 * Invariants: a frame has the `seq` of the last event in it, and a subscriber gets only frames after its own; all text is
 * redacted.
 */
import { setImmediate } from "node:timers/promises";
import type { Message, RecordedEvent, ToolCall } from "../../call/index.js";
import { eventPages, SessionBook, sessionFromSaved } from "../../call/index.js";
import { placedEntries } from "../../view/session-entries.js";
import type { LiveFrame } from "../api/live-frames.js";
import type { EntriesPage, SessionEntry } from "../api/session-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import { CallPlaces } from "./call-places.js";
import { keyedEntries, keyOfChange } from "./keyed-entries.js";
import type { KeyedEntry } from "./keyed-entries.js";
import { shownEntry } from "./shown-entry.js";

type EntryFrame = Extract<LiveFrame, { readonly type: "entry" | "message-grew" | "entry-removed" }>;

/** An entry that was shown, and the values it was made from. */
type Shown = { readonly of: unknown; readonly text?: string | undefined };

export type ViewSubscriber = {
  /** Called with the frames of one flush; `seq` is the last event in them. */
  readonly onFrames: (frames: readonly EntryFrame[], seq: number) => void;
  /** Called with each event as it is read. */
  readonly onEvent?: (recorded: RecordedEvent) => void;
};

const FLUSH_MS = 40;
const DEFAULT_LIMIT = 100;
/** More changed entries are faster read again as a page. */
const MAX_CHANGED = 500;

export class SessionView {
  readonly sessionId: string;
  readonly #context: ServeContext;
  readonly #places = new CallPlaces();
  readonly #subscribers = new Set<ViewSubscriber>();
  readonly #ended = new AbortController();
  #book: SessionBook;
  #seq = 0;
  #flushedSeq = 0;
  /** By their keys, in the order of the entries. */
  #shown = new Map<string, Shown>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(context: ServeContext, sessionId: string) {
    this.#context = context;
    this.sessionId = sessionId;
    this.#book = new SessionBook(sessionId);
  }

  /** Undefined when the session has no event. `onEnd`: it was removed, or cannot be read any more. */
  static async open(
    context: ServeContext,
    sessionId: string,
    onEnd: () => void,
  ): Promise<SessionView | undefined> {
    const view = new SessionView(context, sessionId);
    await view.#load();
    if (view.#seq === 0) return undefined;
    view.#flush();
    view.#follow().catch(context.onError).finally(onEnd);
    return view;
  }

  get isWatched(): boolean {
    return this.#subscribers.size > 0;
  }

  get seq(): number {
    return this.#flushedSeq;
  }

  /** The folded session, not redacted. */
  get book(): SessionBook {
    return this.#book;
  }

  subscribe(subscriber: ViewSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#ended.abort();
  }

  /** The last entries, or those before a key. */
  page({
    before,
    limit = DEFAULT_LIMIT,
  }: {
    readonly before?: string | undefined;
    readonly limit?: number | undefined;
  }): EntriesPage {
    this.#flush();
    const all = [...keyedEntries(placedEntries(this.#book.snapshot()))];
    const at = before === undefined ? all.length : all.findIndex(({ key }) => key === before);
    const end = at === -1 ? all.length : at;
    const from = Math.max(0, end - limit);
    return {
      entries: all.slice(from, end).map((one) => this.#entry(one)),
      total: all.length,
      earlier: from,
      seq: this.#flushedSeq,
    };
  }

  /**
   * The entries that events after `after` have changed, up to `seq`; without them when there are too many. Later flushes
   * are sent to subscribers, who may get an entry twice.
   */
  async changedSince(
    after: number,
  ): Promise<{ readonly seq: number; readonly frames?: readonly EntryFrame[] }> {
    this.#flush();
    const seq = this.#flushedSeq;
    if (after >= seq) return { seq, frames: [] };
    const touched = new Set<string>();
    for await (const page of eventPages(this.#context.ledger, this.sessionId, { after }))
      for (const { event } of page) {
        const key = keyOfChange(event);
        if (key !== undefined) touched.add(key);
        if (touched.size > MAX_CHANGED) return { seq };
      }
    const frames: EntryFrame[] = [];
    let above: string | null = null;
    for (const one of keyedEntries(placedEntries(this.#book.snapshot()))) {
      if (touched.has(one.key.replace(/~\d+$/, "")))
        frames.push({ type: "entry", seq, after: above, entry: this.#entry(one) });
      above = one.key;
    }
    return { seq, frames };
  }

  async #load(): Promise<void> {
    const { ledger } = this.#context;
    const snapshot = await ledger.snapshot?.(this.sessionId);
    const saved = snapshot && sessionFromSaved(snapshot.saved);
    if (saved) {
      this.#book = SessionBook.restored(saved);
      this.#places.restore(saved);
      // A snapshot does not have the files that calls kept.
      for await (const page of eventPages(ledger, this.sessionId, { type: "file-kept" }))
        for (const { event } of page) if (event.type === "file-kept") this.#places.apply(event);
      this.#seq = snapshot.seq;
    }
    for await (const page of eventPages(ledger, this.sessionId, { after: this.#seq })) {
      for (const recorded of page) this.#apply(recorded);
      await setImmediate();
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    const log = this.#context.ledger.follow(this.sessionId, { after: this.#seq, signal });
    for await (const recorded of log) {
      this.#apply(recorded);
      for (const { onEvent } of this.#subscribers) onEvent?.(recorded);
      this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
    }
  }

  /** A damaged log is shown as far as it folds. */
  #apply({ seq, event }: RecordedEvent): void {
    this.#seq = seq;
    this.#places.apply(event);
    try {
      this.#book.apply(event);
    } catch {
      // Left out: the strict fold refuses an event that does not fit.
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#seq === this.#flushedSeq) return;
    const seq = this.#seq;
    this.#flushedSeq = seq;
    const frames: EntryFrame[] = [];
    const shown = new Map<string, Shown>();
    let above: string | null = null;
    for (const one of keyedEntries(placedEntries(this.#book.snapshot()))) {
      const { key, entry } = one;
      const before = this.#shown.get(key);
      const of = valueOf(entry);
      if (before && before.of === of) shown.set(key, before);
      else {
        const made = this.isWatched ? this.#entry(one) : undefined;
        shown.set(key, { of, ...(made?.type === "message" && { text: lastText(made.message) }) });
        if (made) frames.push(changeFrame(made, before, seq, above));
      }
      above = key;
    }
    for (const key of this.#shown.keys())
      if (!shown.has(key)) frames.push({ type: "entry-removed", seq, key });
    this.#shown = shown;
    for (const { onFrames } of this.#subscribers) onFrames(frames, seq);
  }

  #entry(one: KeyedEntry): SessionEntry {
    const { redactPatterns } = this.#context;
    return shownEntry(one, { book: this.#book, places: this.#places, redactPatterns });
  }
}

/** The immutable value that an entry is made from: another value is another entry. */
const valueOf = (entry: KeyedEntry["entry"]): Message | ToolCall | number =>
  entry.type === "message" ? entry.message : entry.type === "call" ? entry.call : entry.at;

const lastText = ({ blocks }: Message): string | undefined => {
  const last = blocks.at(-1);
  return last?.type === "text" && blocks.length === 1 ? last.text : undefined;
};

/** Text that only grew is sent as what was added. */
function changeFrame(
  entry: SessionEntry,
  before: Shown | undefined,
  seq: number,
  above: string | null,
): EntryFrame {
  const text = entry.type === "message" ? lastText(entry.message) : undefined;
  const old = before?.text;
  if (text !== undefined && old !== undefined && old !== "" && text.startsWith(old))
    return { type: "message-grew", seq, key: entry.key, offset: old.length, text: text.slice(old.length) };
  return { type: "entry", seq, after: above, entry };
}
