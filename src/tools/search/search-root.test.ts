import { rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aWorkspace, failureOf } from "../tools.samples.js";
import { ToolFailure } from "../tool.js";
import { searchRoot } from "./search-root.js";

test("searches a folder itself, and a file from its folder", async () => {
  const { root, workspace } = await aWorkspace({ "src/a.txt": "" });
  expect(await searchRoot("grep", "src", workspace)).toEqual({ folder: `${root}/src` });
  expect(await searchRoot("grep", "src/a.txt", workspace)).toEqual({
    folder: `${root}/src`,
    file: "./a.txt",
  });
});

test("searches nothing where the call may not read", async () => {
  const { root, outside, workspace } = await aWorkspace({ "src/a.txt": "" });
  await writeFile(join(outside, "a.txt"), "secret");
  const refuse = (path: string) => Promise.reject(new ToolFailure(`${path} was not allowed`));
  const held = Object.assign(Object.create(workspace) as typeof workspace, {
    list: refuse,
    readBytes: refuse,
  });
  await rename(join(root, "src"), join(root, "old"));
  await symlink(outside, join(root, "src"));
  for (const [path, real] of [
    ["src", outside],
    ["src/a.txt", `${outside}/a.txt`],
    ["src/nowhere", `${outside}/nowhere`],
  ] as const)
    expect(await failureOf(searchRoot("grep", path, held))).toBe(`ToolFailure: ${real} was not allowed`);
});

test("searches only folders and files", async () => {
  const { workspace } = await aWorkspace();
  expect(await failureOf(searchRoot("grep", "/dev/null", workspace))).toContain(
    "/dev/null is a device, pipe or socket, not a file",
  );
  expect(await failureOf(searchRoot("grep", "nowhere", workspace))).toBe(
    "ToolFailure: grep: nowhere does not exist. Nothing was searched. Give the path of a folder or a file that exists.",
  );
});
