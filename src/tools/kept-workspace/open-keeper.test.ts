import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { identityOf } from "../../process/process-identity.js";
import { git } from "../git/repository.samples.js";
import { unpackChanges } from "./change-bundle.js";
import { openKeeper, removeShadows } from "./open-keeper.js";
import type { KeeperOptions } from "./open-keeper.js";
import type { WorkspaceKeeper } from "./workspace-keeper.js";
import { whyNotKept } from "./why-not-kept.js";

afterEach(() => void vi.unstubAllEnvs());

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-keeper-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function keeperIn(root: string, options: Partial<KeeperOptions> = {}) {
  const folder = options.folder ?? newFolder();
  const keeper = openKeeper({ ...options, folder });
  const shadow = () => join(folder, readdirSync(folder)[0] ?? "");
  return { keeper, folder, shadow, keep: () => mustKeep(keeper, root) };
}

async function mustKeep(keeper: WorkspaceKeeper, root: string) {
  const kept = await keeper.keep([root]);
  if (kept.type !== "kept") throw new Error(kept.reason);
  return kept;
}

/** The paths that changed, below the root. */
async function changedIn(keeper: WorkspaceKeeper, kept: Awaited<ReturnType<typeof mustKeep>>, root: string) {
  const { paths } = await keeper.changes(kept);
  return paths.map((path) => path.slice(root.length + 1));
}

test.each([
  ["/", "it is the root of the file system"],
  ["/home/ann", "it is your home folder"],
  ["/home", "your home folder lies in it"],
  ["/state/toolgate/kept/x", "Toolgate's own files lie in it"],
  ["/state", "Toolgate's own files lie in it"],
  ["/home/ann/project", undefined],
  ["/home/annette", undefined],
])("never keeps %s", (root, why) => {
  vi.stubEnv("HOME", "/home/ann");
  expect(whyNotKept(root, "/state/toolgate/kept")).toBe(why);
});

test("says why it keeps no home folder, and makes nothing", async () => {
  const root = newFolder();
  vi.stubEnv("HOME", root);
  const { keeper, folder } = keeperIn(root);
  expect(await keeper.keep([root])).toEqual({
    type: "not-kept",
    reason: `${root} is never kept: it is your home folder`,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test("sees that a folder became a link to another with files of the same names, and the reverse", async () => {
  const [root, other] = [newFolder(), newFolder()];
  for (const folder of [join(root, "sub/deep"), join(other, "deep")]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "a"), folder);
  }
  const { keeper, keep } = keeperIn(root);
  const kept = await keep();
  rmSync(join(root, "sub"), { recursive: true });
  symlinkSync(other, join(root, "sub"));
  expect(await changedIn(keeper, kept, root)).toEqual(["sub", "sub/deep/a"]);
  const keptLink = await keep();
  rmSync(join(root, "sub"));
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "sub/b"), "b");
  expect(await changedIn(keeper, keptLink, root)).toEqual(["sub", "sub/b"]);
});

test("stops at the limits of files, bytes and time", async () => {
  const root = newFolder();
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), "x".repeat(1024 * 1024));
  const reasonWith = async (limits: KeeperOptions["limits"]) => {
    const outcome = await keeperIn(root, limits && { limits }).keeper.keep([root]);
    return outcome.type === "kept" ? "kept" : outcome.reason;
  };
  expect(await reasonWith({ maxFiles: 2 })).toBe("there are more than 2 files");
  expect(await reasonWith({ maxBytes: 2 * 1024 * 1024 })).toBe(
    "its changed and new files have more than 2 MB",
  );
  expect(await reasonWith({ maxMs: 1 })).toBe("keeping its files took longer than 0.001 s");
  expect(await reasonWith({})).toBe("kept");
});

test("names a file that is too large, and does not keep it", async () => {
  const root = newFolder();
  writeFileSync(join(root, "large"), "");
  truncateSync(join(root, "large"), 65 * 1024 * 1024);
  const { keeper, keep } = keeperIn(root);
  const kept = await keep();
  writeFileSync(join(root, "large"), "small now");
  const { paths, unkept } = await keeper.changes(kept);
  expect(paths).toEqual([]);
  expect(unkept).toEqual([{ path: join(root, "large"), reason: "it is larger than 64 MB" }]);
});

test("finds the changes of a command in time that made more than can be read", async () => {
  const root = newFolder();
  writeFileSync(join(root, "a"), "a");
  writeFileSync(join(root, "b"), "b");
  const { keeper, keep } = keeperIn(root, { limits: { maxMs: 3_000, maxBytes: 1_000_000 } });
  const kept = await keep();
  rmSync(join(root, "a"));
  // They take no room on the disk, and to read them would take minutes.
  const large = Array.from({ length: 300 }, (_, number) => `large-${number}`);
  for (const name of ["b", ...large]) {
    writeFileSync(join(root, name), "", { flag: "a" });
    truncateSync(join(root, name), 60_000_000);
  }
  const { paths, unkept } = await keeper.changes(kept);
  expect(paths.map((path) => path.slice(root.length + 1)).toSorted()).toEqual(
    ["a", "b", ...large].toSorted(),
  );
  expect(unkept).toEqual([]);
});

