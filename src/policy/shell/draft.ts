/** A shell reading under construction, and the bounds of the work that a text may cause. */
import type { ReadCommand } from "./read-shell.js";

const MAX_COMMANDS = 10_000;
const MAX_DOUBTS = 40;
/** Words handled in all, and characters. Wrappers inside wrappers would otherwise multiply without end. */
const MAX_WORDS = 400_000;
const MAX_TEXT = 600_000;
export const MAX_DEPTH = 64;
/** Rounds of all loops of a text. */
const MAX_ROUNDS = 200;

export class Draft {
  readonly commands: ReadCommand[] = [];
  readonly #doubts = new Set<string>();
  #words = 0;
  #text = 0;
  #rounds = 0;

  add(command: ReadCommand): void {
    if (!this.isFull()) this.commands.push(command);
  }

  doubt(reason: string): void {
    if (this.#doubts.size < MAX_DOUBTS) this.#doubts.add(reason);
  }

  /** False, with a doubt, when this many more words, at this depth, would be too much: stop there. */
  affords(words: number, depth: number): boolean {
    this.#words += words;
    if (this.#words > MAX_WORDS) this.doubt("it is too long to be read to its end");
    else if (depth > MAX_DEPTH)
      this.doubt(`it is nested more than ${MAX_DEPTH} deep; what is deeper was not read`);
    else return true;
    return false;
  }

  /** False, with a doubt, when this many more rounds of a loop would be too much. */
  affordsRounds(rounds: number): boolean {
    this.#rounds += rounds;
    if (this.#rounds <= MAX_ROUNDS) return true;
    this.doubt(`its loops have more than ${MAX_ROUNDS} rounds`);
    return false;
  }

  /** True, with a doubt, when what follows would be one command too many. */
  isFull(): boolean {
    if (this.commands.length < MAX_COMMANDS) return false;
    this.doubt(`it has more than ${MAX_COMMANDS} commands; the rest was not read`);
    return true;
  }

  /** How much text may still be read. */
  readable(text: string): string {
    const left = Math.max(0, MAX_TEXT - this.#text);
    if (text.length > left) this.doubt("it is too long to be read to its end");
    this.#text += text.length;
    return text.slice(0, left);
  }

  isInDoubt(): boolean {
    return this.#doubts.size > 0;
  }

  doubts(): readonly string[] {
    return [...this.#doubts];
  }
}
