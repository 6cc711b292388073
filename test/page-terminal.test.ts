/** Output of commands that attacks a terminal, and commands that hide a part of themselves, as the page shows them. */
import { expect, test } from "vitest";
import { commandReading } from "../src/serve/questions/command-reading.js";
import { ansiRuns } from "../web/code/ansi.js";
import cases from "./fixtures/adversarial/page.json" with { type: "json" };

/** The cases write controls as escapes. */
const unescaped = (written: string): string =>
  written
    .replaceAll(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\\r", "\r")
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t")
    .replaceAll("\\\\", "\\");

const outputs = cases.flatMap(({ id, input }) =>
  "stdout" in input ? [[id, unescaped(input.stdout)] as const] : [],
);

test.each(outputs)("takes the control out of %s", (_, output) => {
  const shown = ansiRuns(output).map(({ text }) => text);
  expect(shown.join("")).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
});

const commands = cases.flatMap(({ id, input }) =>
  "command" in input ? [[id, unescaped(input.command)] as const] : [],
);

test.each(commands)("shows all of %s and counts what is hidden", (_, command) => {
  const nothing = { verdict: { effect: "ask", saw: [] }, parts: [], doubts: [] } as const;
  const { text, characters, hiddenCharacters } = commandReading(command, nothing);
  expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
  expect(characters).toBe(command.length);
  expect(hiddenCharacters).toBe(command.match(/(?![\n\t])[\p{Cc}\p{Cf}]/gu)?.length ?? 0);
  // The padding and what stands behind it are there.
  expect(text).toContain(command.slice(-3));
});
