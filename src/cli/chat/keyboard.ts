/**
 * The keys of a terminal in raw mode. The newest receiver gets them. The terminal goes back to its own mode when this is
 * closed, suspended, or the process exits.
 */
import { KeyDecoder } from "./key-decoder.js";
import type { Key } from "./key-decoder.js";

/** The rest of a sequence follows its Escape within this time. */
const ESCAPE_MS = 40;
const [PASTE_ON, PASTE_OFF] = ["\u001B[?2004h", "\u001B[?2004l"];

export type KeyTerminal = {
  readonly input: Pick<NodeJS.ReadStream, "on" | "off" | "setRawMode" | "resume" | "pause" | "setEncoding">;
  readonly write: (text: string) => void;
};

export class Keyboard {
  readonly #terminal: KeyTerminal;
  readonly #onKey: (key: Key) => void;
  #decoder = new KeyDecoder();
  #escape: NodeJS.Timeout | undefined;
  #isOpen = false;
  /** Whether the first text has yet to arrive: it may have been typed before this was opened. */
  #isAhead = true;
  readonly #onExit = (): void => this.close();
  readonly #onData = (text: string): void => {
    clearTimeout(this.#escape);
    // A terminal that is not yet raw sends Enter as a line end.
    const typed = this.#isAhead ? text.replaceAll("\n", "\r") : text;
    this.#isAhead = false;
    this.#receive(this.#decoder.push(typed));
    if (this.#decoder.isOpen)
      this.#escape = setTimeout(() => this.#receive(this.#decoder.flush()), ESCAPE_MS);
  };

  constructor(terminal: KeyTerminal, onKey: (key: Key) => void) {
    this.#terminal = terminal;
    this.#onKey = onKey;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#decoder = new KeyDecoder();
    const { input, write } = this.#terminal;
    input.setEncoding("utf8");
    input.setRawMode(true);
    input.on("data", this.#onData);
    input.resume();
    write(PASTE_ON);
    process.on("exit", this.#onExit);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#escape);
    const { input, write } = this.#terminal;
    input.off("data", this.#onData);
    input.setRawMode(false);
    input.pause();
    write(PASTE_OFF);
    process.off("exit", this.#onExit);
  }

  #receive(keys: readonly Key[]): void {
    for (const key of keys) this.#onKey(key);
  }
}
