import { createHash } from "node:crypto";
import {
  mkdir,
  readdir,
  readFile as readDisk,
  readlink,
  symlink,
  writeFile as writeDisk,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToolTitle } from "../../call/index.js";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { editFile } from "./edit-file.js";
import { movePath } from "./move-path.js";

type Ws = Awaited<ReturnType<typeof aWorkspace>>["workspace"];

const preview = async (workspace: Ws, input: object) =>
  movePath.preview?.(parsed(movePath, input), workspace);
const intent = async (workspace: Ws, input: object) => movePath.intent?.(parsed(movePath, input), workspace);
const run = async (workspace: Ws, input: object) => resultOf(movePath, input, aContext(workspace).context);

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("moves a file and makes the missing folders", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "abc" });
  const input = { from: "a.ts", to: "src/deep/b.ts" };
  const [from, to] = [`${root}/a.ts`, `${root}/src/deep/b.ts`];
  const content = [{ type: "diff", operation: "move", path: to, oldPath: from }];
  expect(await intent(workspace, input)).toEqual({
    paths: [
      { path: from, access: "move" },
      { path: to, access: "write" },
    ],
    baseHashes: { [from]: sha256("abc") },
  });
  expect(await preview(workspace, input)).toEqual({ content, locations: [{ path: from }] });
  const { context, reported } = aContext(workspace);
  const result = await resultOf(movePath, input, context);
  expect(result).toMatchObject({ output: "Moved a.ts to src/deep/b.ts.", content });
  expect(reported).toEqual([{ locations: [{ path: to }] }]);
  expect(await readdir(root)).toEqual(["src"]);
  expect(await readDisk(to, "utf8")).toBe("abc");
  expect(createToolTitle("move_path", input)).toBe("Move a.ts to src/deep/b.ts");
});

test("moves a folder with its content", async () => {
  const { root, workspace } = await aWorkspace({ "src/deep/a.ts": "abc" });
  const input = { from: "src/", to: "lib/" };
  expect(await preview(workspace, input)).toMatchObject({
    content: [{ operation: "move", path: `${root}/lib`, oldPath: `${root}/src`, fileType: "directory" }],
  });
  expect(await intent(workspace, input)).toMatchObject({
    baseHashes: { [`${root}/src`]: expect.any(String), [`${root}/src/deep/a.ts`]: sha256("abc") },
  });
  await run(workspace, input);
  expect(await readdir(root, { recursive: true })).toEqual(["lib", "lib/deep", "lib/deep/a.ts"]);
});

test("moves a link itself and not its target", async () => {
  const { root, outside, workspace } = await aWorkspace();
  await writeDisk(join(outside, "out.ts"), "out");
  await symlink("../out.ts", join(root, "link"));
  const input = { from: "link", to: "other" };
  expect(await intent(workspace, input)).toEqual({
    paths: [
      { path: `${root}/link`, access: "move" },
      { path: `${root}/other`, access: "write" },
    ],
    baseHashes: { [`${root}/link`]: sha256("../out.ts") },
  });
  expect(await preview(workspace, input)).toMatchObject({ content: [{ fileType: "symlink" }] });
  await run(workspace, input);
  expect(await readlink(join(root, "other"))).toBe("../out.ts");
  expect(await readDisk(join(outside, "out.ts"), "utf8")).toBe("out");
});

test("names both ends by their real paths when a folder is linked", async () => {
  const { root, outside, workspace } = await aWorkspace({ "a.ts": "abc" });
  await symlink("..", join(root, "up"));
  expect(await intent(workspace, { from: "a.ts", to: "up/a.ts" })).toMatchObject({
    paths: [
      { path: `${root}/a.ts`, access: "move" },
      { path: `${outside}/a.ts`, named: `${root}/up/a.ts`, access: "write" },
    ],
  });
});

test("never overwrites a file or a broken link", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "a", "b.ts": "b" });
  await symlink("nowhere", join(root, "broken"));
  for (const to of ["b.ts", "broken", "a.ts"])
    for (const attempt of [preview, run])
      expect(await failureOf(attempt(workspace, { from: "a.ts", to }))).toBe(
        `ToolFailure: move_path: ${to} exists already, and nothing is ever overwritten. Nothing was moved. Choose another name, or delete it first.`,
      );
  expect(await readDisk(join(root, "a.ts"), "utf8")).toBe("a");
  expect(await readDisk(join(root, "b.ts"), "utf8")).toBe("b");
});

test("refuses a move into a folder and names the whole new path", async () => {
  const { root, workspace } = await aWorkspace({ "src/a.ts": "a" });
  await mkdir(join(root, "docs"));
  const failure = (to: string) => failureOf(preview(workspace, { from: "src/a.ts", to }));
  expect(await failure("docs")).toBe(
    "ToolFailure: move_path: docs is a folder already. Nothing was moved. To move it in there, give the whole new path: docs/a.ts.",
  );
  expect(await failure("new/")).toBe(
    "ToolFailure: move_path: new/ names a folder. Nothing was moved. To move it in there, give the whole new path: new/a.ts.",
  );
  expect(await failureOf(run(workspace, { from: "src/a.ts", to: "docs" }))).toBe(await failure("docs"));
  expect(await readdir(root)).toEqual(["docs", "src"]);
});

