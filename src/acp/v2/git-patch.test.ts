import { applyPatch } from "diff";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffContent } from "../../call/index.js";
import { gitPatch } from "./git-patch.js";

const lines = (prefix: string) => Array.from({ length: 5000 }, (_, index) => `${prefix}${index}\n`).join("");

test("a changed file as git would write it", () => {
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

test("a new, a deleted and a renamed file say so", () => {
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

test("a binary file has no patch, and neither have texts that are too far apart to compare quickly", () => {
  expect(gitPatch({ type: "diff", operation: "modify", path: "/a.png", fileType: "binary" })).toBeUndefined();
  expect(gitPatch(diffContent("/a", lines("a"), lines("b")))).toBeUndefined();
});

test("the patch of any two texts, applied to the first, gives the second", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "", "\\ x", "--- y")).map((parts) => parts.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patch = gitPatch(diffContent("/f", before, after));
      expect(applyPatch(before, patch ?? "")).toBe(after);
    }),
    { numRuns: 500 },
  );
});
