/** Texts that are alike, with marks on the words that differ. */
import { wordMarks, type MarkedPiece } from "../code/word-marks.js";

/** Each text is compared with another one; the first with the second. */
export function markedSubjects(texts: readonly string[]): readonly (readonly MarkedPiece[])[] {
  return texts.map((text, index) => wordMarks(texts[index === 0 ? 1 : 0] ?? text, text).after);
}
