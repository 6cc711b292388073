/**
 * Turns a command's output into few and small updates.
 *
 * Invariants, at any output rate: the text shown in the end (`shownText` of the updates, folded with `appendText`) is
 * the text that would be shown of the whole output; memory stays flat; the log grows by a bounded amount per second.
 * No update starts or ends inside a surrogate pair.
 *
 * At first there is an update every 53 ms at most, with the start and the end of the output since the last one. Once a
 * whole mebi-unit has been shown, there is one small update per second. These updates are cut from the start of the
 * last TAIL units and not from their end: an update cannot go back behind the one before it, so when the stream ends,
 * the rest of the tail must still be there to be shown. The display is thereby behind by at most one tail, and catches
 * up when the output pauses.
 */
import { ownCopy } from "../call/bounded-text.js";
// As much as `appendText` keeps of a text; with less the fold would show less.
import { HEAD_LIMIT as HEAD, TAIL_LIMIT as TAIL } from "../call/index.js";
import { isFirstHalf, isInsidePair, RecentText } from "./recent-text.js";

// Not 50: in a second there would be one at its beginning, twenty more, and none may be the twenty-first.
const INTERVAL_MS = 53;
const BUDGET = 1_048_576;
const RARE_INTERVAL_MS = 1000;
const RARE_LENGTH = 4096;

type OutputStreamOptions = {
  /** `skipped`: how many units came just before `text` that are not shown. */
  readonly emit: (text: string, skipped: number) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  /** Schedules a function to run once, later. The returned function cancels it. */
  readonly setTimer?: (run: () => void, milliseconds: number) => () => void;
};

export class OutputStream {
  readonly #emit: OutputStreamOptions["emit"];
  readonly #now: () => number;
  readonly #setTimer: (run: () => void, milliseconds: number) => () => void;
  /** The output since the last update: its start, and the end of the rest. */
  #beginning: string[] = [];
  #beginningLength = 0;
  readonly #end = new RecentText(TAIL);
  /** The first half of a pair, until its other half comes. */
  #half = "";
  #emitted = 0;
  #updatedAt = Number.NEGATIVE_INFINITY;
  #stopTimer: (() => void) | undefined;

  constructor({ emit, now = () => performance.now(), setTimer = setNodeTimer }: OutputStreamOptions) {
    this.#emit = emit;
    this.#now = now;
    this.#setTimer = setTimer;
  }

  write(text: string): void {
    const joined = this.#half + text;
    const end = isFirstHalf(joined.charCodeAt(joined.length - 1)) ? joined.length - 1 : joined.length;
    this.#half = joined.slice(end);
    this.#keep(end === joined.length ? joined : joined.slice(0, end));
    this.#updateInTime();
  }

  /** Shows the rest of the output now. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#keep(this.#half);
    this.#half = "";
    this.#updatedAt = this.#now();
    if (this.#isRare) this.#showRest(TAIL + 1);
    else this.#showAll();
  }

  get #isRare(): boolean {
    return this.#emitted >= BUDGET;
  }

  #keep(text: string): void {
    if (text === "") return;
    const room = this.#isRare ? 0 : HEAD - this.#beginningLength;
    if (room <= 0) return this.#end.push(text);
    // Not one unit less than the room: the fold must get all of the head.
    const cut = isInsidePair(text, room) ? room + 1 : Math.min(room, text.length);
    this.#beginning.push(cut < text.length ? ownCopy(text.slice(0, cut)) : text);
    this.#beginningLength += cut;
    if (cut < text.length) this.#end.push(text.slice(cut));
  }

  #updateInTime(): void {
    if (this.#stopTimer || this.#beginningLength + this.#end.arrived === 0) return;
    const interval = this.#isRare ? RARE_INTERVAL_MS : INTERVAL_MS;
    const wait = this.#updatedAt + interval - this.#now();
    if (wait <= 0) return this.#update();
    this.#stopTimer = this.#setTimer(() => {
      this.#stopTimer = undefined;
      // Timers may run a little early, so the time is looked at again.
      this.#updateInTime();
    }, Math.ceil(wait));
  }

  #update(): void {
    this.#updatedAt = this.#now();
    if (this.#isRare) this.#showRest(RARE_LENGTH);
    else this.#showAll();
    this.#updateInTime();
  }

  #showAll(): void {
    const beginning = this.#beginning.join("");
    const { text, skipped } = this.#end.take();
    this.#beginning = [];
    this.#beginningLength = 0;
    if (skipped === 0) return this.#show(beginning + text, 0);
    this.#show(beginning, 0);
    this.#show(text, skipped);
  }

  #showRest(length: number): void {
    const { text, skipped } = this.#end.take();
    const cut = isInsidePair(text, length) ? length - 1 : length;
    this.#show(cut < text.length ? ownCopy(text.slice(0, cut)) : text, skipped);
    if (cut < text.length) this.#end.push(text.slice(cut));
  }

  #show(text: string, skipped: number): void {
    if (text === "") return;
    this.#emitted += text.length;
    this.#emit(text, skipped);
  }
}

function setNodeTimer(run: () => void, milliseconds: number): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
