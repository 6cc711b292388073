import type { DiffRow } from "toolgate/view";
import { expect, test } from "vitest";
import { colouredPieces, languageOf, linesByNumber, sideText } from "./diff-colours.js";

const ROWS: readonly DiffRow[] = [
  { type: "same", text: "let a;", oldLine: 1, newLine: 1 },
  { type: "note", text: "… 3 unchanged lines left out …" },
  { type: "removed", text: "a = 1;", oldLine: 5 },
  { type: "added", text: "a = 2;", newLine: 5 },
];

test("takes each side apart, and gives its lines back by their numbers", () => {
  expect(sideText(ROWS, "old")).toBe("let a;\n\na = 1;");
  expect(sideText(ROWS, "new")).toBe("let a;\n\na = 2;");
  const coloured = ["let a;", "", "a = 2;"].map((text) => [{ text, className: "k" }]);
  expect(linesByNumber(ROWS, "new", coloured).get(5)).toEqual([{ text: "a = 2;", className: "k" }]);
});

test("cuts pieces where the colour changes, and leaves marks and other texts alone", () => {
  const pieces = [
    { text: "return ", isMarked: false },
    { text: "floor", isMarked: true },
    { text: "(1)", isMarked: false },
  ];
  const line = [
    { text: "return", className: "k-k" },
    { text: " ", className: "" },
    { text: "floor", className: "k-f" },
    { text: "(", className: "" },
    { text: "1", className: "k-n" },
    { text: ")", className: "" },
  ];
  const made = colouredPieces(pieces, line);
  expect(made.map(({ text }) => text).join("")).toBe("return floor(1)");
  expect(made.filter(({ className }) => className !== "").map(({ text }) => text)).toEqual(["return", "1"]);
  expect(made.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual(["floor"]);
  expect(
    colouredPieces(pieces, [{ text: "other", className: "k-k" }]).map(({ className }) => className),
  ).toEqual(["", "", ""]);
});

test("reads the language from the name of the file", () => {
  expect(languageOf("edit src/total.js")).toBe("js");
  expect(languageOf("create Makefile")).toBe("");
});
