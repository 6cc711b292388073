import { expect, test } from "vitest";
import { boundedProblems } from "./bounded-problems.js";

test("writes a problem as one visible line that names its server", () => {
  const lines: string[] = [];
  boundedProblems("files", (text) => lines.push(text))("it wrote\n\u001b[2J");
  expect(lines).toEqual([`MCP server "files": it wrote\\n⟨U+001B⟩[2J`]);
});

test("stops reporting a server that never stops complaining", () => {
  const lines: string[] = [];
  const report = boundedProblems("files", (text) => lines.push(text));
  for (let count = 0; count < 1000; count += 1) report("x".repeat(10_000));
  expect(lines).toHaveLength(20);
  expect(lines.at(-1)).toContain("(More problems in this minute are not reported.)");
  expect(lines.every((text) => text.length < 700)).toBe(true);
});
