import { expect, test } from "vitest";
import { boundedProblems } from "./bounded-problems.js";

test("a problem is one line that names its server, and hides nothing", () => {
  const told: string[] = [];
  boundedProblems("files", (text) => told.push(text))("it wrote\n\u001b[2J");
  expect(told).toEqual([`MCP server "files": it wrote\\n⟨U+001B⟩[2J`]);
});

test("a server that never stops complaining is not heard to the end", () => {
  const told: string[] = [];
  const tell = boundedProblems("files", (text) => told.push(text));
  for (let count = 0; count < 1000; count += 1) tell("x".repeat(10_000));
  expect(told).toHaveLength(20);
  expect(told.at(-1)).toContain("(More of this minute is not told.)");
  expect(told.every((text) => text.length < 700)).toBe(true);
});
