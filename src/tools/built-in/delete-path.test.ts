import { createHash } from "node:crypto";
import { mkdir, readdir, readFile as readDisk, rm, symlink, writeFile as writeDisk } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ToolFailure } from "../tool.js";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { deletePath } from "./delete-path.js";

type Ws = Awaited<ReturnType<typeof aWorkspace>>["workspace"];

const preview = async (workspace: Ws, input: object) =>
  deletePath.preview?.(parsed(deletePath, input), workspace);
const intent = async (workspace: Ws, input: object) =>
  deletePath.intent?.(parsed(deletePath, input), workspace);
const run = async (workspace: Ws, input: object, signal?: AbortSignal) =>
  resultOf(deletePath, input, aContext(workspace, signal).context);

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });

test("deletes a file and shows its text before and after", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "one\n", "b.ts": "" });
  const path = `${root}/a.ts`;
  const content = [{ type: "diff", operation: "delete", path, oldText: "one\n" }];
  expect(await preview(workspace, { path: "a.ts" })).toEqual({ content, locations: [{ path }] });
  expect(await run(workspace, { path: "a.ts" })).toMatchObject({ output: "Deleted a.ts.", content });
  expect(await readdir(root)).toEqual(["b.ts"]);
});

test("deletes a binary or too long file without showing it", async () => {
  const { root, workspace } = await aWorkspace({
    "a.bin": Buffer.from("a\0b"),
    "long.txt": "x".repeat(256 * 1024 + 1),
    "fits.txt": "x".repeat(256 * 1024),
  });
  expect(await preview(workspace, { path: "a.bin" })).toMatchObject({
    content: [{ type: "diff", operation: "delete", path: `${root}/a.bin`, fileType: "binary" }],
  });
  expect(await preview(workspace, { path: "long.txt" })).toMatchObject({
    content: [
      text("A text of 256 kB, too large to be shown."),
      { type: "diff", operation: "delete", path: `${root}/long.txt`, fileType: "text" },
    ],
  });
  expect(await preview(workspace, { path: "fits.txt" })).toMatchObject({
    content: [{ oldText: "x".repeat(256 * 1024) }],
  });
});

test("deletes a link, never its target", async () => {
  const { root, outside, workspace } = await aWorkspace({ "dir/a.ts": "one" });
  await writeDisk(join(outside, "out.ts"), "out");
  const links = { file: "dir/a.ts", folder: "dir", out: "../out.ts", broken: "nowhere" };
  for (const [name, target] of Object.entries(links)) {
    await symlink(target, join(root, name));
    expect(await intent(workspace, { path: name })).toEqual({
      paths: [{ path: `${root}/${name}`, access: "delete" }],
      baseHashes: { [`${root}/${name}`]: sha256(target) },
    });
    const content = [
      text(`A link. Its target stays: ${target}`),
      { type: "diff", operation: "delete", path: `${root}/${name}`, fileType: "symlink" },
    ];
    expect(await preview(workspace, { path: name })).toMatchObject({ content });
    const { output } = await run(workspace, { path: name });
    expect(output).toBe(`Deleted the link ${name}. Its target, ${target}, was not touched.`);
  }
  expect(await readdir(root, { recursive: true })).toEqual(["dir", "dir/a.ts"]);
  expect(await readDisk(join(outside, "out.ts"), "utf8")).toBe("out");
});

test("names the real path below a link beside the written one", async () => {
  const { root, outside, workspace } = await aWorkspace();
  await writeDisk(join(outside, "out.ts"), "abc");
  await symlink("..", join(root, "up"));
  expect(await intent(workspace, { path: "up/out.ts" })).toEqual({
    paths: [{ path: `${outside}/out.ts`, named: `${root}/up/out.ts`, access: "delete" }],
    baseHashes: { [`${outside}/out.ts`]: sha256("abc") },
  });
});

test("deletes an empty folder", async () => {
  const { root, workspace } = await aWorkspace();
  await mkdir(join(root, "empty"));
  const content = [{ type: "diff", operation: "delete", path: `${root}/empty`, fileType: "directory" }];
  expect(await preview(workspace, { path: "empty/" })).toMatchObject({ content });
  const { output } = await run(workspace, { path: "empty" });
  expect(output).toBe("Deleted the empty folder empty.");
  expect(await readdir(root)).toEqual([]);
});

test("deletes a folder with content only when the input allows it", async () => {
  const { root, workspace } = await aWorkspace({ "src/a.ts": "one", "src/deep/b.bin": Buffer.from("\0") });
  await symlink("../../..", join(root, "src/deep/up"));
  const words =
    'ToolFailure: delete_path: src is a folder with 2 entries in it. Nothing was deleted. Set "recursive" to delete it with its contents.';
  for (const attempt of [preview, run])
    expect(await failureOf(attempt(workspace, { path: "src" }))).toBe(words);
  expect(await readdir(root)).toEqual(["src"]);

  const content = [
    text("Contents of the folder: 2 files (4 B), 1 folder and 1 link."),
    { type: "diff", operation: "delete", path: `${root}/src`, fileType: "directory" },
    { type: "diff", operation: "delete", path: `${root}/src/a.ts`, oldText: "one" },
    { type: "diff", operation: "delete", path: `${root}/src/deep/b.bin`, fileType: "binary" },
    { type: "diff", operation: "delete", path: `${root}/src/deep/up`, fileType: "symlink" },
  ];
  const input = { path: "src", recursive: true };
  expect(await preview(workspace, input)).toEqual({ content, locations: [{ path: `${root}/src` }] });
  const result = await run(workspace, input);
  expect(result.content).toEqual(content);
  expect(result.output).toBe("Deleted src with its contents: 2 files (4 B), 1 folder and 1 link.");
  expect(await readdir(root)).toEqual([]);
});

