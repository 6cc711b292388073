/**
 * Tokens that a line end splits, as in output folded at 80 columns. A line end may stand anywhere in such a token, so only
 * shapes count whose issuer fixed their length or their parts: no other text behind a line end is taken for the rest.
 *
 * Invariants: as those of `secret-shapes.ts`. A token without a line end in it has its own shape there.
 */
import type { SecretShape } from "./secret-shapes.js";

type Part = { readonly of: string; readonly least: number; readonly most: number };
type Token = { readonly kind: string; readonly begin: string; readonly parts: readonly Part[] };

const many = (of: string, least: number, most = least): Part => ({ of, least, most });
const WORD = String.raw`[\w-]`;
const LETTER = String.raw`[A-Za-z\d]`;

const TOKENS: readonly Token[] = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_"].map((begin) => token(begin, many(LETTER, 36))),
  token("github_pat_", many(LETTER, 22), many("_", 1), many(LETTER, 59)),
  token("glpat-", many(WORD, 20)),
  token("hf_", many(LETTER, 34)),
  { ...token("AIza", many(WORD, 35)), kind: "api key" },
  {
    ...token("sk-ant-", many("[a-z]", 3, 6), many(String.raw`\d`, 2), many("-", 1), many(WORD, 95)),
    kind: "api key",
  },
  { ...token("SG.", many(WORD, 22), many("[.]", 1), many(WORD, 43)), kind: "api key" },
  { ...token("AKIA", many("[A-Z2-7]", 16)), kind: "access key" },
  { ...token("ASIA", many("[A-Z2-7]", 16)), kind: "access key" },
];

/** A JSON web token: its first two parts are JSON, and the shortest signature has 43 characters. */
const WEB_TOKEN = token(
  "eyJ",
  many(WORD, 8, 300),
  ...[".", "e", "y", "J"].map((letter) => many(`[${letter}]`, 1)),
  many(WORD, 8, 4_000),
  many("[.]", 1),
  many(WORD, 43),
);

function token(begin: string, ...parts: readonly Part[]): Token {
  const letters = begin.split("").map((letter) => many(`[${letter}]`, 1));
  return { kind: "token", begin, parts: [...letters, ...parts] };
}

/** Also as a shell continues a line, and as mail does. */
const BREAK = String.raw`(?:[\\=]?\r?\n)?`;
const START = String.raw`(?=[AaeghnSs])(?<![\w-])`;

const repeated = ({ of, most }: Part, least: number): string =>
  most === 1 ? of : `${of}(?:${BREAK}${of}){${least - 1},${most - 1}}`;

const whole = ({ parts }: Token): string => parts.map((part) => repeated(part, part.least)).join(BREAK);

/** The beginning of a token, up to the end of the text. A whole token needs no next line. */
const unfinished = ({ parts }: Token): string =>
  parts.reduceRight((rest, part) => {
    const partial = rest === "" ? { ...part, most: part.most - 1 } : part;
    const here = String.raw`${repeated(partial, 1)}(?:[\\=]?\r?\n?)$`;
    return rest === "" ? here : `(?:${here}|${repeated(part, part.least)}${BREAK}${rest})`;
  }, "");

const either = (patterns: readonly string[]): string => `(?:${patterns.join("|")})`;
const shapeOf = (kind: string, tokens: readonly Token[], end: string): SecretShape => ({
  kind,
  pattern: new RegExp(`${START}${either(tokens.map(whole))}${end}`, "gu"),
  around: ([match]) => (match.includes("\n") ? ["", ""] : undefined),
});

export const WRAPPED_SECRETS: readonly SecretShape[] = [
  ...["token", "api key", "access key"].map((kind) =>
    shapeOf(
      kind,
      TOKENS.filter((one) => one.kind === kind),
      `(?!${WORD})`,
    ),
  ),
  shapeOf("token", [WEB_TOKEN], `${WORD}*`),
];

const UNFINISHED = new RegExp(`${START}${either([...TOKENS, WEB_TOKEN].map(unfinished))}`, "u");
/** No token is longer, also with a line end behind every second character. */
const MAX_LENGTH = 8_192;

/** Where a token begins that may continue on the next line; -1 when none does. */
export function wrappedAt(text: string): number {
  const from = Math.max(0, text.length - MAX_LENGTH);
  const found = UNFINISHED.exec(text.slice(from));
  return found?.[0].includes("\n") ? from + found.index : -1;
}
