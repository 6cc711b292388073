/** Captured screens in the docs: compared with what a test sees, or written by `TRANSCRIPTS=write`. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

const PAGES = ["chat.md", "screens.md"].map((name) => new URL(`../docs/${name}`, import.meta.url));

/** The screen from the last line that begins with `from`. Times, ids and folders differ from run to run. */
export function expectScreen(name: string, screen: string, from: string): void {
  const shown = comparable(screen.slice(screen.lastIndexOf(`\n${from}`) + 1));
  const page = PAGES.find((one) => readFileSync(one, "utf8").includes(`<!-- screen: ${name} -->`));
  if (!page) throw new Error(`No page of the docs has a place for the screen "${name}".`);
  // The formatter makes a fence longer than those in the screen.
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\\n(\`{3,})text\\n)([\\s\\S]*?)(\\n\\2\\n)`);
  if (process.env["TRANSCRIPTS"] === "write")
    writeFileSync(
      page,
      readFileSync(page, "utf8").replace(
        block,
        (_, start: string, _fence: string, _old: string, end: string) => start + shown + end,
      ),
    );
  const documented = block.exec(readFileSync(page, "utf8"))?.[3];
  expect(
    documented,
    `the screen "${name}" of ${page.pathname}; refresh it with scripts/transcripts.mjs`,
  ).toBe(shown);
}

const comparable = (text: string): string =>
  text
    .replaceAll(/\/\S*\/project\b/g, "~/project")
    .replaceAll(/\bsession_[\da-f]{8}[\da-f-]*/g, "session_12345678")
    .replaceAll(/\/\S*\/config\/toolgate\b/g, "~/.config/toolgate")
    .replaceAll(/(?<=\babout )[\d,]+(?=\s+tokens)/g, "5,000")
    .replaceAll(/\b\d+ % of \d+k?/g, "3 % of 5k")
    .replaceAll(/\bpid \d+/g, "pid 1234")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-18T09:30:00Z")
    .replaceAll(/\b[\d.]+ (?:ms|s|min)\b(?: \d+ s)?/g, "1 s")
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋")
    .split("\n")
    .map((line) => line.trimEnd().replace(/─{20,}/, "─".repeat(60)))
    .join("\n")
    .trimEnd();
