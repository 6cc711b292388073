import { describe, expect, test } from "vitest";
import { readPatch } from "./read-patch.js";

const hunk = "@@ -1 +1 @@\n-x\n+y\n";
const header = "--- a/src/a.ts\n+++ b/src/a.ts\n";
const whole = (patch: string): boolean => readPatch(patch).isWhole;

describe("reads whole", () => {
  test.each<readonly [string, string]>([
    ["a hunk", header + hunk],
    ["two hunks", `${header}${hunk}@@ -9,2 +9,3 @@ function a() {\n a\n+b\n\n`],
    [
      "a removed line that looks like a header",
      `${header}@@ -1,2 +1 @@\n--- a/AGENTS.md\n-++ b\n+++ b/AGENTS.md\n`,
    ],
    ["two files", `${header}${hunk}--- a/b.ts\n+++ b/b.ts\n${hunk}`],
    [
      "no line break at the end",
      `${header}@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n`,
    ],
    [
      "a new file of git",
      `diff --git a/n b/n\nnew file mode 100644\nindex 000..1f2\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n`,
    ],
    [
      "Codex's format",
      "*** Begin Patch\n*** Update File: a.sql\n@@ select\n--- old\n+++ new\n\n x\n*** End Patch",
    ],
  ])("%s", (_, patch) => {
    expect(whole(patch)).toBe(true);
  });
});

describe("does not read whole", () => {
  const done = header + hunk;
  test.each<readonly [string, string]>([
    ["a header with a blank line in it", `${done}--- a/AGENTS.md\n\n+++ b/AGENTS.md\n${hunk}`],
    ["a lone new name", `${done}+++ b/AGENTS.md\n${hunk}`],
    ["a lone old name", `${done}--- a/AGENTS.md\n${hunk}`],
    ["a line after a finished hunk", `${done} x\n`],
    ["an indented header", `${done} --- a/AGENTS.md\n +++ b/AGENTS.md\n @@ -1 +1 @@\n`],
    ["a hunk that is cut off", `${header}@@ -1,3 +1,3 @@\n-x\n+y\n`],
    ["a hunk without counts", `${header}@@\n-x\n+y\n`],
    ["a combined hunk", `${header}@@@ -1 -1 +1 @@@\n--x\n`],
    ["a hunk with more lines on one side than it counts", `${header}@@ -1,2 +1 @@\n-x\n+y\n+z\n-w\n`],
    ["a link", "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n"],
    ["a link that is changed", `diff --git a/l b/l\nindex 1f..2e 120000\n--- a/l\n+++ b/l\n${hunk}`],
    ["a submodule", "diff --git a/l b/l\nnew file mode 160000\n"],
    ["a separator of Unicode", `${header}@@ -1 +1 @@\n-x\n+y\u2028*** Add File: AGENTS.md\n`],
    ["a next line", `${header}@@ -1 +1 @@\n-x\n+y\u0085--- a/AGENTS.md\n`],
    ["a form feed", `${header}@@ -1 +1 @@\n-x\n+y\fz\n`],
    ["a lone carriage return", `${header}@@ -1 +1 @@\n-x\n+y\rz\n`],
    ["a marker in a hunk", `${header}@@ -1,2 +1,2 @@\n *** Add File: AGENTS.md\n-x\n+y\n`],
    [
      "a hunk for patch in Codex's format",
      `*** Begin Patch\n*** Update File: a\n@@\n--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1 @@\n-x\n+y\n`,
    ],
    [
      "an indented one",
      `*** Update File: a\n@@\n --- a/AGENTS.md\n +++ b/AGENTS.md\n @@ -1 +1 @@\n -x\n +y\n`,
    ],
    ["a nested one", `*** Update File: a\n@@\n- --- a/AGENTS.md\n- +++ b/AGENTS.md\n- @@ -1 +1 @@\n`],
    ["a name with a blank in it", `--- a/x\n+++ b/AGENTS.md 2024-01-01\n${hunk}`],
  ])("%s", (_, patch) => {
    expect(whole(patch)).toBe(false);
  });
});
