/**
 * Redacts a text that comes in pieces. The end of a piece may cut a secret, so the end of a line is buffered
 * while it may still become one; all other text is emitted at once. The emitted part of a line is still
 * searched: it may have the name of a secret that follows.
 */
import { rawIndex, unfinishedAt, withoutEscapes } from "./escape-sequences.js";
import { mayBecomeEncoded } from "./redact-encoded.js";
import { redact } from "./redact.js";
import type { RedactionPattern } from "./redaction-pattern.js";
import { wrappedAt } from "./wrapped-secrets.js";

/** A longer line is emitted: it may be a whole file without line ends. */
const MAX_BUFFERED_LENGTH = 16_384;

/** The beginnings of the known words, of names and schemes. Text that may become one is buffered too. */
const BEGINNINGS =
  "sk- sk_ rk_ whsec_ AIza gsk_ xai- hf_ pplx- r8_ dop_v1_ lin_api_ tvly- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ gl npm_ pypi- dckr_pat_ figd_ shpat_ atlasv1- sbp_ xox xapp- AKIA ASIA ABIA ACCA ya29 SG eyJ AGE-".split(
    " ",
  );
const SUSPECT =
  /:\/\/|-----BEGIN|bearer|authorization|token|secret|pass|credential|key|_pat|auth|cookie|curl|jwt|_pwd|-[BEGIN]{0,5}$/i;

export class StreamRedactor {
  readonly #patterns: readonly RedactionPattern[];
  #held = "";
  /** The emitted part of the last line: raw, and as it was emitted. */
  #line = { raw: "", shown: "" };

  constructor(patterns: readonly RedactionPattern[]) {
    this.#patterns = patterns;
  }

  /** An independent redactor with the same state. */
  copy(): StreamRedactor {
    const copy = new StreamRedactor(this.#patterns);
    copy.#held = this.#held;
    copy.#line = this.#line;
    return copy;
  }

  /** The text that can be emitted now. */
  push(piece: string): string {
    const text = this.#line.raw + this.#held + piece;
    const end = Math.max(this.#line.raw.length, this.#safeEnd(text));
    return this.#handOn(text, end);
  }

  /** The rest of the buffered text. */
  flush(): string {
    const text = this.#line.raw + this.#held;
    return this.#handOn(text, text.length);
  }

  #handOn(text: string, end: number): string {
    const { shown } = this.#line;
    this.#held = text.slice(end);
    const whole = redact(text.slice(0, end), this.#patterns);
    // Where a secret starts in the emitted part, its mark follows and no more of it is emitted.
    const next = whole.slice(commonLength(whole, shown));
    const line = text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
    const isShort = line.length <= MAX_BUFFERED_LENGTH;
    this.#line = isShort ? { raw: line, shown: redact(line, this.#patterns) } : { raw: "", shown: "" };
    return next;
  }

  get holdsSomething(): boolean {
    return this.#held !== "";
  }

  #safeEnd(text: string): number {
    const unfinished = unfinishedAt(text, MAX_BUFFERED_LENGTH);
    const whole = text.slice(0, unfinished);
    const plain = withoutEscapes(whole);
    const key = plain.lastIndexOf("-----BEGIN");
    const end = key === -1 ? -1 : plain.indexOf("-----END", key);
    const isInKey = key !== -1 && (end === -1 || !plain.includes("-----", end + "-----END".length));
    const wrapped = isInKey ? -1 : wrappedAt(plain);
    const lineStart = wrapped === -1 ? plain.lastIndexOf("\n") + 1 : wrapped;
    const start = isInKey ? key : lineStart;
    const rawStart = rawIndex(whole, start);
    const line = whole.slice(rawStart);
    if (text.length - rawStart > MAX_BUFFERED_LENGTH) return text.length;
    const isSuspect =
      isInKey ||
      wrapped !== -1 ||
      ["", " "].some((joiner) => this.#mayBecomeSecret(withoutEscapes(line, joiner)));
    return isSuspect ? rawStart : unfinished;
  }

  #mayBecomeSecret(line: string): boolean {
    if (SUSPECT.test(line) || mayBecomeEncoded(line.slice(-64))) return true;
    const [word = ""] = /[\w-]*$/.exec(line.slice(-64)) ?? [];
    const before = line.at(-1 - word.length) ?? "";
    if (partsOf(word, before).some(beginsLikeSecret)) return true;
    return this.#patterns.some(({ source }) => endsLikeStart(line, source.slice(0, 3)));
  }
}

/** The word, its parts, and the word without the rest of an escape before it: `\n`, `%3D`, `\x3d`, `\u003d`. */
function partsOf(word: string, before: string): readonly string[] {
  const parts = [word, ...word.split(/(?<=[_-])/).slice(1)];
  if (before === "\\" || before === "%") parts.push(...[1, 2, 3, 5].map((length) => word.slice(length)));
  return parts.filter((part) => part !== "");
}

const beginsLikeSecret = (word: string): boolean =>
  BEGINNINGS.some((known) => known.startsWith(word) || word.startsWith(known));

/** Whether the line ends with the first characters of `start`, or contains it. */
function endsLikeStart(line: string, start: string): boolean {
  if (line.includes(start)) return true;
  return line.endsWith(start.slice(0, 2)) || line.endsWith(start.slice(0, 1));
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}
