/** The last lines that an agent wrote to stderr: enough to see why it died, little enough to be read. */
import { visibleText } from "../call/index.js";

const MOST_LINES = 8;
const MOST_CHARACTERS = 1_500;

/** Blank lines do not count. Empty when there was nothing. */
export function lastLines(text: string): string {
  const lines = text
    .slice(-20_000)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const shown = lines.slice(-MOST_LINES).map((line) => visibleText(line.trimEnd()));
  return shown.join("\n").slice(-MOST_CHARACTERS);
}
