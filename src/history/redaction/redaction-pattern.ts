/**
 * A user's own pattern for secrets with a shape that only they know, checked so that no text can make it slow.
 *
 * A JavaScript pattern may take years on the right text, and the text is an agent's. So the language here is
 * small: at least three plain characters at the start, then characters, classes (`[a-z]`, `\d`, `\w`, `\s`)
 * and repeats (`+`, `*`, `?`, `{n}`, `{n,m}`) of one of these, where the part after a repeat cannot match in
 * it. Then there is only one way to match, and no backtracking.
 */
import { checkOptions, listOf, required, STRING } from "../../call/check-options.js";
export type RedactionPattern = { readonly source: string; readonly pattern: RegExp };

/** A text or an expression of JavaScript in its place would redact nothing, and say nothing. */
export const PATTERNS = listOf({
  expected: "a pattern (redactionPattern)",
  isRight: (value) =>
    typeof value === "object" && value !== null && "pattern" in value && value.pattern instanceof RegExp,
});

const MAX_SOURCE_LENGTH = 200;
const MAX_REPEAT = 1_024;
const PLAIN_START = 3;
const MARKS =
  "[redacted api key] [redacted token] [redacted access key] [redacted private key] [redacted password] [redacted credentials] [redacted secret] [redacted by pattern]";

/** Throws a RangeError that names the unsupported part and its place. */
export function redactionPattern(source: string): RedactionPattern {
  checkOptions("redactionPattern", { source }, { source: required(STRING) });
  const refuse = (why: string): never => {
    const shown = JSON.stringify(source.slice(0, MAX_SOURCE_LENGTH));
    throw new RangeError(
      `The redaction pattern ${shown} cannot be used: ${why}. Nothing was redacted by it.`,
    );
  };
  if (source.length > MAX_SOURCE_LENGTH) refuse(`it is longer than ${MAX_SOURCE_LENGTH} characters`);
  const parts = readParts(source, refuse);
  const start = parts.slice(0, PLAIN_START);
  if (start.length < PLAIN_START || start.some(({ isPlain, isFixed }) => !isPlain || !isFixed)) {
    refuse(`it must begin with ${PLAIN_START} plain characters, such as "key"`);
  }
  for (const [index, part] of parts.entries()) {
    if (!part.isFixed && overlapsNext(parts, index)) {
      refuse(`what follows ${part.text} at ${part.at} can itself be a part of it`);
    }
  }
  const made = parts.map(({ text }) => text).join("");
  if (new RegExp(made, "u").test(MARKS)) refuse("it would take the marks for secrets");
  return { source, pattern: new RegExp(made, "gu") };
}

type Part = {
  /** The part's source in the compiled pattern. */
  readonly text: string;
  readonly at: number;
  readonly one: RegExp;
  readonly isPlain: boolean;
  /** Whether the part always matches the same number of characters. */
  readonly isFixed: boolean;
  readonly mayBeNothing: boolean;
};

const PART =
  /(?<class>\[\^?(?:\\.|[^\]\\])+\])|(?<escape>\\[dDwWsS.\\/+*?()[\]{}^$|-])|(?<any>\.)|(?<plain>[^\\[\](){}*+?|^$.])/uy;
const REPEAT = /\{(?<least>\d{1,4})(?<comma>,(?<most>\d{1,4})?)?\}|(?<sign>[*+?])/uy;

function readParts(source: string, refuse: (why: string) => never): readonly Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < source.length;) {
    PART.lastIndex = at;
    const found = PART.exec(source) ?? refuse(`"${source.charAt(at)}" at ${at} has no meaning here`);
    const [atom] = found;
    REPEAT.lastIndex = at + atom.length;
    const repeat = REPEAT.exec(source);
    const { least, most } = bounds(repeat, refuse);
    const isPlain = found.groups?.["plain"] !== undefined || /^\\[^dDwWsS]/u.test(atom);
    parts.push({
      text: least === 1 && most === 1 ? atom : `${atom}{${least},${most}}`,
      at,
      one: oneOf(atom, refuse),
      isPlain,
      isFixed: least === most,
      mayBeNothing: least === 0,
    });
    at += atom.length + (repeat?.[0].length ?? 0);
  }
  return parts;
}

function bounds(repeat: RegExpExecArray | null, refuse: (why: string) => never) {
  if (!repeat) return { least: 1, most: 1 };
  const { least, comma, most, sign } = repeat.groups ?? {};
  if (sign !== undefined) return { least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : MAX_REPEAT };
  const from = Number(least);
  const to = comma === undefined ? from : most === undefined ? MAX_REPEAT : Number(most);
  if (to < from || to > MAX_REPEAT) refuse(`${repeat[0]} is no repeat of at most ${MAX_REPEAT}`);
  return { least: from, most: to };
}

function oneOf(atom: string, refuse: (why: string) => never): RegExp {
  try {
    return new RegExp(`^(?:${atom})$`, "u");
  } catch {
    return refuse(`${atom} is no class of characters`);
  }
}

/** Checks the parts up to and including the next required one. */
function overlapsNext(parts: readonly Part[], index: number): boolean {
  const repeated = parts[index];
  for (const next of parts.slice(index + 1)) {
    if (repeated && overlaps(repeated.one, next.one)) return true;
    if (!next.mayBeNothing) return false;
  }
  return false;
}

/** Tests every character of the basic plane and one beyond it, which stands for all others. */
function overlaps(one: RegExp, other: RegExp): boolean {
  for (let unit = 0; unit <= 0x10000; unit += 1) {
    const character = String.fromCodePoint(unit);
    if (one.test(character) && other.test(character)) return true;
  }
  return false;
}
