/** Output of commands that attacks a terminal, as the page shows it. */
import { expect, test } from "vitest";
import { ansiRuns } from "../web/code/ansi.js";
import cases from "./fixtures/adversarial/page.json" with { type: "json" };

/** The cases write controls as escapes. */
const unescaped = (written: string): string =>
  written
    .replaceAll(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\\r", "\r")
    .replaceAll("\\\\", "\\");

const outputs = cases.flatMap(({ id, input }) =>
  "stdout" in input ? [[id, unescaped(input.stdout)] as const] : [],
);

test.each(outputs)("takes the control out of %s", (_, output) => {
  const shown = ansiRuns(output).map(({ text }) => text);
  expect(shown.join("")).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
});
