/** Points at which a very long word may break. A browser lays out one word of 100,000 marks in 20 s, and pieces of it at once. */
import type { ComponentChildren } from "preact";

/** Longer than a path or an address that people read. */
const MAX_WORD = 1_000;

export function withBreakPoints(text: string): ComponentChildren {
  if (text.length <= MAX_WORD) return text;
  const parts = text.split(LONG_WORD);
  if (parts.length === 1) return text;
  // Such a word breaks anywhere: broken at its points alone, it would look like several lines of the text.
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} class="long-word">
        {wordPieces(part).map((piece, at) => (
          <>
            {at > 0 && <wbr />}
            {piece}
          </>
        ))}
      </span>
    ),
  );
}

const LONG_WORD = new RegExp(`([^\\0- ]{${MAX_WORD + 1},})`);

/** The text in pieces, none of which has a word above the limit. A pair of surrogates stays together. */
export function wordPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  let [start, wordStart] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) wordStart = at + 1;
    else if (at - wordStart >= MAX_WORD && !isLowSurrogate(code)) {
      pieces.push(text.slice(start, at));
      start = at;
      wordStart = at;
    }
  }
  return [...pieces, text.slice(start)];
}

const SPACE = 0x20;

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
