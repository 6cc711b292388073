/**
 * Redacts a text that comes in pieces. A secret may be cut by a piece's end, so the end of a line is held
 * back while it may still become one; all other text goes on at once.
 */
import { redact } from "./redact.js";
import type { RedactionPattern } from "./redaction-pattern.js";

/** A line that is longer is handed on: it may be a whole file without line ends. */
const LONGEST_HELD = 16_384;

/** The beginnings of the known words, of names and schemes; what may go on to be one is held as well. */
const BEGINNINGS =
  "sk- sk_ rk_ whsec_ AIza gsk_ xai- hf_ pplx- r8_ dop_v1_ lin_api_ tvly- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ gl npm_ pypi- dckr_pat_ figd_ shpat_ atlasv1- sbp_ xox xapp- AKIA ASIA ABIA ACCA ya29 SG eyJ".split(
    " ",
  );
const SUSPECT =
  /:\/\/|-----BEGIN|bearer|authorization|token|secret|pass|credential|key|_pat|auth|cookie|jwt|_pwd|-$/i;

export class StreamRedactor {
  readonly #patterns: readonly RedactionPattern[];
  #held = "";

  constructor(patterns: readonly RedactionPattern[]) {
    this.#patterns = patterns;
  }

  /** What can be handed on now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const cut = this.#safeEnd(text);
    this.#held = text.slice(cut);
    return redact(text.slice(0, cut), this.#patterns);
  }

  /** All that is held. */
  flush(): string {
    const rest = redact(this.#held, this.#patterns);
    this.#held = "";
    return rest;
  }

  get holdsSomething(): boolean {
    return this.#held !== "";
  }

  #safeEnd(text: string): number {
    const key = text.lastIndexOf("-----BEGIN");
    const end = key === -1 ? -1 : text.indexOf("-----END", key);
    const isInKey = key !== -1 && (end === -1 || !text.includes("-----", end + "-----END".length));
    const start = isInKey ? key : text.lastIndexOf("\n") + 1;
    const line = text.slice(start);
    if (line.length > LONGEST_HELD) return text.length;
    return isInKey || this.#mayBecomeSecret(line) ? start : text.length;
  }

  #mayBecomeSecret(line: string): boolean {
    if (SUSPECT.test(line)) return true;
    const [word = ""] = /[\w-]*$/.exec(line.slice(-64)) ?? [];
    if (word !== "" && BEGINNINGS.some((known) => known.startsWith(word) || word.startsWith(known)))
      return true;
    return this.#patterns.some(({ source }) => endsLikeStart(line, source.slice(0, 3)));
  }
}

/** Whether the line ends with the first characters of what is looked for, or has them in it. */
function endsLikeStart(line: string, start: string): boolean {
  if (line.includes(start)) return true;
  return line.endsWith(start.slice(0, 2)) || line.endsWith(start.slice(0, 1));
}
