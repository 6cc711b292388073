/**
 * Decodes the text that a terminal in raw mode sends into keys. Sequences may arrive in pieces. A lone Escape looks
 * like the start of a sequence, so the caller calls `flush` when nothing followed it.
 */

/** `text`: typed characters; `paste`: text between the marks of a bracketed paste, as it was. */
export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "key"; readonly name: KeyName };

export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "back-tab"
  | "backspace"
  | "delete"
  | "escape"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "word-left"
  | "word-right"
  | "delete-word"
  | `ctrl-${string}`;

const ESCAPE = "\u001B";
const PASTE_START = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;
/** Parameters, then the letter that names the sequence. */
const CSI = new RegExp(String.raw`^\u001B\[([\d;:?<>=]*)[ -/]*([@-~])`);
const SS3 = new RegExp(String.raw`^\u001BO([A-Za-z])`);
// A sequence whose end has not arrived yet.
const OPEN = new RegExp(String.raw`^\u001B(?:\[[\d;:?<>=]*[ -/]*|O)?$`);

const FINAL: ReadonlyMap<string, KeyName> = new Map([
  ["A", "up"],
  ["B", "down"],
  ["C", "right"],
  ["D", "left"],
  ["H", "home"],
  ["F", "end"],
  ["Z", "back-tab"],
  ["M", "enter"],
]);
const TILDE: ReadonlyMap<string, KeyName> = new Map([
  ["1", "home"],
  ["3", "delete"],
  ["4", "end"],
  ["5", "page-up"],
  ["6", "page-down"],
  ["7", "home"],
  ["8", "end"],
]);
const CONTROL: ReadonlyMap<string, KeyName> = new Map([
  ["\r", "enter"],
  ["\n", "newline"],
  ["\t", "tab"],
  ["\b", "backspace"],
  ["\u007F", "backspace"],
]);
const ALT: ReadonlyMap<string, KeyName> = new Map([
  ["\r", "newline"],
  ["\n", "newline"],
  ["b", "word-left"],
  ["f", "word-right"],
  ["\u007F", "delete-word"],
  ["\b", "delete-word"],
]);

export class KeyDecoder {
  #buffer = "";
  #pasted: string | undefined;

  /** whether a sequence has started and its end is missing. */
  get isOpen(): boolean {
    return this.#buffer !== "";
  }

  push(text: string): readonly Key[] {
    this.#buffer += text;
    const keys: Key[] = [];
    for (;;) {
      const key = this.#pasted === undefined ? this.#next() : this.#paste();
      if (key === undefined) return keys;
      if (key !== "none") keys.push(key);
    }
  }

  /** Ends a pending sequence as typed keys, because no further bytes followed. */
  flush(): readonly Key[] {
    if (this.#pasted !== undefined || this.#buffer === "") return [];
    const rest = this.#buffer.slice(1);
    this.#buffer = "";
    return [{ type: "key", name: "escape" }, ...(rest === "" ? [] : this.push(rest))];
  }

  /** The next key; "none" for a sequence without a meaning here; undefined when more input is needed. */
  #next(): Key | "none" | undefined {
    const buffer = this.#buffer;
    if (buffer === "") return undefined;
    if (buffer.startsWith(PASTE_START)) {
      this.#take(PASTE_START.length);
      this.#pasted = "";
      return "none";
    }
    if (buffer.startsWith(ESCAPE)) return OPEN.test(buffer) ? undefined : this.#sequence(buffer);
    const first = buffer.charAt(0);
    if (first < " " || first === "\u007F") {
      this.#take(1);
      return named(CONTROL.get(first) ?? `ctrl-${String.fromCharCode(first.charCodeAt(0) + 96)}`);
    }
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    const [text = first] = /^[^\u0000-\u001F\u007F]+/.exec(buffer) ?? [];
    this.#take(text.length);
    return { type: "text", text };
  }

  #sequence(buffer: string): Key | "none" {
    const csi = CSI.exec(buffer);
    if (csi) {
      this.#take(csi[0].length);
      const name = csiName(csi[1] ?? "", csi[2] ?? "");
      return name === undefined ? "none" : named(name);
    }
    const ss3 = SS3.exec(buffer);
    if (ss3) {
      this.#take(ss3[0].length);
      const name = FINAL.get(ss3[1] ?? "");
      return name === undefined ? "none" : named(name);
    }
    const second = buffer.charAt(1);
    const alt = ALT.get(second);
    // Two Escapes are one key each; any other key with Alt counts as the key alone.
    this.#take(alt === undefined ? 1 : 2);
    return named(alt ?? "escape");
  }

  #paste(): Key | undefined {
    const end = this.#buffer.indexOf(PASTE_END);
    if (end >= 0) {
      const text = `${this.#pasted ?? ""}${this.#buffer.slice(0, end)}`;
      this.#take(end + PASTE_END.length);
      this.#pasted = undefined;
      return { type: "paste", text: text.replace(/\r\n?/g, "\n") };
    }
    // The end mark may have started at the end of the buffer.
    const kept = Math.max(0, this.#buffer.length - PASTE_END.length);
    this.#pasted = `${this.#pasted ?? ""}${this.#buffer.slice(0, kept)}`;
    this.#take(kept);
    return undefined;
  }

  #take(length: number): void {
    this.#buffer = this.#buffer.slice(length);
  }
}

const named = (name: KeyName): Key => ({ type: "key", name });

/** The second parameter is a bit set of modifiers, plus one. */
function csiName(parameters: string, final: string): KeyName | undefined {
  const [first = "", second = "1", third = ""] = parameters.split(/[;:]/);
  const hasModifier = (Number(second) - 1) & ~0x40;
  // Terminals report Enter with a modifier in one of two ways.
  if (final === "u" && first === "13") return hasModifier ? "newline" : "enter";
  if (final === "u" && first === "27") return "escape";
  if (final === "~" && first === "27" && third === "13") return "newline";
  const name = final === "~" ? TILDE.get(first) : FINAL.get(final);
  if (hasModifier && name === "left") return "word-left";
  if (hasModifier && name === "right") return "word-right";
  return name === "enter" && final === "M" ? undefined : name;
}
