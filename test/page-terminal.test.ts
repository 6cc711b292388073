/** Output of commands that attacks a terminal, and commands that hide a part of themselves, as the page shows them. */
import { expect, test } from "vitest";
import { commandReading } from "../src/serve/questions/command-reading.js";
import { ansiRuns } from "../web/code/ansi-runs.js";
import { hidingCommands, outputs } from "./page-cases.js";

test.each(outputs)("takes the control out of %s", (_, output) => {
  const shown = ansiRuns(output).map(({ text }) => text);
  expect(shown.join("")).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
});

test.each(hidingCommands)("shows all of %s and counts what is hidden", (_, command) => {
  const nothing = { verdict: { effect: "ask", saw: [] }, parts: [], doubts: [] } as const;
  const { text, characters, hiddenCharacters } = commandReading({ text: command }, nothing);
  expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
  expect(characters).toBe(command.length);
  expect(hiddenCharacters).toBe(command.match(/(?![\n\t])[\p{Cc}\p{Cf}]/gu)?.length ?? 0);
  // The padding and what stands behind it are there.
  expect(text).toContain(command.slice(-3));
});

/** Parts as the rules explain them. */
const allowed = {
  words: [],
  rules: ["allow read"],
  needsNoRule: false,
  effects: [],
  redirects: [],
  doubts: [],
} as const;
const asking = { ...allowed, rules: [] } as const;

test("marks and counts a carriage return, which is a letter of a word to a shell", () => {
  const { text, hiddenCharacters } = commandReading({ text: "touch x #\rls \\r" }, undefined);
  expect({ text, hiddenCharacters }).toEqual({ text: "touch x #⟨U+000D⟩ls \\r", hiddenCharacters: 1 });
});

test("lists the parts that ask first where a command has too many, and shows all of it in any case", () => {
  const parts = [...Array.from({ length: 300 }, () => allowed), asking];
  const { parts: listed, leftOut } = commandReading(
    { text: "ls" },
    { verdict: { effect: "ask", saw: [] }, parts, doubts: [] },
  );
  expect(listed).toHaveLength(200);
  expect(listed.at(-1)?.verdict).toBe("asks");
  expect(leftOut).toEqual({ parts: 101, asking: 0 });
  expect(commandReading({ text: "ls\n".repeat(9) }, undefined)).toMatchObject({
    text: "ls\n".repeat(9),
    parts: [],
    isTooLong: true,
  });
});
