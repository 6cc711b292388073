/** How a program ended, and the end of what it wrote to stderr, for people and models to read. */
import { visibleText } from "../call/index.js";

const MAX_LINES = 5;
const MAX_CHARACTERS = 1000;

export function lastWords(exit: string, stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(-MAX_LINES).map((line) => visibleText(line.trimEnd()));
  const text = shown.join("\n").slice(-MAX_CHARACTERS);
  if (text === "") return exit;
  return `${exit === "" ? "it" : `${exit} and`} last wrote to stderr:\n${text}`;
}
