import type { CommandPart } from "toolgate/serve/client";
import { expect, test } from "vitest";
import { commandPieces } from "./command-pieces.js";

const part = (text: string, verdict: CommandPart["verdict"]): CommandPart => ({
  text,
  verdict,
  effects: [],
  rules: [],
  needsNoRule: false,
  doubts: [],
  words: [],
});

test("underlines the parts that ask and keeps the whole command", () => {
  const text = "cd a && npm test > out && npm test";
  const pieces = commandPieces(text, [
    part("cd a", "allowed"),
    part("npm test", "asks"),
    part("npm test", "allowed"),
  ]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces.map(({ type }) => type)).toEqual(["part", "between", "asked", "between", "part"]);
});

test("shows a command whose parts are written otherwise as one piece", () => {
  expect(commandPieces("a  'b'", [part("a b", "asks")])).toEqual([{ text: "a  'b'", type: "part" }]);
});
