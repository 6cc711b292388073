import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { listDirectory } from "./list-directory.js";

type Listed = Awaited<ReturnType<typeof aWorkspace>>["workspace"];

const list = async (workspace: Listed, input: object = {}) =>
  (await resultOf(listDirectory, input, aContext(workspace).context)).output;

test("folders come first, then files with their size and links with their target, hidden ones too", async () => {
  const { root, workspace } = await aWorkspace({
    "b.ts": "x".repeat(1536),
    ".env": "",
    "src/a.ts": "",
    ".git/config": "",
    "a.png": new Uint8Array(20),
  });
  await symlink("src", join(root, "link"));
  await symlink("/nowhere/at\nall", join(root, "broken"));
  expect(await list(workspace)).toBe(
    [
      ".git/",
      "src/",
      ".env (0 B)",
      "a.png (20 B)",
      "b.ts (1.5 kB)",
      "broken -> /nowhere/at\\nall",
      "link -> src",
    ].join("\n"),
  );
  expect(await list(workspace, { path: "src" })).toBe("a.ts (0 B)");
  expect(await list(workspace, { path: "link" })).toBe("a.ts (0 B)");
});

test("prints each name as one visible entry", async () => {
  const { workspace } = await aWorkspace({ "a\nb": "x", "c\u202Ed": "", "e\r/f": "" });
  expect(await list(workspace)).toBe("e\\r/\na\\nb (1 B)\nc⟨U+202E⟩d (0 B)");
});

test("returns a long list in parts, each with the way to the next", async () => {
  const names = Array.from({ length: 1003 }, (_, index) => `f${String(index).padStart(4, "0")}`);
  const { root, workspace } = await aWorkspace(Object.fromEntries(names.map((name) => [name, ""])));
  await mkdir(join(root, "zoo"));
  const lines = String(await list(workspace)).split("\n");
  expect(lines).toHaveLength(1001);
  expect([lines[0], lines[1], lines[999]]).toEqual(["zoo/", "f0000 (0 B)", "f0998 (0 B)"]);
  expect(lines[1000]).toBe("[Entries 1-1000 of 1004. Use start=1001 to continue.]");
  expect(await list(workspace, { start: 1001 })).toBe(
    "f0999 (0 B)\nf1000 (0 B)\nf1001 (0 B)\nf1002 (0 B)\n[Entries 1001-1004 of 1004.]",
  );
  expect(await failureOf(list(workspace, { start: 1005 }))).toBe(
    "ToolFailure: list_directory: . has 1004 entries, so there is no entry 1005. Nothing was listed. Use a start from 1 to 1004.",
  );
});

test('writes "1 entry" for a folder with one entry', async () => {
  const { workspace } = await aWorkspace({ "a.ts": "" });
  expect(await failureOf(list(workspace, { start: 2 }))).toContain(". has 1 entry, so there is no entry 2.");
});

test("distinguishes an empty folder from one that could not be listed", async () => {
  const { workspace } = await aWorkspace({ "a.ts": "" });
  const { workspace: empty } = await aWorkspace();
  expect(await list(empty)).toBe("[The folder is empty.]");
  expect(await failureOf(list(workspace, { path: "src" }))).toBe(
    "ToolFailure: list_directory: src does not exist. Nothing was listed. List the folder above it to find the right name.",
  );
  expect(await failureOf(list(workspace, { path: "a.ts" }))).toBe(
    "ToolFailure: list_directory: a.ts is a file, not a folder. Nothing was listed. Use read_file to read it.",
  );
});

test("lists the workspace folder when no path is given, also in the title", async () => {
  const { root, workspace } = await aWorkspace();
  const input = parsed(listDirectory, {});
  expect(listDirectory.title?.(input)).toBe("List .");
  expect(listDirectory.title?.(parsed(listDirectory, { path: "src" }))).toBe("List src");
  expect(await listDirectory.intent?.(input, workspace)).toMatchObject({
    paths: [{ path: root, access: "read" }],
  });
  expect(await listDirectory.preview?.(input, workspace)).toEqual({ locations: [{ path: root }] });
});

test("names paths outside the workspace by their real place", async () => {
  const { root, outside, workspace } = await aWorkspace();
  await symlink("..", join(root, "up"));
  expect(await listDirectory.intent?.(parsed(listDirectory, { path: "up" }), workspace)).toEqual({
    paths: [{ path: outside, named: `${root}/up`, access: "read" }],
  });
  expect(await list(workspace, { path: "up" })).toBe("ws/");
});

test("refuses an invalid input", () => {
  for (const input of [{ path: "" }, { start: 0 }, { start: 1.5 }, { path: 7 }])
    expect(listDirectory.parse(input)).toMatchObject({ ok: false });
});
