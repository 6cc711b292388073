import { expect, test } from "vitest";
import { widthsText } from "./widths-text.js";

const rule = { allow: "execute", command: "sh check.sh *" };
const width = {
  effect: "allow",
  width: "parts",
  rules: [rule],
  sentence: "",
  examples: ["sh check.sh -v"],
} as const;

test("shows each act of a width on a line of its own, then the exact rule", () => {
  const lines = [
    { text: "`sh check.sh`", note: "while the file is as it is now" },
    { text: "editing below a\u202Eb" },
  ];
  expect(widthsText([{ ...width, subject: "all in one", lines }], 80).split("\n")).toEqual([
    "  1  `sh check.sh` (while the file is as it is now)",
    "  +  editing below a⟨U+202E⟩b",
    '     rule: {"allow":"execute","command":"sh check.sh *"}',
    "     also lets through: sh check.sh -v",
  ]);
});

test("shows the width of a question of an older version in one line", () => {
  expect(widthsText([{ ...width, subject: "all in one" }], 80)).toContain("  1  all in one\n");
});
