/** Returns the last lines that a program wrote to stderr: enough to see why it ended, short enough to read. */
import { visibleText } from "../call/index.js";

const MAX_LINES = 8;
const MAX_CHARACTERS = 1_500;

/** Skips blank lines. Returns "" when there are no others. */
export function lastLines(text: string): string {
  const lines = text
    .slice(-20_000)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const shown = lines.slice(-MAX_LINES).map((line) => visibleText(line.trimEnd()));
  return shown.join("\n").slice(-MAX_CHARACTERS);
}
