import { expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";

const judge = (line: string) => judgeArgv(line.split(" "));

test("names where a copy lands when the target is plainly a folder", () => {
  expect(judge("cp a/b.txt out/").editsBelow).toEqual(["out/b.txt"]);
  expect(judge("cp -r src/. .").editsBelow).toEqual(["."]);
  expect(judge("cp evil/.gitattributes .").doubts).not.toEqual([]);
  expect(judge("cp package.json package.json.bak").doubts).toEqual([]);
});

test("doubts a move like a deletion, and names it as a move", () => {
  expect(judge("mv a b")).toMatchObject({ moves: ["a"], writes: ["b"], deletes: [], doubts: [] });
  expect(judge("mv .git x").doubts).not.toEqual([]);
  expect(judge("rename s/a/b/ x")).toMatchObject({ moves: ["x"], writes: ["x"] });
  expect(judge("rename -n s/a/b/ x")).toMatchObject({ moves: [], writes: [] });
});

test("counts the target of a link as written", () => {
  expect(judge("ln a b").writes).toEqual(["b", "a"]);
  expect(judge("ln -s a sub/b").writes).toContain("sub/a");
  expect(judge("cp -l a b").writes).toEqual(["b", "a"]);
  expect(judge("cp a b").writes).toEqual(["b"]);
  for (const line of ["ln .git/config x", "ln -s .git x", "link .npmrc x", "cp -s .git/config x"])
    expect(judge(line).doubts, line).not.toEqual([]);
});

test("deletes and edits below a folder are named", () => {
  expect(judge("find gen -delete").deletesBelow).toEqual(["gen"]);
  expect(judge("rm -r gen").deletesBelow).toEqual(["gen"]);
  expect(judge("chmod -R 755 bin").editsBelow).toEqual(["bin"]);
  expect(judge("patch -p1 -i x.diff").editsBelow).toEqual(["."]);
  expect(judge("patch -p1 -d lib -i x.diff").editsBelow).toEqual(["lib"]);
  expect(judge("patch -p1 --dry-run -i x.diff").editsBelow).toEqual([]);
});

test("does not count as reading what takes code from the folder or asks another machine", () => {
  for (const line of ["exiftool a.jpg", "mediainfo http://x.example/a", "ffprobe a.mp4", "less a", "bat a"])
    expect(judge(line).onlyReads, line).toBe(false);
});
