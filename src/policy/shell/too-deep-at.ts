/**
 * Finds the place where a text is nested too deeply for the parser, before the parser sees it: the parser's time grows
 * with the square of the nesting. Quotes are ignored, so brackets inside quotes may raise a needless doubt; and
 * because quotes may hide nesting, the most expensive signs are also counted.
 */
const SIGNS = /[<>$]\(|[()[\]}`]|\$\[|\{|\b(?:if|while|until|for|case|select|fi|done|esac)\b/g;
const CLOSED_BY = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
  ["fi", "if"],
  ["done", "while"],
  ["esac", "case"],
]);
const SAME_AS = new Map([
  ["until", "while"],
  ["for", "while"],
  ["select", "while"],
  ["$[", "["],
  ["$(", "("],
  ["<(", "("],
  [">(", "("],
]);
/** The maximum count of each sign in the whole text. */
const MOST = new Map([
  ["$(", 10_000],
  ["<(", 10_000],
  [">(", 10_000],
  ["`", 20_000],
  ["$[", 400],
  ["{", 20_000],
  ["{ tight", 2000],
]);

export function tooDeepAt(text: string, deepest: number): number | undefined {
  const open = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { 0: sign, index } of text.matchAll(SIGNS)) {
    const closes = CLOSED_BY.get(sign);
    if (closes !== undefined) {
      open.set(closes, Math.max(0, (open.get(closes) ?? 0) - 1));
      continue;
    }
    // A brace with a space behind it groups commands, which is cheap; others may become several words.
    const counted = sign === "{" && !/\s/.test(text[index + 1] ?? " ") ? "{ tight" : sign;
    const count = (counts.get(counted) ?? 0) + 1;
    counts.set(counted, count);
    const kind = SAME_AS.get(sign) ?? sign;
    const depth = kind === "`" ? 0 : (open.get(kind) ?? 0) + 1;
    open.set(kind, depth);
    if (depth > deepest || count > (MOST.get(counted) ?? Infinity)) return index;
  }
  return undefined;
}
