import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { executorFor } from "./executor-for.js";
import { git, repository } from "./repository.samples.js";

afterEach(() => vi.unstubAllEnvs());

/** Undefined when git's settings are forced: then nobody is asked. */
async function troubleOf(workspace: LocalWorkspace, command: string): Promise<string | undefined> {
  const { forced, notForced } = await executorFor({ command, cwd: workspace.root }, workspace);
  return forced?.["GIT_OPTIONAL_LOCKS"] === "0" ? undefined : (notForced ?? "it does more than read");
}

test.each([
  "rebase-merge/head-name",
  "rebase-apply/head-name",
  "sequencer/todo",
  "packed-refs",
  "MERGE_MSG",
  "refs/heads/deep/other",
  "logs/refs/stash",
  "info/exclude",
  "objects/pack/pack-1.pack",
])("is no reader when %s of the git folder is a link", async (name) => {
  const { root, outside, workspace } = await aWorkspace();
  repository(root);
  writeFileSync(join(outside, "secret"), "secret");
  mkdirSync(join(root, ".git", name, ".."), { recursive: true });
  rmSync(join(root, ".git", name), { force: true });
  symlinkSync(join(outside, "secret"), join(root, ".git", name));
  expect(await troubleOf(workspace, "git status")).toBe(`${name} of the git folder is a link`);
});

test("is no reader when a folder of tracked files is a link", async () => {
  const { root, outside, workspace } = await aWorkspace({ "a/out/secret.txt": "x" });
  repository(root);
  git(root, "add", "a");
  rmSync(join(root, "a/out"), { recursive: true });
  symlinkSync(outside, join(root, "a/out"));
  const trouble = "the repository tracks files below a/out, which is a link";
  for (const command of ["git grep x", "git diff", "git blame file.txt"])
    expect(await troubleOf(workspace, command)).toBe(trouble);
  expect(await troubleOf(workspace, "git status")).toBeUndefined();
});

test("is no reader when a file leads to a repository outside", async () => {
  const { root, outside, workspace } = await aWorkspace();
  const other = repository(join(outside, "other"));
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "sub/.git"), `gitdir: ${other}/.git\n`);
  const trouble = `the repository lies outside the workspace: ${other}/.git`;
  expect(await troubleOf(workspace, "git -C sub log")).toBe(trouble);
  git(other, "worktree", "add", "-q", join(outside, "tree"));
  writeFileSync(join(root, "sub/.git"), readFileSync(join(outside, "tree/.git")));
  expect(await troubleOf(workspace, "git -C sub log")).toBe(trouble);
  writeFileSync(join(root, ".git"), readFileSync(join(outside, "tree/.git")));
  expect(await troubleOf(workspace, "git log")).toBe(trouble);
  rmSync(join(root, ".git"));
  symlinkSync(join(other, ".git"), join(root, ".git"));
  expect(await troubleOf(workspace, "git log")).toBe(trouble);
});

test("is no reader when the shared folder or the objects are those of a repository outside", async () => {
  const { root, outside, workspace } = await aWorkspace();
  const other = repository(join(outside, "other"));
  repository(root);
  writeFileSync(join(root, ".git/objects/info/alternates"), `${other}/.git/objects\n`);
  expect(await troubleOf(workspace, "git log")).toBe("the repository takes objects from another one");
  rmSync(join(root, ".git/objects/info/alternates"));
  expect(await troubleOf(workspace, "git log")).toBeUndefined();
  writeFileSync(join(root, ".git/commondir"), `${other}/.git\n`);
  expect(await troubleOf(workspace, "git log")).toContain("the repository lies outside the workspace");
});

test("reads when the workspace itself is a worktree of a repository outside", async () => {
  const { outside } = await aWorkspace();
  const other = repository(join(outside, "other"));
  git(other, "worktree", "add", "-q", join(outside, "tree"));
  const workspace = await LocalWorkspace.open(join(outside, "tree"));
  for (const command of ["git status", "git diff", "git log -p"])
    expect(await troubleOf(workspace, command)).toBeUndefined();
});

