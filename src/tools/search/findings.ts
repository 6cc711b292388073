/**
 * Collects ripgrep's results as they arrive, up to the number of matches and bytes of one result. The model gets the
 * rest with another call that skips the first matches.
 *
 * A record is a path, a NUL, the number of the line, ":" for a match or "-" for a line beside one, and the text; or
 * only the path. A record without a NUL is a remark of ripgrep's on a binary file.
 */
import type { Location } from "../../call/index.js";
import { shownPath } from "./search-root.js";

export const MAX_MATCHES = 200;
export const MAX_BYTES = 64 * 1024;
const MAX_LOCATIONS = 50;

export type FindingsOptions = {
  readonly folder: string;
  readonly root: string;
  readonly limit: number;
  readonly skip: number;
  /** How many lines there are around each match. */
  readonly context: number;
  readonly filesOnly: boolean;
  /** The only files that count; undefined when all do. */
  readonly seen: ReadonlySet<string> | undefined;
  /**
   * Files that do not count, by their real paths. Even a match is not reported, or their text could be guessed letter
   * by letter.
   */
  readonly isLeftOut?: (realPath: string) => boolean;
};

type Found = {
  readonly path: string;
  readonly line?: number;
  readonly isMatch: boolean;
  readonly text: string;
};

export class Findings {
  /** How many matches are shown. */
  count = 0;
  /** How many were left out at the beginning. */
  skipped = 0;
  /** How many matches to skip to continue, when there are more. */
  next: number | undefined;
  readonly #options: FindingsOptions;
  readonly #lines: string[] = [];
  readonly #locations: Location[] = [];
  #bytes = 0;
  #last: Found | undefined;
  readonly #leftOut = new Map<string, boolean>();
  /** Lines beside matches wait for the next one: it may be one that is not shown. */
  #waiting: Found[] = [];

  constructor(options: FindingsOptions) {
    this.#options = options;
  }

  /** False when there is no room for more. */
  add(record: string): boolean {
    const { filesOnly, seen, skip } = this.#options;
    const found = filesOnly ? { path: record, isMatch: true, text: "" } : readRecord(record);
    if (!found || seen?.has(found.path) === false || this.#isLeftOut(found.path)) return true;
    if (!found.isMatch) {
      this.#waiting.push(found);
      return true;
    }
    if (this.skipped < skip) {
      this.skipped += 1;
      this.#waiting = [];
      return true;
    }
    const group = [...this.#waiting, found];
    if (!this.#hasRoomFor(group)) {
      this.next = this.skipped + this.count;
      return false;
    }
    this.#waiting = [];
    this.count += 1;
    for (const one of group) this.#show(one);
    return true;
  }

  lines(): readonly string[] {
    // Lines that still wait belong to the next match, if there is one, and are returned with it.
    if (this.count > 0 && this.next === undefined) for (const one of this.#waiting) this.#show(one);
    this.#waiting = [];
    return this.#lines;
  }

  locations(): readonly Location[] {
    return this.#locations;
  }

  #isLeftOut(path: string): boolean {
    const { folder, root, isLeftOut } = this.#options;
    if (!isLeftOut) return false;
    const known = this.#leftOut.get(path) ?? isLeftOut(shownPath(path, folder, root).real);
    this.#leftOut.set(path, known);
    return known;
  }

  #hasRoomFor(group: readonly Found[]): boolean {
    // The first match is always shown, however long, or the model could not continue.
    if (this.count === 0) return true;
    const bytes = group.reduce((sum, { path, text }) => sum + Buffer.byteLength(path + text) + 16, 0);
    return this.count < this.#options.limit && this.#bytes + bytes <= MAX_BYTES;
  }

  #show(found: Found): void {
    const { folder, root, filesOnly, context } = this.#options;
    const { real, shown } = shownPath(found.path, folder, root);
    const last = this.#last;
    this.#last = found;
    if (filesOnly) this.#push(shown);
    else {
      if (found.path !== last?.path) this.#push(last ? `\n${shown}` : shown);
      else if (context > 0 && found.line !== (last.line ?? 0) + 1) this.#push("…");
      this.#push(`${found.line}${found.isMatch ? ":" : "-"} ${found.text}`);
    }
    if (found.isMatch && this.#locations.length < MAX_LOCATIONS)
      this.#locations.push(found.line === undefined ? { path: real } : { path: real, line: found.line });
  }

  #push(line: string): void {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line) + 1;
  }
}

function readRecord(text: string): Found | undefined {
  const end = text.indexOf("\0");
  const [, line, mark] = /^(\d+)([:-])/.exec(text.slice(end + 1, end + 22)) ?? [];
  if (end < 0 || line === undefined || mark === undefined) return undefined;
  return {
    path: text.slice(0, end),
    line: Number(line),
    isMatch: mark === ":",
    text: text.slice(end + 1 + line.length + 1).replace(/\r$/, ""),
  };
}
