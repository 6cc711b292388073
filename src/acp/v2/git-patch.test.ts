import { applyPatch, createTwoFilesPatch } from "diff";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffContent, fileDiff } from "../../call/index.js";
import { gitPatch } from "./git-patch.js";

const lines = (prefix: string) => Array.from({ length: 5000 }, (_, index) => `${prefix}${index}\n`).join("");

const hunksIn = (patch: string) => patch.slice(patch.indexOf("@@"));

test("writes a changed file as git does", () => {
  expect(gitPatch(diffContent("/home/u/a.txt", "one\ntwo\n", "one\n2\n"))).toBe(
    [
      "diff --git a/home/u/a.txt b/home/u/a.txt",
      "--- a/home/u/a.txt",
      "+++ b/home/u/a.txt",
      "@@ -1,2 +1,2 @@",
      " one",
      "-two",
      "+2",
      "",
    ].join("\n"),
  );
});

test("marks a new, a deleted and a renamed file", () => {
  expect(gitPatch(diffContent("/a", undefined, "x\n"))).toContain(
    "new file mode 100644\n--- /dev/null\n+++ b/a\n",
  );
  expect(gitPatch(diffContent("/a", "x\n", undefined))).toContain(
    "deleted file mode 100644\n--- a/a\n+++ /dev/null\n",
  );
  const moved = {
    type: "diff",
    operation: "move",
    path: "/b",
    oldPath: "/a",
    oldText: "x\n",
    newText: "x\n",
  } as const;
  expect(gitPatch(moved)).toBe("diff --git a/a b/b\nrename from a\nrename to b\n");
});

test("places that are far apart have a hunk each, with three lines around them; near ones share theirs", () => {
  const old = Array.from({ length: 30 }, (_, index) => `${index + 1}`);
  const now = old.flatMap((line) => {
    if (line === "20") return [];
    return line === "3" || line === "10" ? [line, "new"] : [line];
  });
  const patch = gitPatch(diffContent("/f", old.join("\n"), now.join("\n"))) ?? "";
  expect(patch.split("\n").filter((line) => /^[@+-]/.test(line))).toEqual([
    "--- a/f",
    "+++ b/f",
    "@@ -1,6 +1,7 @@",
    "+new",
    "@@ -8,6 +9,7 @@",
    "+new",
    "@@ -17,7 +19,6 @@",
    "-20",
  ]);
  const near = gitPatch(diffContent("/f", old.join("\n"), now.filter((line) => line !== "7").join("\n")));
  expect(near).toContain("@@ -1,13 +1,14 @@");
});

test("writes git's note after a last line without a line end", () => {
  expect(gitPatch(diffContent("/f", "a\nb", "a\nb\n"))).toContain(
    "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
  );
  expect(gitPatch(diffContent("/f", "a\nb", "A\nb"))).toContain(
    "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n",
  );
});

test("quotes a path as git does, so that it cannot add a line to the patch", () => {
  const path = '/a\n+++ b/"x"\\\u0007é.txt';
  expect(
    gitPatch(diffContent(path, "x\n", "y\n"))
      ?.split("\n")
      .slice(0, 3),
  ).toEqual([
    String.raw`diff --git "a/a\n+++ b/\"x\"\\\007é.txt" "b/a\n+++ b/\"x\"\\\007é.txt"`,
    String.raw`--- "a/a\n+++ b/\"x\"\\\007é.txt"`,
    String.raw`+++ "b/a\n+++ b/\"x\"\\\007é.txt"`,
  ]);
});

test("makes no patch for a binary file or a change of many megabytes", () => {
  expect(gitPatch({ type: "diff", operation: "modify", path: "/a.png", fileType: "binary" })).toBeUndefined();
  expect(gitPatch(diffContent("/a", "", "é".repeat(3 * 1024 * 1024)))).toBeUndefined();
});

test("makes a patch for a large file that was rewritten", () => {
  const [before, after] = [lines("a"), lines("b")];
  expect(applyPatch(before, gitPatch(diffContent("/a", before, after)) ?? "")).toBe(after);
});

test("writes the same lines and numbers as jsdiff", () => {
  const before = lines("a");
  const after = before
    .replace("a7\n", "")
    .replace("a500\n", "x\ny\n")
    .replace("a507\n", "")
    .replace("a900\n", "")
    .replace("a908\n", "")
    .replace("a4999\n", "a4999");
  const theirs = createTwoFilesPatch("a/f", "b/f", before, after, undefined, undefined, { context: 3 });
  expect(hunksIn(gitPatch(diffContent("/f", before, after)) ?? "")).toBe(hunksIn(theirs));
});

test("turns the first text into the second when its patch is applied", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "", "\\ x", "--- y")).map((parts) => parts.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patch = gitPatch(diffContent("/f", before, after));
      expect(applyPatch(before, patch ?? "")).toBe(after);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 60) },
  );
});

test("makes the same patch from a large file's hunks as from its texts", () => {
  const before = lines("a").repeat(4);
  const after = before
    .replace("a7\n", "")
    .replace("a500\n", "x\ny\n")
    .replace(/a4999\n$/, "z");
  const diff = fileDiff("/f", before, after);
  expect(diff.hunks).toHaveLength(3);
  expect(gitPatch(diff)).toBe(gitPatch(diffContent("/f", before, after)));
  const [hunk] = diff.hunks ?? [];
  expect(gitPatch({ ...diff, hunks: hunk ? [{ ...hunk, column: 9 }] : [] })).toBeUndefined();
});
