/**
 * Finds in a sed script everything beyond printing: `e` runs a command, `w` and `W` write a file, `r` and `R` read one.
 *
 * A closed grammar: each command is read to its end, and a text that GNU, busybox and BSD sed could split into
 * other commands is a doubt. Several `-e` are to be joined by line ends, as sed joins them.
 */
import type { Effects } from "../program.js";
import { isDelimiter, patternEnd, replacementEnd } from "./sed-pattern.js";
import type { Pattern } from "./sed-pattern.js";
import { isTooLong, TOO_LONG } from "./too-long.js";

export function readSed(script: string): Effects {
  if (isTooLong(script)) return { doubts: [TOO_LONG] };
  // Seds differ on which control characters are blanks, and end labels and names there.
  if (/[^\P{Cc}\t\n]/u.test(script)) return { doubts: ["the script holds control characters"] };
  const reader = new SedReader(script);
  const doubts = reader.readAll() ? [] : [reader.complaint()];
  return { reads: reader.reads, writes: reader.writes, doubts: [...doubts, ...reader.doubts] };
}

/** Lives for one script. Each part that it reads reports whether it could be read. */
class SedReader {
  readonly reads: string[] = [];
  readonly writes: string[] = [];
  readonly doubts: string[] = [];
  private readonly script: string;
  private at = 0;
  /** Where the last label ended. BSD sed takes the rest of that line for the label, too. */
  private labelEnd = -1;

  constructor(script: string) {
    this.script = script;
  }

  readAll(): boolean {
    while (this.at < this.script.length) {
      this.advance(/[ \t\n;]*/y);
      if (this.at >= this.script.length) return true;
      if (this.peek() === "#") {
        if (this.restOfLine().endsWith("\\")) return false;
      } else if (!this.addresses() || !this.command()) return false;
    }
    return true;
  }

  complaint(): string {
    const rest = this.script.slice(Math.max(0, this.at - 1));
    if (rest.startsWith("e")) return "the script runs a command";
    return `the script is not known to be harmless from "${rest.slice(0, 20)}"`;
  }

  private addresses(): boolean {
    if (!this.address(/(?:\d+(?:~\d+)?|\$)?/y)) return false;
    this.advance(/[ \t]*/y);
    if (this.peek() === ",") {
      this.at += 1;
      this.advance(/[ \t]*/y);
      const before = this.at;
      if (!this.address(/(?:\d+|\$|[+~]\d+)?/y) || this.at === before) return false;
    }
    this.advance(/[ \t]*!?[ \t]*/y);
    return true;
  }

  private address(number: RegExp): boolean {
    if (this.peek() !== "/" && this.peek() !== "\\") {
      this.advance(number);
      return true;
    }
    if (this.peek() === "\\") this.at += 1;
    if (!this.pattern(this.take(), "address")) return false;
    this.advance(/[IM]*/y);
    return true;
  }

  private command(): boolean {
    const name = this.take();
    if (name === "{") return true;
    if (/^[}=dDgGhHnNpPxzF]$/.test(name)) return this.ends();
    if (/^[lqQ]$/.test(name)) return this.ends(/[ \t]*\d*/y);
    if (name === "v") return this.ends(/[ \t]*[\d.]*/y);
    if (/^[:btT]$/.test(name)) return this.label(name);
    if (/^[aic]$/.test(name)) return this.text();
    if (/^[rR]$/.test(name)) return this.file(this.reads);
    if (/^[wW]$/.test(name)) return this.file(this.writes);
    if (name === "s" || name === "y") return this.replaces(name);
    return false;
  }

  private label(command: string): boolean {
    this.advance(/[ \t]*/y);
    const label = this.advance(/[\w.-]*/y);
    if (command === ":" && (label === "" || this.peek() === "}")) return false;
    this.labelEnd = this.at;
    return this.ends();
  }

  private replaces(command: "s" | "y"): boolean {
    const delimiter = this.take();
    if (!this.pattern(delimiter, command)) return false;
    const start = this.at;
    const end = replacementEnd(this.script, start, delimiter);
    if (end === undefined) return false;
    this.at = end + 1;
    const hasLines = this.script.slice(start, end).includes("\n");
    if (hasLines && (command === "y" || this.followsLabel(start))) return false;
    if (command === "y") return this.ends();
    this.advance(/[gpiIMm\d]*/y);
    if (this.peek() === "w") {
      this.at += 1;
      return this.file(this.writes);
    }
    return this.ends();
  }

  /** The text of a, i and c: to the end of the line, and on when that ends with a backslash. */
  private text(): boolean {
    const start = this.at;
    this.advance(/[ \t]*/y);
    let hasLines = this.script.startsWith("\\\n", this.at);
    if (hasLines) this.at += 2;
    // On one line: `a text` or `a\text`. With nothing but blanks behind the backslash, seds differ.
    else if (!/^(?:\\[ \t]*)?[^\s\\]/.test(this.script.slice(this.at))) return false;
    for (;;) {
      const text = this.restOfLine();
      // Whether two backslashes end the text is read differently by different seds.
      if (text.endsWith("\\\\")) return false;
      const continues = text.endsWith("\\");
      // The last line may continue in the script that is added later.
      if (continues && this.at >= this.script.length) return false;
      this.at += 1;
      if (!continues) return !hasLines || !this.followsLabel(start);
      hasLines = true;
    }
  }

  /** A file's name goes to the end of the line; where someone may have meant it to end sooner, it is doubted. */
  private file(into: string[]): boolean {
    this.advance(/[ \t]*/y);
    const name = this.restOfLine();
    if (name === "" || /[;{}\\]|\s$/.test(name)) return false;
    into.push(name);
    if (into === this.writes) this.doubts.push(`the script writes "${name}"`);
    return true;
  }

  /** Whatever follows a command on its line, such as `e` after `s///`, makes it another command. */
  private ends(argument?: RegExp): boolean {
    if (argument) this.advance(argument);
    this.advance(/[ \t]*/y);
    if (this.at >= this.script.length || /[;\n}#]/.test(this.peek())) return true;
    this.at += 1;
    return false;
  }

  private pattern(delimiter: string, of: Pattern["of"]): boolean {
    if (!isDelimiter(delimiter)) return false;
    const end = patternEnd({ script: this.script, start: this.at, delimiter, of });
    if (end !== undefined) this.at = end + 1;
    return end !== undefined;
  }

  private restOfLine(): string {
    return this.advance(/[^\n]*/y);
  }

  private followsLabel(at: number): boolean {
    return this.labelEnd > this.script.lastIndexOf("\n", at);
  }

  private peek(): string {
    return this.script.charAt(this.at);
  }

  private take(): string {
    this.at += 1;
    return this.script.charAt(this.at - 1);
  }

  /** Moves over what the sticky pattern, which may match nothing, finds here. */
  private advance(sticky: RegExp): string {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.script)?.[0] ?? "";
    this.at += found.length;
    return found;
  }
}
