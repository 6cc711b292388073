/** A line of code as spans: comments, strings, numbers and keywords. One reader for all languages: colour is a hint. */
import type { Span, Style } from "./styled-text.js";

const KEYWORDS = new Set(
  (
    "abstract and as async await bool boolean break case catch char class const continue crate def default defer del " +
    "delete do done elif else end enum esac except export extends extern false fi final finally float fn for from func " +
    "function go if impl implements import in instanceof int interface is lambda let loop match mod module mut new nil " +
    "none not null of or package pass private protected pub public raise readonly ref return select self static string " +
    "struct super switch then this throw trait true try type typeof undefined use using var void where while with yield"
  ).split(" "),
);

const COMMENT: ReadonlyMap<string, RegExp> = new Map([
  ...[
    "py",
    "python",
    "sh",
    "bash",
    "shell",
    "zsh",
    "rb",
    "ruby",
    "yaml",
    "yml",
    "toml",
    "make",
    "dockerfile",
  ].map((name) => [name, /^#.*/] as const),
  ...["sql", "lua", "haskell"].map((name) => [name, /^--.*/] as const),
]);
const SLASHES = /^(?:\/\/.*|\/\*.*?(?:\*\/|$))/;
const TOKENS: readonly { readonly pattern: RegExp; readonly style: Style | undefined }[] = [
  { pattern: /^(?:"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)|`(?:\\.|[^`\\])*(?:`|$))/, style: "green" },
  { pattern: /^\d[\w.]*/, style: "yellow" },
  { pattern: /^[\p{L}_$][\p{L}\p{N}_$]*/u, style: undefined },
  { pattern: /^\s+/, style: undefined },
];

export function codeSpans(line: string, language: string): readonly Span[] {
  const name = language.toLowerCase();
  if (name === "diff" || name === "patch") return [{ text: line, styles: diffStyles(line) }];
  if (["", "text", "txt", "markdown", "md"].includes(name)) return [{ text: line, styles: [] }];
  const comment = COMMENT.get(name) ?? SLASHES;
  const spans: Span[] = [];
  let rest = line;
  while (rest !== "") {
    const remark = comment.exec(rest)?.[0];
    const token = remark === undefined ? nextToken(rest) : ({ text: remark, styles: ["dim"] } as const);
    spans.push(token);
    rest = rest.slice(token.text.length);
  }
  return spans;
}

function nextToken(rest: string): Span {
  for (const { pattern, style } of TOKENS) {
    const text = pattern.exec(rest)?.[0];
    if (text === undefined) continue;
    if (style) return { text, styles: [style] };
    return { text, styles: KEYWORDS.has(text) ? ["magenta"] : [] };
  }
  return { text: String.fromCodePoint(rest.codePointAt(0) ?? 0), styles: [] };
}

function diffStyles(line: string): readonly Style[] {
  if (line.startsWith("+")) return ["green"];
  if (line.startsWith("-")) return ["red"];
  return line.startsWith("@@") ? ["cyan"] : [];
}
