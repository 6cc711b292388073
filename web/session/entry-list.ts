/**
 * The entries of one session, as the server's frames change them. Frames come in the order of the record; a frame that was
 * applied before changes nothing, so a repeated stream does no harm.
 */
import type { LiveFrame, SessionEntry } from "toolgate/serve/client";

export type EntryFrame = Extract<LiveFrame, { type: "entry" | "message-grew" | "entry-removed" }>;

export class EntryList {
  #entries: SessionEntry[];
  readonly #places = new Map<string, number>();
  #seq: number;
  /** How many entries of the session stand before the first one here. */
  #earlier: number;

  constructor(
    entries: readonly SessionEntry[],
    { seq, earlier }: { readonly seq: number; readonly earlier: number },
  ) {
    this.#entries = [...entries];
    this.#seq = seq;
    this.#earlier = earlier;
    this.#index(0);
  }

  get earlier(): number {
    return this.#earlier;
  }

  get seq(): number {
    return this.#seq;
  }

  /** A copy, so that a view may keep it. */
  snapshot(): readonly SessionEntry[] {
    return [...this.#entries];
  }

  prepend(entries: readonly SessionEntry[], earlier: number): void {
    const fresh = entries.filter(({ key }) => !this.#places.has(key));
    this.#entries = [...fresh, ...this.#entries];
    this.#earlier = earlier;
    this.#index(0);
  }

  apply(frame: EntryFrame): void {
    switch (frame.type) {
      case "entry":
        this.#put(frame.entry, frame.after);
        break;
      case "message-grew":
        this.#grow(frame.key, frame.offset, frame.text);
        break;
      case "entry-removed":
        this.#remove(frame.key);
        break;
      default:
        frame satisfies never;
    }
    this.#seq = Math.max(this.#seq, frame.seq);
  }

  #put(entry: SessionEntry, after: string | null): void {
    const at = this.#places.get(entry.key);
    if (at !== undefined) {
      this.#entries[at] = entry;
      return;
    }
    const above = after === null ? -1 : this.#places.get(after);
    // An entry below one that is not loaded stands before the first entry here.
    if (above === undefined || (above === -1 && this.#earlier > 0)) {
      if (this.#entries.length > 0) this.#earlier += 1;
      else this.#insert(0, entry);
      return;
    }
    this.#insert(above + 1, entry);
  }

  #insert(at: number, entry: SessionEntry): void {
    this.#entries.splice(at, 0, entry);
    this.#index(at);
  }

  /** The text may have come already, as a part of the entry or in a stream before. */
  #grow(key: string, offset: number, text: string): void {
    const at = this.#places.get(key);
    const entry = at === undefined ? undefined : this.#entries[at];
    if (at === undefined || entry?.type !== "message") return;
    const { blocks } = entry.message;
    const last = blocks.at(-1);
    if (last?.type === "text" && last.text.length >= offset + text.length) return;
    const grown =
      last?.type === "text"
        ? blocks.with(blocks.length - 1, { ...last, text: last.text.slice(0, offset) + text })
        : [...blocks, { type: "text" as const, text }];
    this.#entries[at] = { ...entry, message: { ...entry.message, blocks: grown } };
  }

  #remove(key: string): void {
    const at = this.#places.get(key);
    if (at === undefined) return;
    this.#entries.splice(at, 1);
    this.#places.delete(key);
    this.#index(at);
  }

  #index(from: number): void {
    for (let at = from; at < this.#entries.length; at += 1) {
      const entry = this.#entries[at];
      if (entry) this.#places.set(entry.key, at);
    }
  }
}
