/** A command as pieces: parts that ask with their redirects, signs between parts, and the rest. */
import type { CommandPart } from "toolgate/serve/client";

export type CommandPiece = { readonly text: string; readonly type: "asked" | "part" | "between" };

type Span = {
  readonly from: number;
  readonly to: number;
  readonly part: CommandPart;
  readonly isRedirect?: true;
};

/** A part that is not found is not marked. */
export function commandPieces(text: string, parts: readonly CommandPart[]): readonly CommandPiece[] {
  const pieces: CommandPiece[] = [];
  let from = 0;
  for (const span of spansOf(text, parts)) {
    if (span.from > from) pieces.push({ text: text.slice(from, span.from), type: "between" });
    const type = span.part.verdict === "allowed" ? "part" : "asked";
    pieces.push({ text: text.slice(span.from, span.to), type });
    from = span.to;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), type: from === 0 ? "part" : "between" });
  return pieces;
}

/** Each part with its redirects, as the command has them: "ls src > list.txt". */
export function partTexts(text: string, parts: readonly CommandPart[]): readonly string[] {
  const redirects = spansOf(text, parts).filter(({ isRedirect }) => isRedirect);
  return parts.map((part) => {
    const own = redirects.filter((span) => span.part === part);
    return [part.text, ...own.map(({ from, to }) => text.slice(from, to))].join(" ");
  });
}

/** Each part is looked for after the one before, and its redirects between it and the next one. */
function spansOf(text: string, parts: readonly CommandPart[]): readonly Span[] {
  const found: Span[] = [];
  let after = 0;
  for (const part of parts) {
    const place = placeOf(part.text, text, after);
    if (!place) continue;
    after = place.to;
    found.push({ ...place, part });
  }
  return found.flatMap((span, index) => [span, ...redirectsAfter(span, text, found[index + 1]?.from)]);
}

/** The first place from `after` on where the words stand, whatever quotes and blanks the command has in and between them. */
function placeOf(words: string, text: string, after: number): Pick<Span, "from" | "to"> | undefined {
  if (words === "") return undefined;
  for (let from = after; from < text.length; from += 1) {
    if (from > after && !/[\s;&|(){}`!]/.test(text.charAt(from - 1))) continue;
    const to = endOf(words, text, from);
    if (to !== undefined) return { from, to };
  }
  return undefined;
}

function endOf(words: string, text: string, from: number): number | undefined {
  let at = from;
  for (const letter of words) {
    if (letter === " ") {
      const blanks = /["']?\s+/y;
      blanks.lastIndex = at;
      at += blanks.exec(text)?.[0].length ?? 0;
      if (/\s/.test(text.charAt(at - 1))) continue;
    }
    while (!text.startsWith(letter, at) && /["'\\]/.test(text.charAt(at))) at += 1;
    if (!text.startsWith(letter, at)) return undefined;
    at += letter.length;
  }
  return /["']/.test(text.charAt(at)) ? at + 1 : at;
}

function redirectsAfter({ part, to }: Span, text: string, end = text.length): readonly Span[] {
  const { redirects = [] } = part;
  if (redirects.length === 0) return [];
  // The body of a here-document begins with the next line: a `>` in it is no redirect.
  const [line = ""] = text.slice(to, end).split("\n");
  return [...line.matchAll(REDIRECT)].flatMap((match): Span[] => {
    const { file = "" } = match.groups ?? {};
    const from = to + match.index;
    return redirects.includes(file.replace(/["'\\]/g, ""))
      ? [{ from, to: from + match[0].length, part, isRedirect: true }]
      : [];
  });
}

/** `2>> "a file"`. */
const REDIRECT =
  /(?:\d{1,9}|&)?(?:>>|>\||>&|<>|>|<)[ \t]*(?<file>(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\;&|()<>])+)/g;
