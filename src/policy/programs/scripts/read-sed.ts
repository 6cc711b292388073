/** What a sed script does beyond printing: `e` runs a command, `w` and `W` write a file, `r` reads one. */
import type { Effects } from "../program.js";

/** Reads as GNU sed does; where other seds would read the same text differently, it is doubted. */
export function readSed(script: string): Effects {
  const reader = new SedReader(script);
  const read = reader.readAll();
  return { reads: reader.files, doubts: read ? [] : [reader.complaint()] };
}

/** Lives for one script. Each part that it reads says whether it could be read, and is harmless. */
class SedReader {
  readonly files: string[] = [];
  private readonly script: string;
  private at = 0;

  constructor(script: string) {
    this.script = script;
  }

  readAll(): boolean {
    while (this.at < this.script.length) {
      this.skip(/[\s;]/);
      if (this.at >= this.script.length) return true;
      if (this.peek() === "#") this.restOfLine();
      else if (!this.addresses() || !this.command() || !this.ends()) return false;
    }
    return true;
  }

  complaint(): string {
    const rest = this.script.slice(Math.max(0, this.at - 1));
    if (rest.startsWith("e")) return "the script runs a command";
    if (/^[wW]/.test(rest)) return "the script writes a file";
    return `the script is not known to be harmless from "${rest.slice(0, 20)}"`;
  }

  private addresses(): boolean {
    if (!this.address()) return false;
    this.skip(/[ \t]/);
    if (this.peek() === ",") {
      this.at += 1;
      this.skip(/[ \t]/);
      if (!this.address()) return false;
    }
    this.skip(/[ \t!]/);
    return true;
  }

  private address(): boolean {
    if (/[0-9$+~]/.test(this.peek())) {
      this.at += 1;
      this.skip(/[0-9~]/);
    } else if (this.peek() === "/" || this.peek() === "\\") {
      if (this.peek() === "\\") this.at += 1;
      if (!this.pattern(this.take())) return false;
      this.skip(/[IM]/);
    }
    return true;
  }

  private command(): boolean {
    const name = this.take();
    if (/[{}=dDgGhHnNpPxzF]/.test(name)) return true;
    if (/[lLqQ]/.test(name)) return this.skip(/[ \t0-9]/);
    if (/[:btTv]/.test(name)) return this.skip(/[^;\n}]/);
    if (/[aic]/.test(name)) return this.text();
    if (/[rR]/.test(name)) return this.files.push(this.restOfLine()) > 0;
    if (name !== "s" && name !== "y") return false;
    const delimiter = this.take();
    if (!this.pattern(delimiter) || this.delimited(delimiter) === undefined) return false;
    return name === "y" || this.skip(/[gpiIMm0-9]/);
  }

  /** The text of a, i and c: to the end of the line, and on when that ends with a backslash. */
  private text(): boolean {
    do {
      // Whether two backslashes end the text is read differently by different seds.
      if (this.restOfLine().endsWith("\\\\")) return false;
      this.at += 1;
    } while (this.script.charAt(this.at - 2) === "\\" && this.at < this.script.length);
    return true;
  }

  /** Whatever follows a command on its line, such as `e` or `w` after `s///`, makes it another command. */
  private ends(): boolean {
    this.skip(/[ \t]/);
    const before = this.script.charAt(this.at - 1);
    if (this.at >= this.script.length || /[;\n}#]/.test(this.peek()) || /[{}\n]/.test(before)) return true;
    this.at += 1;
    return false;
  }

  private pattern(delimiter: string): boolean {
    if (delimiter === "" || delimiter === "\n" || delimiter === "\\") return false;
    const text = this.delimited(delimiter);
    return text !== undefined && !hasOpenBracket(text);
  }

  private delimited(delimiter: string): string | undefined {
    const start = this.at;
    while (this.at < this.script.length) {
      const character = this.peek();
      this.at += character === "\\" ? 2 : 1;
      if (character === delimiter) return this.script.slice(start, this.at - 1);
    }
    return undefined;
  }

  private restOfLine(): string {
    const end = this.script.indexOf("\n", this.at);
    const rest = this.script.slice(this.at, end === -1 ? this.script.length : end);
    this.at += rest.length;
    return rest.trim();
  }

  private peek(): string {
    return this.script.charAt(this.at);
  }

  private take(): string {
    this.at += 1;
    return this.script.charAt(this.at - 1);
  }

  private skip(pattern: RegExp): true {
    while (this.at < this.script.length && pattern.test(this.peek())) this.at += 1;
    return true;
  }
}

/** Whether a delimiter ended the text inside `[...]`: GNU and BSD sed disagree on where it ends then. */
function hasOpenBracket(text: string): boolean {
  const plain = text
    .replaceAll(/\\[^]/g, "")
    .replaceAll(/\[\^?\]?(?:\[:\w+:\]|\[(?!:\w+:\])|[^\][])*\]/g, "");
  return plain.includes("[");
}
