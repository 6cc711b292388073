/**
 * The lexer of Markdown with a limit on nesting. A thousand quotes inside each other would exhaust the stack of the view, and
 * a thousand lists would take the lexer 20 s. Below the limit the source is one text.
 */
import { Lexer, type Token, type TokensList } from "marked";

const MAX_DEPTH = 16;

export class BoundedLexer extends Lexer {
  #blockDepth = 0;
  #inlineDepth = 0;

  override blockTokens(source: string, tokens?: Token[], isLastClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isLastClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], isLastClipped = false): Token[] {
    if (this.#blockDepth >= MAX_DEPTH) return withText(tokens, source);
    this.#blockDepth += 1;
    try {
      return super.blockTokens(source, tokens, isLastClipped);
    } finally {
      this.#blockDepth -= 1;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= MAX_DEPTH) return withText(tokens, source);
    this.#inlineDepth += 1;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#inlineDepth -= 1;
    }
  }
}

function withText(tokens: Token[], source: string): Token[] {
  tokens.push({ type: "text", raw: source, text: source, escaped: false });
  return tokens;
}
