/**
 * A line of Markdown as spans, for a terminal. Only marks are left out, never text: the address of a link stays. The line
 * must have been made visible before.
 */
import type { Span, Style } from "./styled-text.js";

export type MarkdownLine = { readonly spans: readonly Span[]; readonly indent: string };

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const RULE = /^ {0,3}(?:-\s*){3,}$|^ {0,3}(?:\*\s*){3,}$|^ {0,3}(?:_\s*){3,}$/;
const TASK = /^\[([ xX])\]\s+/;

export function markdownLine(line: string): MarkdownLine {
  const heading = HEADING.exec(line);
  if (heading) return { spans: inlineSpans(heading[2] ?? "", ["bold"]), indent: "" };
  if (RULE.test(line)) return { spans: [{ text: "────────", styles: ["dim"] }], indent: "" };
  const item = ITEM.exec(line);
  if (item) return itemLine(item[1] ?? "", item[2] ?? "", item[3] ?? "");
  const quote = QUOTE.exec(line);
  if (quote)
    return {
      spans: [{ text: "▏ ", styles: ["dim"] }, ...inlineSpans(quote[1] ?? "", ["italic"])],
      indent: "  ",
    };
  return { spans: inlineSpans(line), indent: /^\s*/.exec(line)?.[0] ?? "" };
}

function itemLine(space: string, mark: string, text: string): MarkdownLine {
  const task = TASK.exec(text);
  const sign = task ? (task[1] === " " ? "☐" : "☑") : /\d/.test(mark) ? mark : "•";
  const body = task ? text.slice(task[0].length) : text;
  const start = `${space}${sign} `;
  return { spans: [{ text: start, styles: [] }, ...inlineSpans(body)], indent: " ".repeat(start.length) };
}

const INLINE =
  /(?<code>`+)(?<coded>.+?)\k<code>(?!`)|\*\*(?=\S)(?<bold>(?:`[^`]*`|[^`])+?)(?<=\S)\*\*|__(?=\S)(?<strong>(?:`[^`]*`|[^`])+?)(?<=\S)__(?!\w)|(?<![\w*])\*(?=[^\s*])(?<italic>[^*]*?[^\s*])\*(?![\w*])|(?<!\w)_(?=[^\s_])(?<slanted>[^_]*?[^\s_])_(?!\w)|~~(?=\S)(?<gone>(?:`[^`]*`|[^`])+?)(?<=\S)~~|(?<!!)\[(?<label>[^\]]+)\]\((?<url>[^()\s]+)\)/g;

/** Marks inside of words and unclosed ones are text. */
export function inlineSpans(text: string, styles: readonly Style[] = []): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  const plain = (end: number): void => {
    if (end > from) spans.push({ text: text.slice(from, end), styles });
  };
  for (const match of text.matchAll(INLINE)) {
    const { coded, bold, strong, italic, slanted, gone, label, url } = match.groups ?? {};
    plain(match.index);
    from = match.index + match[0].length;
    if (coded !== undefined) spans.push({ text: coded, styles: [...styles, "cyan"] });
    else if (label !== undefined && url !== undefined)
      spans.push(
        { text: label, styles: [...styles, "underline"] },
        ...(label === url ? [] : [{ text: ` (${url})`, styles: [...styles, "dim" as const] }]),
      );
    else {
      const style = (bold ?? strong) === undefined ? (gone === undefined ? "italic" : "dim") : "bold";
      const inner = bold ?? strong ?? italic ?? slanted ?? gone ?? "";
      spans.push(...inlineSpans(inner, [...styles, style]));
    }
  }
  plain(text.length);
  return spans;
}
