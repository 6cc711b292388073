/**
 * Markdown as blocks. A text that grows is not lexed from its start: only the last blocks can still change, so the others
 * stay the same objects and are not rendered again.
 */
import type { Token } from "marked";
import { BoundedLexer } from "./bounded-lexer.js";

export type MarkdownBlock = { readonly raw: string; readonly token: Token };
export type MarkdownBlocks = { readonly text: string; readonly blocks: readonly MarkdownBlock[] };

export const NO_BLOCKS: MarkdownBlocks = { text: "", blocks: [] };

/** The last block, the blank lines around it and the one before: a list, a table or a heading may still take new lines. */
const OPEN_BLOCKS = 3;

export function growBlocks(before: MarkdownBlocks, text: string): MarkdownBlocks {
  if (text === before.text) return before;
  const isGrown = before.blocks.length > OPEN_BLOCKS && text.startsWith(before.text);
  const kept = isGrown ? before.blocks.slice(0, -OPEN_BLOCKS) : [];
  const from = kept.reduce((length, { raw }) => length + raw.length, 0);
  const blocks = new BoundedLexer({ gfm: true })
    .lex(text.slice(from))
    .map((token) => ({ raw: token.raw, token }));
  return { text, blocks: [...kept, ...blocks] };
}
