import { expect, test } from "vitest";
import { coloured } from "./colour.js";

const CODES = new RegExp(String.raw`\u001b\[[\d;]*m`, "g");

const shown = (text: string): string =>
  coloured(text).replaceAll("\u001b[7m", "«").replaceAll("\u001b[27m", "»").replaceAll(CODES, "");

test("marks the words that differ between a removed and an added line", () => {
  expect(shown("    │ - const total = price;\n    │ + const total = price * count;")).toBe(
    "    │ - const total = price;\n    │ + const total = price« * count»;",
  );
  expect(
    shown("    │ - let a = one();\n    │ - let b = two();\n    │ + let a = won();\n    │ + let b = two();"),
  ).toBe(
    "    │ - let a = «one»();\n    │ - let b = two();\n    │ + let a = «won»();\n    │ + let b = two();",
  );
});

test("marks nothing where lines have no partner or little in common", () => {
  expect(shown("    │ - alpha\n    │ + beta")).toBe("    │ - alpha\n    │ + beta");
  expect(shown("    │ - one two three\n    │ + one two four\n    │ + five")).not.toContain("«");
});
