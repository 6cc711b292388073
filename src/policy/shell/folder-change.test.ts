import { expect, test } from "vitest";
import { readShell } from "./read-shell.js";

test.each(["-P", "-eP", "-PP", "-LP", "-Pe", "-PL", "-P@", "-e -P", "--physical"])(
  "doubts where cd %s leads, since it follows links",
  (flags) => {
    const texts = [
      `cd ${flags} l/.. && ls`,
      `cd ${flags} l && cd .. && ls`,
      `command cd ${flags} l/.. && ls`,
    ];
    expect(texts.filter((text) => readShell(text, { language: "bash" }).doubts.length === 0)).toEqual([]);
  },
);

test.each(["cd -L src && ls", "cd -- src && ls", "cd src/.. && ls", "cd -L src/.. && ls"])(
  "%j is plain",
  (text) => {
    expect(readShell(text).doubts).toEqual([]);
  },
);