test("shows names, and no contents, of a repository that the workspace is a part of", async () => {
  const { outside } = await aWorkspace();
  const around = repository(join(outside, "around"));
  mkdirSync(join(around, "part"));
  const workspace = await LocalWorkspace.open(join(around, "part"));
  expect(await troubleOf(workspace, "git status -s")).toBeUndefined();
  expect(await troubleOf(workspace, "git diff")).toContain("the repository lies outside the workspace");
});

test.each([
  "diff",
  "diff HEAD",
  "diff --cached",
  "show",
  "show --stat HEAD",
  "log -p",
  "log -3 --patch",
  "log -Gx",
  "log -S x",
  "log -L1,1:file.txt",
  "log --stat -U1",
  "grep x",
  "blame file.txt",
  "cat-file -p HEAD",
  "stash show -p",
  "diff-files -p",
  "status -v",
  "-P diff",
])("is no reader for git %s when the repository tracks secrets", async (words) => {
  const { root, workspace } = await aWorkspace({ "deep/.env": "KEY=1" });
  repository(root);
  git(root, "add", "-f", "deep/.env");
  const trouble = await troubleOf(workspace, `git ${words}`);
  expect(trouble).toBe("the repository tracks deep/.env, which holds secrets");
});

test.each([
  "status",
  "status -sb",
  "log --oneline -5",
  "log --stat --since=yesterday",
  "branch -a",
  "rev-parse HEAD",
  "diff --stat",
  "diff --name-only HEAD",
  "ls-files",
  "remote -v",
])("reads with git %s, which prints no contents, when the repository tracks secrets", async (words) => {
  const { root, workspace } = await aWorkspace({ ".env": "KEY=1" });
  repository(root);
  git(root, "add", "-f", ".env");
  expect(await troubleOf(workspace, `git ${words}`)).toBeUndefined();
});

test.each(["git grep --untracked x", "git grep --no-index x", "git grep --untr x"])(
  "is no reader for %s, which reads files that may hold secrets",
  async (command) => {
    const { root, workspace } = await aWorkspace({ ".env": "KEY=1" });
    repository(root);
    expect(await troubleOf(workspace, command)).toBeDefined();
  },
);

test.each(["git describe --always --dirty", "git describe --broken=x"])(
  "is no reader for %s, which writes the index",
  async (command) => {
    const { root, workspace } = await aWorkspace();
    repository(root);
    expect(await troubleOf(workspace, command)).toBe("it does more than read");
    expect(await troubleOf(workspace, "git describe --always")).toBeUndefined();
  },
);

test("is no reader when the index names a submodule that another reading hides", async () => {
  const { root, workspace } = await aWorkspace();
  repository(root);
  const entry = Buffer.alloc(72);
  entry.writeUInt32BE(0o100644, 24);
  entry.writeUInt16BE(0x4005, 60);
  entry.write("a.txt", 64);
  const content = Buffer.concat([Buffer.from("DIRC\0\0\0\x02\0\0\0\x01", "latin1"), entry]);
  const checksum = createHash("sha1").update(content).digest();
  writeFileSync(join(root, ".git/index"), Buffer.concat([content, checksum]));
  expect(await troubleOf(workspace, "git status")).toContain("the repository's index could not be read");
});

test.each([
  "[extensions]\n\tobjectformat = sha256\n",
  "[extensions]\n\tobjectFormat = sha1\n\tobjectFormat = sha256\n",
])("is no reader when the settings name another hash than the index has: %j", async (text) => {
  const { root, workspace } = await aWorkspace();
  repository(root);
  appendFileSync(join(root, ".git/config"), text);
  expect(await troubleOf(workspace, "git status")).toBeDefined();
});

test("leaves out of the search path what leads into the workspace or anybody may write to", async () => {
  const { root, outside, workspace } = await aWorkspace({ "bin/ls": "evil" });
  symlinkSync(join(root, "bin"), join(outside, "link"));
  symlinkSync("/usr/bin", join(root, "own"));
  mkdirSync(join(outside, "open"));
  chmodSync(join(outside, "open"), 0o777);
  const folders = ["link", "open", "missing"].map((name) => join(outside, name));
  vi.stubEnv("PATH", [...folders, join(root, "own"), "bin", "/usr/bin", "/bin"].join(":"));
  const { forced } = await executorFor({ command: "ls", cwd: root }, workspace);
  expect(forced).toEqual({ PATH: "/usr/bin:/bin" });
});
