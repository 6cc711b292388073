import { expect, test } from "vitest";
import { overwrittenLine } from "./overwritten-line.js";

test.each([
  ["progress 10%\rprogress 20%\rprogress 100%", "progress 100%"],
  ["abc\rx", "xbc"],
  ["100%\r5%", "5%0%"],
  ["done\r", "done"],
  ["a long line\r\u001B[Kshort", "short"],
  ["a long line\u001B[2K\u001B[1Gshort", "short"],
  ["stays\u001B[2K", "stays\u001B[2K"],
  ["⚠️ 1\r⚠️ 2", "⚠️ 2"],
  ["plain", "plain"],
  ["\u001B[31mred", "\u001B[31mred"],
])("shows %j as %j", (line, shown) => {
  expect(overwrittenLine(line)).toBe(shown);
});