test("works on after a process that was killed in the middle", async () => {
  const root = newFolder();
  writeFileSync(join(root, "a"), "one");
  const { keeper, keep, shadow } = keeperIn(root);
  await keeper.changes(await keep());
  const gone = { ...identityOf(process.pid), pid: 2 ** 22 - 7, startTick: 1 };
  // Its lock, the locks of its git, and a command of it that never ended.
  writeFileSync(join(shadow(), "shadow.lock"), JSON.stringify(gone));
  for (const name of readdirSync(join(shadow(), "places")))
    if (name.endsWith(".index")) writeFileSync(join(shadow(), "places", `${name}.lock`), "");
  mkdirSync(join(shadow(), "windows"), { recursive: true });
  writeFileSync(join(shadow(), "windows", "left"), JSON.stringify(gone));
  const kept = await keep();
  writeFileSync(join(root, "a"), "two");
  expect(await changedIn(keeper, kept, root)).toEqual(["a"]);
  expect(readdirSync(join(shadow(), "windows"))).toEqual([]);
});

test("waits for the lock of a process that lives, up to its time", async () => {
  const root = newFolder();
  const { keeper, keep, shadow, folder } = keeperIn(root);
  await keeper.changes(await keep());
  writeFileSync(join(shadow(), "shadow.lock"), JSON.stringify(identityOf(process.pid)));
  const hasty = openKeeper({ folder, limits: { maxMs: 100 } });
  expect(await hasty.keep([root])).toMatchObject({ type: "not-kept" });
  rmSync(join(shadow(), "shadow.lock"));
  await keeper.changes(await keep());
});

test("makes a broken shadow again", async () => {
  const root = newFolder();
  writeFileSync(join(root, "a"), "one");
  const { keeper, keep, shadow } = keeperIn(root);
  await keeper.changes(await keep());
  for (const name of readdirSync(join(shadow(), "places")))
    if (name.endsWith(".index")) writeFileSync(join(shadow(), "places", name), "broken");
  rmSync(join(shadow(), "repository/objects"), { recursive: true });
  const kept = await keep();
  writeFileSync(join(root, "a"), "two");
  expect(await changedIn(keeper, kept, root)).toEqual(["a"]);
});

test("keeps the content also when the user's repository loses its objects", async () => {
  const root = newFolder();
  writeFileSync(join(root, "a"), "one");
  git(root, "init", "-q");
  git(root, "add", "-A");
  const { keeper, keep } = keeperIn(root);
  const kept = await keep();
  rmSync(join(root, "a"));
  rmSync(join(root, ".git/objects"), { recursive: true });
  const contents: string[] = [];
  for await (const bundle of (await keeper.changes(kept)).bundles())
    for (const { path, before } of (await unpackChanges(bundle)).changes)
      if (path === join(root, "a") && before?.type === "file")
        contents.push(Buffer.from(before.content).toString());
  expect(contents).toEqual(["one"]);
});

test("sees changes that git was set to overlook", async () => {
  const root = newFolder();
  for (const name of ["assumed", "skipped", "plain"]) writeFileSync(join(root, name), "one");
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "update-index", "--assume-unchanged", "assumed");
  git(root, "update-index", "--skip-worktree", "skipped");
  for (const version of ["2", "4"]) {
    git(root, "update-index", "--index-version", version);
    const { keeper, keep } = keeperIn(root);
    const kept = await keep();
    for (const name of ["assumed", "skipped", "plain"]) writeFileSync(join(root, name), `in ${version}`);
    expect(await changedIn(keeper, kept, root)).toEqual(["assumed", "plain", "skipped"]);
  }
});

test("reads only files that changed when the index is seeded", async () => {
  const root = newFolder();
  for (let number = 0; number < 20; number += 1) writeFileSync(join(root, `${number}`), `${number}`);
  git(root, "init", "-q");
  git(root, "add", "-A");
  for (const form of ["plain", "split"]) {
    if (form === "split") git(root, "update-index", "--split-index");
    const { keeper, keep, shadow } = keeperIn(root);
    const kept = await keep();
    const object = execFileSync("git", ["hash-object", "5"], { cwd: root, encoding: "utf8" }).trim();
    const own = join(shadow(), "repository/objects", object.slice(0, 2), object.slice(2));
    expect(existsSync(own)).toBe(form === "split");
    writeFileSync(join(root, "3"), form);
    expect(await changedIn(keeper, kept, root)).toEqual(["3"]);
  }
});

test("removes the shadows of folders that are gone, and all that no command uses on request", async () => {
  const [root, other] = [newFolder(), newFolder()];
  const { keeper, folder } = keeperIn(root);
  const open = await mustKeep(keeper, root);
  await keeper.changes(await mustKeep(keeper, other));
  expect(readdirSync(folder)).toHaveLength(2);
  removeShadows(folder);
  expect(readdirSync(folder)).toHaveLength(1);
  await keeper.changes(open);
  rmSync(root, { recursive: true });
  await openKeeper({ folder }).keep([other]);
  const roots = readdirSync(folder).map((name) => readFileSync(join(folder, name, "root"), "utf8"));
  expect(roots).toEqual([other]);
  expect(existsSync(dirname(folder))).toBe(true);
});
