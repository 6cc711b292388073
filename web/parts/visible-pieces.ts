/** A text in pieces: plain, a run of spelled-out invisible characters, or a word that is written from right to left. */

export type VisiblePiece = { readonly text: string; readonly type: "plain" | "spelled" | "leftward" };

/** The blocks of scripts that run from right to left, with their marks and digits. */
const LEFTWARD = "\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}";
const HAS_SPECIAL = new RegExp(`⟨U\\+|[${LEFTWARD}]`, "u");
const SPECIAL = new RegExp(`((?:⟨U\\+[0-9A-F]{4,6}⟩)+)|([${LEFTWARD}]+)`, "u");

/**
 * The words stand in the order in which they are written: a browser would otherwise turn the order of all that stands
 * between two such words, so that `a > b` reads `b < a`.
 */
export function visiblePieces(shown: string): readonly VisiblePiece[] {
  if (!HAS_SPECIAL.test(shown)) return [{ text: shown, type: "plain" }];
  return shown.split(SPECIAL).flatMap((text, index): VisiblePiece[] => {
    if (text === undefined || text === "") return [];
    return [{ text, type: index % 3 === 1 ? "spelled" : index % 3 === 2 ? "leftward" : "plain" }];
  });
}
