/** Lines of a command's output that keep their colours, for views that read them. All other terminal codes are escaped. */
import { overwrittenLine } from "./overwritten-line.js";
import { withoutColours } from "./visible-line.js";

const COLOUR = /(\u001B\[[\d;:]*m)/; // oxlint-disable-line no-control-regex -- the codes of a terminal
/** `ESC[m` and `ESC[0m` end all colours before them. */
const RESET = /^\u001B\[0*m$/; // oxlint-disable-line no-control-regex -- the codes of a terminal
/** A longer line loses its colours with its middle. */
const MAX_LENGTH = 500;
const MAX_CARRIED = 16;

/** Returns the lines from `from` on, in the colours that the lines before have set. `lines`: with their codes. */
export function colouredLines(
  lines: readonly string[],
  from: number,
  shown: (line: string) => string,
): readonly string[] {
  const carried = carriedColours(lines.slice(0, from));
  return lines.slice(from).map((line, index) => (index === 0 ? carried : "") + coloured(line, shown));
}

function coloured(line: string, shown: (line: string) => string): string {
  const plain = withoutColours(line);
  const overwritten = overwrittenLine(plain);
  // Codes have no column, so a line that was written over is plain.
  if (overwritten !== plain || line.length > MAX_LENGTH) return shown(overwritten) + colours(line).join("");
  return line
    .split(COLOUR)
    .map((piece, index) => (index % 2 === 1 ? piece : shown(piece)))
    .join("");
}

const colours = (text: string): readonly string[] => text.split(COLOUR).filter((_, index) => index % 2 === 1);

function carriedColours(lines: readonly string[]): string {
  const all = lines.flatMap(colours);
  const reset = all.findLastIndex((code) => RESET.test(code));
  return all
    .slice(reset + 1)
    .slice(-MAX_CARRIED)
    .join("");
}
