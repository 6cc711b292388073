/**
 * The width of "always" that a person most likely wants: the narrowest that the agent will need again. The very words of
 * a command hardly recur, so its class is taken; a file is edited again and again, so the file is taken.
 */
import type { OfferedWidth, Question } from "./question.js";

/** Widths that cover far more than the call, and the very call. */
const WIDE: ReadonlySet<string> = new Set(["family", "edits"]);
const EXACT = "exact";

export function usualWidth(question: Pick<Question, "widths">): OfferedWidth | undefined {
  const allowing = allowingWidths(question);
  const fitting = allowing.findLast(({ width }) => !WIDE.has(width) && width !== EXACT);
  return fitting ?? allowing.find(({ width }) => width === EXACT) ?? allowing.at(-1);
}

/** All widths of "always", the usual one first, then the others from the widest to the narrowest. */
export function widthsUsualFirst(question: Pick<Question, "widths">): readonly OfferedWidth[] {
  const usual = usualWidth(question);
  return usual ? [usual, ...allowingWidths(question).filter((one) => one !== usual)] : [];
}

const allowingWidths = ({ widths = [] }: Pick<Question, "widths">): readonly OfferedWidth[] =>
  widths.filter(({ effect }) => effect === "allow");