test("shows only numbers for a folder with too many entries", async () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`many/${index}`, "x"]));
  const { root, workspace } = await aWorkspace({
    ...many,
    "long/a": "x".repeat(200 * 1024),
    "long/b": "x".repeat(57 * 1024),
    "fits/a": "x".repeat(200 * 1024),
    "fits/b": "x".repeat(56 * 1024),
    "fits/c.bin": new Uint8Array(300 * 1024),
  });
  const content = async (path: string) => (await preview(workspace, { path, recursive: true }))?.content;
  const whole = (path: string) => ({
    type: "diff",
    operation: "delete",
    path: `${root}/${path}`,
    fileType: "directory",
  });
  expect(await content("many")).toEqual([text("Contents of the folder: 51 files (51 B)."), whole("many")]);
  expect(await content("long")).toEqual([text("Contents of the folder: 2 files (257 kB)."), whole("long")]);
  expect(await content("fits")).toMatchObject([
    text("Contents of the folder: 3 files (556 kB)."),
    whole("fits"),
    { path: `${root}/fits/a` },
    { path: `${root}/fits/b` },
    { path: `${root}/fits/c.bin`, fileType: "binary" },
  ]);
  await rm(join(root, "many/50"));
  expect(await content("many")).toHaveLength(52);
});

test("binds a yes for a folder to its content", async () => {
  const { root, workspace } = await aWorkspace({ "src/a.ts": "one", "src/deep/b.ts": "two" });
  const hashes = async () => (await intent(workspace, { path: "src", recursive: true }))?.baseHashes;
  const first = await hashes();
  expect(first).toEqual({
    [`${root}/src`]: expect.stringMatching(/^[0-9a-f]{64}$/),
    [`${root}/src/a.ts`]: sha256("one"),
    [`${root}/src/deep/b.ts`]: sha256("two"),
  });
  await writeDisk(join(root, "src/a.ts"), "one");
  expect(await hashes()).toEqual(first);
  const seen = [first];
  const somethingElse = async (change: Promise<unknown>) => {
    await change;
    const now = await hashes();
    for (const before of seen) expect(now).not.toEqual(before);
    seen.push(now);
  };
  await somethingElse(writeDisk(join(root, "src/a.ts"), "two"));
  await somethingElse(writeDisk(join(root, "src/c.ts"), "new"));
  await somethingElse(mkdir(join(root, "src/empty")));
  await somethingElse(symlink("a.ts", join(root, "src/link")));
  await rm(join(root, "src/link"));
  await somethingElse(symlink("c.ts", join(root, "src/link")));
});

test("never deletes the workspace folder or a folder above it", async () => {
  const { root, outside, workspace } = await aWorkspace({ "a.ts": "" });
  for (const path of [".", "./", root, `${root}/`, "src/.."])
    for (const attempt of [intent, preview, run])
      expect(await failureOf(attempt(workspace, { path, recursive: true }))).toBe(
        `ToolFailure: delete_path: ${path} is the workspace folder itself, which is never deleted. Nothing was deleted. Give a path inside it.`,
      );
  for (const path of ["..", outside, "/"])
    for (const attempt of [intent, preview, run])
      expect(await failureOf(attempt(workspace, { path, recursive: true }))).toContain(
        `${path} contains the workspace folder ${root}, which is never deleted`,
      );
  expect(await readdir(root)).toEqual(["a.ts"]);
});

test("fails to delete a missing path", async () => {
  const { workspace } = await aWorkspace();
  for (const attempt of [preview, run])
    expect(await failureOf(attempt(workspace, { path: "a.ts" }))).toBe(
      "ToolFailure: delete_path: a.ts does not exist. Nothing was deleted. List its folder to find the right name.",
    );
});

test("discloses nothing about the file in its intent", async () => {
  const { root, workspace } = await aWorkspace({ "src/a.ts": "one" });
  expect(await intent(workspace, { path: "nowhere" })).toEqual({
    paths: [{ path: `${root}/nowhere`, access: "delete" }],
    baseHashes: {},
  });
  expect(await intent(workspace, { path: "src" })).toMatchObject({
    paths: [{ path: `${root}/src`, access: "delete" }],
    baseHashes: { [`${root}/src/a.ts`]: sha256("one") },
  });
  const unreadable = Object.assign(Object.create(workspace) as Ws, {
    readBytes: () => Promise.reject(new ToolFailure("permission denied")),
  });
  expect(await intent(unreadable, { path: "src/a.ts" })).toEqual({
    paths: [{ path: `${root}/src/a.ts`, access: "delete" }],
    baseHashes: { [`${root}/src/a.ts`]: "cannot be read" },
  });
});

test("deletes nothing when it was cancelled before it began", async () => {
  const { root, workspace } = await aWorkspace({ "a.ts": "" });
  const reason = new Error("no longer wanted");
  await expect(run(workspace, { path: "a.ts" }, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(await readdir(root)).toEqual(["a.ts"]);
});

test("names a protected file in a deleted folder, so that it is asked about", async () => {
  const { workspace, root } = await aWorkspace({ "sub/.git/config": "", "sub/a.ts": "" });
  expect((await intent(workspace, { path: "sub", recursive: true }))?.paths).toEqual([
    { path: `${root}/sub`, access: "delete" },
    { path: `${root}/sub/.git`, access: "delete" },
  ]);
});