test("refuses to move a folder into itself, and a workspace folder anywhere", async () => {
  const { root, outside, workspace } = await aWorkspace({ "src/a.ts": "a" });
  expect(await failureOf(preview(workspace, { from: "src", to: "src/deep/src" }))).toBe(
    "ToolFailure: move_path: src/deep/src is inside of src, and a folder cannot be moved into itself. Nothing was moved. Choose a path outside of it.",
  );
  for (const attempt of [intent, preview, run]) {
    expect(await failureOf(attempt(workspace, { from: ".", to: `${outside}/new` }))).toContain(
      ". is the workspace folder itself, which is never moved. Nothing was moved.",
    );
    expect(await failureOf(attempt(workspace, { from: outside, to: `${outside}-new` }))).toContain(
      `contains the workspace folder ${root}`,
    );
  }
});

test("fails to move a missing path", async () => {
  const { workspace } = await aWorkspace();
  expect(await failureOf(preview(workspace, { from: "a.ts", to: "b.ts" }))).toBe(
    "ToolFailure: move_path: a.ts does not exist. Nothing was moved. List its folder to find the right name.",
  );
});

test("discloses nothing about the file in its intent", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "a", "b.ts": "b" });
  for (const [from, to] of [
    ["nowhere", "b.ts"],
    ["a.ts", "b.ts"],
    ["a.ts", "a.ts"],
  ] as const)
    expect(await intent(workspace, { from, to })).toEqual({
      paths: [
        { path: `${root}/${from}`, access: "move" },
        { path: `${root}/${to}`, access: "write" },
      ],
      baseHashes: from === "a.ts" ? { [`${root}/a.ts`]: sha256("a") } : {},
    });
});

test("runs an edit and a move of one file in turn, so that the file never exists twice", async () => {
  for (let time = 0; time < 10; time++) {
    const { root, workspace } = await aWorkspace({ "a.ts": "one" });
    const { context } = aContext(workspace);
    const [edited] = await Promise.allSettled([
      resultOf(editFile, { path: "a.ts", oldText: "one", newText: "two" }, context),
      resultOf(movePath, { from: "a.ts", to: "b.ts" }, context),
    ]);
    expect(await readdir(root)).toEqual(["b.ts"]);
    const text = edited.status === "fulfilled" ? "two" : "one";
    expect(await readDisk(join(root, "b.ts"), "utf8")).toBe(text);
  }
});

test("moves nothing and makes no folder when it was cancelled before it began", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "" });
  const reason = new Error("no longer wanted");
  const { context } = aContext(workspace, AbortSignal.abort(reason));
  await expect(resultOf(movePath, { from: "a.ts", to: "src/a.ts" }, context)).rejects.toBe(reason);
  expect(await readdir(root)).toEqual(["a.ts"]);
});

test("names a protected file in a moved folder, so that it is asked about", async () => {
  const { workspace, root } = await aWorkspace({ "sub/deep/CLAUDE.md": "", "sub/a.ts": "" });
  expect((await intent(workspace, { from: "sub", to: "other" }))?.paths).toEqual([
    { path: `${root}/sub`, access: "move" },
    { path: `${root}/other`, access: "write" },
    { path: `${root}/sub/deep/CLAUDE.md`, access: "move" },
    { path: `${root}/other/deep/CLAUDE.md`, access: "write" },
  ]);
});

test.each([
  ["gh/workflows/ci.yml", "gh", ".github", ".github/workflows"],
  ["c/config.toml", "c", ".cargo", ".cargo/config.toml"],
  ["f/hooks/pre-commit", "f", ".git", ".git/hooks"],
  ["tmp/a/AGENTS.txt", "tmp/a", ".github", undefined],
])("names what %s becomes when %s is moved to %s", async (file, from, to, expected) => {
  const { workspace, root } = await aWorkspace({ [file]: "" });
  const paths = (await intent(workspace, { from, to }))?.paths ?? [];
  // The folder itself decides what protected names below it mean, also while it is empty of them.
  expect(paths).toContainEqual({ path: `${root}/${to}`, access: "move" });
  if (expected !== undefined) expect(paths).toContainEqual({ path: `${root}/${expected}`, access: "write" });
});

test("asks about a folder with more names than it looks at", async () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`big/${index}/AGENTS.md`, ""]));
  const { workspace, root } = await aWorkspace(files);
  const paths = (await intent(workspace, { from: "big", to: "other" }))?.paths ?? [];
  expect(paths).toContainEqual({ path: "/", named: `${root}/big`, access: "search" });
});
