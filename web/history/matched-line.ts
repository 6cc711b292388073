/** The line of an excerpt in which the words were found. The title, the tool and the paths of a call are a line each. */
export type ExcerptPiece = { readonly text: string; readonly isMatch: boolean };

/** Undefined when the words are only in the title, which is shown anyway. */
export function matchedLine(
  excerpt: readonly ExcerptPiece[],
  title: string,
): readonly ExcerptPiece[] | undefined {
  const lines: ExcerptPiece[][] = [[]];
  for (const { text, isMatch } of excerpt)
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, isMatch });
    }
  return lines.find(
    (line) => line.some(({ isMatch }) => isMatch) && line.map(({ text }) => text).join("") !== title,
  );
}
