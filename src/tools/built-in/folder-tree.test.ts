import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aWorkspace } from "../tools.samples.js";
import { folderTree, treeSummary } from "./folder-tree.js";

test("counts everything in a folder without following links", async () => {
  const { root, workspace } = await aWorkspace({ "a/one": "1", "a/b/two": "22", c: "" });
  await symlink("..", join(root, "a/up"));
  await symlink("b", join(root, "a/to-b"));
  const tree = await folderTree(workspace, join(root, "a"));
  const paths = tree.entries.map(({ path }) => path.slice(root.length)).toSorted((a, b) => (a < b ? -1 : 1));
  expect(paths).toEqual(["/a/b", "/a/b/two", "/a/one", "/a/to-b", "/a/up"]);
  expect(tree.isWhole).toBe(true);
  expect(treeSummary(tree)).toBe("2 files (3 B), 1 folder and 2 links");
});

test("stops counting at the limit and says so", async () => {
  const { root, workspace } = await aWorkspace({ one: "", two: "", "three/four": "" });
  expect((await folderTree(workspace, root, 4)).isWhole).toBe(true);
  const cut = await folderTree(workspace, root, 3);
  expect(cut.entries).toHaveLength(3);
  expect(treeSummary(cut)).toBe("more than 3 entries");
});

test("names only what exists in a summary", async () => {
  const { root, workspace } = await aWorkspace({ "a/one": "x".repeat(2048), "b/c/d": "" });
  const summary = async (path: string) => treeSummary(await folderTree(workspace, join(root, path)));
  expect(await summary("a")).toBe("1 file (2 kB)");
  expect(await summary("b")).toBe("1 file (0 B) and 1 folder");
});
