/**
 * A line of a command's output as a terminal shows it in the end: a carriage return goes back to the first column, and
 * later characters replace earlier ones, as progress bars do. The codes that programs use with it (to column 1, erase the
 * line) are applied; all others stay, for the caller to escape.
 */
import { textUnits } from "../call/text-units.js";

const ESCAPE = String.raw`\u001B`;
// A line that erases itself at its end stays: nothing took its place.
const STEPS = new RegExp(`\\r|${ESCAPE}\\[1?G|${ESCAPE}\\[[02]?K(?!$)`, "g");

export function overwrittenLine(line: string): string {
  const text = line.replace(/\r+$/, "");
  if (!text.includes("\r") && !text.includes("\u001B")) return text;
  let shown: string[] = [];
  let column = 0;
  let from = 0;
  const put = (piece: string): void => {
    for (const unit of textUnits(piece)) shown[column++] = unit;
  };
  for (const { 0: step, index } of text.matchAll(STEPS)) {
    put(text.slice(from, index));
    from = index + step.length;
    if (step.endsWith("K")) shown = shown.slice(0, step.includes("2") ? 0 : column);
    else column = 0;
  }
  put(text.slice(from));
  return Array.from(shown, (unit) => unit ?? " ").join("");
}
