import { expect, test } from "vitest";
import { visiblePieces } from "./visible-pieces.js";

test("cuts out words that are written from right to left and spelled-out characters, in their order", () => {
  expect(visiblePieces("cp א.txt > ⟨U+202E⟩ب٣")).toEqual([
    { text: "cp ", type: "plain" },
    { text: "א", type: "leftward" },
    { text: ".txt > ", type: "plain" },
    { text: "⟨U+202E⟩", type: "spelled" },
    { text: "ب٣", type: "leftward" },
  ]);
});

test("makes one piece of spelled-out characters that follow each other", () => {
  expect(visiblePieces("a⟨U+202E⟩⟨U+202D⟩b")).toEqual([
    { text: "a", type: "plain" },
    { text: "⟨U+202E⟩⟨U+202D⟩", type: "spelled" },
    { text: "b", type: "plain" },
  ]);
});

test("leaves other texts whole", () => {
  expect(visiblePieces("ls 日本 é 🎉 ⟨x⟩")).toEqual([{ text: "ls 日本 é 🎉 ⟨x⟩", type: "plain" }]);
});
