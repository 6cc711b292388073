import type { CommandPart } from "toolgate/serve/client";
import { expect, test } from "vitest";
import { commandPieces, partTexts } from "./command-pieces.js";

const part = (text: string, verdict: CommandPart["verdict"], ...redirects: string[]): CommandPart => ({
  text,
  verdict,
  redirects,
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

test.each([
  ["a  'b'", "a b", "a  'b'"],
  [`echo "it's  so" && ls`, "echo it's  so", `echo "it's  so"`],
  ["printf '%s\\n' x\\ y; ls", "printf %s\\n x y", "printf '%s\\n' x\\ y"],
  ["FOO=1 'ls' -l", "ls -l", "'ls' -l"],
])("underlines a part whatever its quotes: %j", (text, words, asked) => {
  const pieces = commandPieces(text, [part(words, "asks")]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces.flatMap((piece) => (piece.type === "asked" ? [piece.text] : []))).toEqual([asked]);
});

test("shows a command whose parts are not in it as one piece", () => {
  expect(commandPieces("a $b", [part("a c", "asks")])).toEqual([{ text: "a $b", type: "part" }]);
});

test.each([
  ["ls src > list.txt && npm test", ["ls src", "> list.txt"]],
  ["ls src 2>>'list.txt'; npm test", ["ls src", "2>>'list.txt'"]],
  ["ls src <<EOF > list.txt\na > list.txt\nEOF\nnpm test", ["ls src", "> list.txt"]],
  ["ls src > other.txt; npm test > list.txt", ["ls src"]],
])("underlines the redirect of a part that asks, and no other: %j", (text, asked) => {
  const parts = [part("ls src", "asks", "list.txt"), part("npm test", "allowed")];
  const pieces = commandPieces(text, parts);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces.flatMap((piece) => (piece.type === "asked" ? [piece.text] : []))).toEqual(asked);
  expect(partTexts(text, parts)).toEqual([asked.join(" "), "npm test"]);
});
