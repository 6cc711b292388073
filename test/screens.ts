/** Captured screens in docs/chat.md: compared with what a test sees, or written by `TRANSCRIPTS=write`. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

const page = new URL("../docs/chat.md", import.meta.url);

/** The screen from the last line that begins with `from`. Times, ids and folders differ from run to run. */
export function expectScreen(name: string, screen: string, from: string): void {
  const shown = comparable(screen.slice(screen.lastIndexOf(`\n${from}`) + 1));
  const text = readFileSync(page, "utf8");
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\\n\`\`\`text\\n)[\\s\\S]*?(\\n\`\`\`)`);
  if (process.env["TRANSCRIPTS"] === "write")
    writeFileSync(
      page,
      text.replace(block, (_, start: string, end: string) => start + shown + end),
    );
  const documented = new RegExp(block.source.replace("[\\s\\S]*?", "([\\s\\S]*?)")).exec(
    readFileSync(page, "utf8"),
  )?.[2];
  expect(documented, `the screen "${name}" of docs/chat.md; refresh it with scripts/transcripts.mjs`).toBe(
    shown,
  );
}

const comparable = (text: string): string =>
  text
    .replaceAll(/\/\S*\/project\b/g, "~/project")
    .replaceAll(/\b[\d.]+ (?:ms|s|min)\b(?: \d+ s)?/g, "1 s")
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋")
    .split("\n")
    .map((line) => line.trimEnd().replace(/─{20,}/, "─".repeat(60)))
    .join("\n")
    .trimEnd();
