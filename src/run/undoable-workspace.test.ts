import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { FileChange } from "../call/index.js";
import { LocalWorkspace } from "../tools/index.js";
import { undoableWorkspace } from "./undoable-workspace.js";

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

/** A kept workspace, and what it put on record, with the files as they were in that moment. */
async function kept({ record = () => Promise.resolve() }: { record?: () => Promise<void> } = {}) {
  const inner = await LocalWorkspace.open(await mkdtemp(join(tmpdir(), "toolgate-test-")));
  const { root } = inner;
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const changes: FileChange[] = [];
  const seen: string[][] = [];
  const blobs: string[] = [];
  const workspace = undoableWorkspace(inner, {
    blob: async (bytes) => {
      blobs.push(Buffer.from(bytes).toString());
      return sha256(Buffer.from(bytes).toString());
    },
    mayReplace: () => undefined,
    wrote: () => undefined,
    started: () => undefined,
    commandEnded: () => Promise.resolve(),
    refused: () => undefined,
    record: async (change) => {
      await record();
      seen.push(await readdir(root));
      changes.push(change);
    },
  });
  return { root, workspace, changes, seen, blobs };
}

test("records a file's content and mode before it is written", async () => {
  const { root, workspace, changes, blobs } = await kept();
  await writeFile(join(root, "a"), "old");
  await chmod(join(root, "a"), 0o640);
  await workspace.write(`${root}/a`, "new");
  expect(changes).toEqual([
    {
      type: "written",
      path: `${root}/a`,
      before: { type: "file", blob: sha256("old"), mode: 0o640 },
      after: sha256("new"),
    },
  ]);
  expect(blobs).toEqual(["old"]);
  expect(await readFile(join(root, "a"), "utf8")).toBe("new");
});

test("records a new file without earlier content, before it is created", async () => {
  const { root, workspace, changes, seen } = await kept();
  await workspace.write(`${root}/a`, "new");
  expect(changes).toEqual([{ type: "written", path: `${root}/a`, after: sha256("new") }]);
  expect(seen).toEqual([[]]);
});

test("keeps each removed folder, file and link, a folder before its content", async () => {
  const { root, workspace, changes, seen } = await kept();
  await mkdir(join(root, "tree/empty"), { recursive: true });
  await writeFile(join(root, "tree/file"), "f");
  await symlink("file", join(root, "tree/link"));
  await workspace.remove(`${root}/tree`);
  const mode = expect.any(Number);
  expect(changes).toEqual([
    { type: "removed", path: `${root}/tree`, before: { type: "folder", mode } },
    { type: "removed", path: `${root}/tree/empty`, before: { type: "folder", mode } },
    { type: "removed", path: `${root}/tree/file`, before: { type: "file", blob: sha256("f"), mode } },
    { type: "removed", path: `${root}/tree/link`, before: { type: "link", target: "file" } },
  ]);
  expect(seen.every((names) => names.includes("tree"))).toBe(true);
  expect(await readdir(root)).toEqual([]);
});

test("records a move before it is made", async () => {
  const { root, workspace, changes, seen } = await kept();
  await writeFile(join(root, "a"), "x");
  await workspace.move(`${root}/a`, `${root}/b`);
  expect(changes).toEqual([{ type: "moved", path: `${root}/a`, to: `${root}/b`, fingerprint: sha256("x") }]);
  expect([seen, await readdir(root)]).toEqual([[["a"]], ["b"]]);
});

test("reports listed files that cannot be found as not kept", async () => {
  const { root, workspace, changes } = await kept();
  await mkdir(join(root, "d"));
  await writeFile(join(root, "d/b"), "b");
  await writeFile(Buffer.concat([Buffer.from(`${root}/d/`), Buffer.from([0xff, 0x61])]), "lost");
  await workspace.remove(`${root}/d`);
  expect(changes.at(-1)).toEqual({
    type: "not-kept",
    path: `${root}/d/\uFFFDa`,
    reason: "it could not be found by its name, which may not be valid UTF-8",
  });
  expect(await readdir(root)).toEqual([]);
});

test("records a file as not kept when its name is not valid text", async () => {
  const { root, workspace, changes } = await kept();
  await mkdir(join(root, "d"));
  await writeFile(join(root, "d/\uFFFDa"), "kept");
  await writeFile(Buffer.concat([Buffer.from(`${root}/d/`), Buffer.from([0xff, 0x61])]), "lost");
  await workspace.remove(`${root}/d`);
  expect(changes.map(({ type }) => type)).toEqual(["removed", "removed", "not-kept"]);
});

test("changes nothing when the earlier content cannot be recorded", async () => {
  const { root, workspace } = await kept({ record: () => Promise.reject(new Error("the disk is full")) });
  await writeFile(join(root, "a"), "old");
  await expect(workspace.write(`${root}/a`, "new")).rejects.toThrow("the disk is full");
  await expect(workspace.remove(`${root}/a`)).rejects.toThrow("the disk is full");
  await expect(workspace.move(`${root}/a`, `${root}/b`)).rejects.toThrow("the disk is full");
  expect(await readFile(join(root, "a"), "utf8")).toBe("old");
});

test("changes a file that is too large to keep, and says so", async () => {
  const { root, workspace, changes, blobs } = await kept();
  await writeFile(join(root, "large"), Buffer.alloc(64 * 1024 * 1024 + 1));
  await workspace.write(`${root}/large`, "small");
  expect(changes).toEqual([
    { type: "not-kept", path: `${root}/large`, reason: "it has too many files or too much data to keep" },
  ]);
  expect(blobs).toEqual([]);
  expect(await readFile(join(root, "large"), "utf8")).toBe("small");
});
