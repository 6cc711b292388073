/**
 * The line where a person writes the next message: earlier messages with the arrow keys, completion with Tab, and the
 * messages that wait for the turn to end.
 */
import { oneLine } from "../../call/index.js";
import { clipped } from "../../view/index.js";
import { styled } from "../../view/styled-text.js";
import type { Layer } from "./chat-footer.js";
import { inputRows } from "./input-rows.js";
import type { InputRows } from "./input-rows.js";
import type { Key, KeyName } from "./key-decoder.js";
import { edited, EMPTY_INPUT, inputWith, inserted, replaced } from "./text-input.js";
import type { TextInput } from "./text-input.js";

/** The completions of the text before the cursor, which begins at `start`, each with its effect. */
export type Completion = {
  readonly start: number;
  readonly texts: readonly string[];
  readonly notes?: readonly string[];
};

export type MessageEvents = {
  readonly onSubmit: (text: string) => void;
  /** Escape, or Ctrl-C with nothing typed. */
  readonly onInterrupt: (key: "escape" | "ctrl-c") => void;
  readonly onQuit: () => void;
  readonly onSuspend: () => void;
  /** Shift-Tab. */
  readonly onMode: () => void;
  readonly complete: (input: TextInput) => Completion | undefined;
  /** Messages that were sent before, the newest first. */
  readonly earlier: () => readonly string[];
  /** Messages that wait, the next one first. */
  readonly queued: () => readonly string[];
  /** Takes the last waiting message back. */
  readonly unqueue: () => string | undefined;
};

const MAX_COMPLETIONS = 6;
const MAX_QUEUED = 3;

export class MessageLayer implements Layer {
  readonly #events: MessageEvents;
  #input: TextInput = EMPTY_INPUT;
  /** The text before the arrow keys showed earlier ones. */
  #draft = "";
  #earlierAt = -1;
  #completion: (Completion & { readonly chosen: number }) | undefined;

  constructor(events: MessageEvents) {
    this.#events = events;
  }

  get isEmpty(): boolean {
    return this.#input.text === "" && this.#events.queued().length === 0;
  }

  get #hasNoText(): boolean {
    return this.#input.text === "";
  }

  /** Puts a text into the line, for example one that could not be sent. */
  set(text: string): void {
    this.#input = inputWith(text);
  }

  rows(width: number, maxRows: number): InputRows {
    const queued = this.#events.queued();
    const waiting = queued
      .slice(0, MAX_QUEUED)
      .map((text) => styled(clipped(`queued: ${oneLine(text, 200)}`, width), "dim"));
    const more =
      queued.length > MAX_QUEUED ? [styled(`… and ${queued.length - MAX_QUEUED} more`, "dim")] : [];
    const typed = inputRows(this.#input, { width, maxRows, prompt: "> " });
    const above = [...waiting, ...more];
    return {
      rows: [...above, ...typed.rows, ...this.#completionRows(width)],
      cursor: { ...typed.cursor, row: typed.cursor.row + above.length },
    };
  }

  onKey(key: Key): void {
    if (key.type === "key") return this.#onName(key.name);
    this.#input = inserted(this.#input, key.text);
    this.#earlierAt = -1;
    this.#suggest();
  }

  #onName(name: KeyName): void {
    if (this.#completion && this.#onCompletionKey(name)) return;
    switch (name) {
      case "enter":
        return this.#submit();
      case "escape":
      case "ctrl-c":
        return this.#leave(name);
      case "ctrl-d":
        if (this.#hasNoText) return this.#events.onQuit();
        this.#input = edited(this.#input, "delete") ?? this.#input;
        return;
      case "ctrl-z":
        return this.#events.onSuspend();
      case "tab":
        return this.#suggest(true);
      case "back-tab":
        return this.#events.onMode();
      default:
    }
    const next = edited(this.#input, name);
    if (next) {
      this.#input = next;
      this.#suggest();
    } else if (name === "up" || name === "ctrl-p") this.#showEarlier(1);
    else if (name === "down" || name === "ctrl-n") this.#showEarlier(-1);
  }

  /** Enter sends, unless the line ends with a backslash, which stands for a line end. */
  #submit(): void {
    const { text, cursor } = this.#input;
    if (cursor === text.length && text.endsWith("\\")) {
      this.#input = inputWith(`${text.slice(0, -1)}\n`);
      return;
    }
    if (text.trim() === "") return;
    this.#input = EMPTY_INPUT;
    this.#earlierAt = -1;
    this.#completion = undefined;
    this.#events.onSubmit(text.trim());
  }

  #leave(key: "escape" | "ctrl-c"): void {
    if (key === "ctrl-c" && !this.#hasNoText) this.#input = EMPTY_INPUT;
    else this.#events.onInterrupt(key);
  }

  #showEarlier(step: 1 | -1): void {
    const back = step === 1 && this.#hasNoText ? this.#events.unqueue() : undefined;
    if (back !== undefined) return this.set(back);
    const earlier = this.#events.earlier();
    const at = Math.max(-1, Math.min(earlier.length - 1, this.#earlierAt + step));
    if (at === this.#earlierAt) return;
    if (this.#earlierAt === -1) this.#draft = this.#input.text;
    this.#earlierAt = at;
    this.set(at === -1 ? this.#draft : (earlier[at] ?? ""));
  }

  /** `isWanted`: Tab was pressed; a single text is taken at once. */
  #suggest(isWanted = false): void {
    const found = this.#events.complete(this.#input);
    this.#completion = found && found.texts.length > 0 ? { ...found, chosen: 0 } : undefined;
    if (isWanted && this.#completion?.texts.length === 1) this.#take();
  }

  /** True when the key was for the list. */
  #onCompletionKey(name: KeyName): boolean {
    const completion = this.#completion;
    if (!completion) return false;
    const { chosen, texts } = completion;
    if (name === "tab" || name === "enter") {
      // A complete command is sent unchanged, also when a longer one begins with it.
      const typed = this.#input.text.slice(completion.start);
      if (name === "enter" && texts.some((text) => text.trimEnd() === typed)) return false;
      this.#take();
    } else if (name === "up" || name === "down") {
      const step = name === "up" ? texts.length - 1 : 1;
      this.#completion = { ...completion, chosen: (chosen + step) % texts.length };
    } else if (name === "escape") this.#completion = undefined;
    else return false;
    return true;
  }

  #take(): void {
    const completion = this.#completion;
    const text = completion?.texts[completion.chosen];
    this.#completion = undefined;
    if (completion && text !== undefined) this.#input = replaced(this.#input, completion.start, text);
  }

  #completionRows(width: number): readonly string[] {
    const completion = this.#completion;
    if (!completion) return [];
    const { texts, chosen, notes } = completion;
    const first = Math.max(0, Math.min(chosen - MAX_COMPLETIONS + 1, texts.length - MAX_COMPLETIONS));
    const widest = Math.max(...texts.map((text) => text.length));
    return texts.slice(first, first + MAX_COMPLETIONS).map((text, index) => {
      const note = notes?.[first + index];
      const name = note === undefined ? oneLine(text, 200) : `${text.padEnd(widest)} ${note}`;
      const row = clipped(`  ${first + index === chosen ? "→" : " "} ${name}`, width);
      return first + index === chosen ? styled(row, "bold") : styled(row, "dim");
    });
  }
}
