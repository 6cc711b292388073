/** Output of commands that attacks a terminal, and commands that hide a part of themselves, as the page shows them. */
import { expect, test } from "vitest";
import { commandReading } from "../src/serve/questions/command-reading.js";
import { ansiRuns } from "../web/code/ansi.js";
import { hidingCommands, outputs } from "./page-cases.js";

test.each(outputs)("takes the control out of %s", (_, output) => {
  const shown = ansiRuns(output).map(({ text }) => text);
  expect(shown.join("")).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
});

test.each(hidingCommands)("shows all of %s and counts what is hidden", (_, command) => {
  const nothing = { verdict: { effect: "ask", saw: [] }, parts: [], doubts: [] } as const;
  const { text, characters, hiddenCharacters } = commandReading(command, nothing);
  expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
  expect(characters).toBe(command.length);
  expect(hiddenCharacters).toBe(command.match(/(?![\n\t])[\p{Cc}\p{Cf}]/gu)?.length ?? 0);
  // The padding and what stands behind it are there.
  expect(text).toContain(command.slice(-3));
});
