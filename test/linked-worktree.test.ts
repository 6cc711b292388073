import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { wholeTree } from "./kept-tree.js";
import { MemoryLedger } from "../src/history/index.js";
import { inMode } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { openGate } from "../src/run/index.js";
import { builtInTools, LocalWorkspace, openKeeper } from "../src/tools/index.js";
import { aWorkspace } from "../src/tools/tools.samples.js";
import { openSandbox } from "../src/tools/sandbox/sandbox.js";
import type { Sandbox } from "../src/tools/sandbox/sandbox.js";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});

const git = (cwd: string, ...words: string[]): string =>
  execFileSync("git", ["-C", cwd, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const AUTHOR = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];

/** A repository, and a further worktree of it: beside it, or below it. */
async function aWorktree(place: "beside" | "below" = "beside") {
  const { outside } = await aWorkspace({});
  const main = join(outside, "app");
  const top = place === "beside" ? join(outside, "app-fix") : join(main, "trees/fix");
  mkdirSync(main);
  git(main, "init", "-q", "-b", "main");
  writeFileSync(join(main, "a.txt"), "one\n");
  git(main, "add", ".");
  git(main, ...AUTHOR, "commit", "-qm", "one");
  writeFileSync(join(main, ".git/info/exclude"), "trees\ntry.sh\n");
  git(main, "worktree", "add", "-q", top, "-b", "fix");
  return { main, top, own: git(top, "rev-parse", "--absolute-git-dir").trim() };
}

async function workingIn(root: string, rules: readonly Rule[] = []) {
  const keeper = openKeeper({ folder: join(root, "../kept-state") });
  const workspace = await LocalWorkspace.open(root, { containing: sandbox, keeper });
  const gate = await openGate({
    workspace,
    tools: builtInTools,
    ledger: new MemoryLedger(),
    policy: () => inMode("accept-edits", rules),
    ask: () =>
      Promise.resolve({ outcome: { type: "selected", optionId: "reject_once" }, by: "person", who: "ann" }),
  });
  return async (command: string) => {
    // In a file: a text that names a path outside is asked about.
    writeFileSync(join(root, SCRIPT), `${AS_ANN}${command}`);
    const call = await gate.call({ name: "terminal", input: { command: `sh ${SCRIPT}` } });
    const { output } = call.rawOutput as { readonly output: string };
    return { by: call.decision?.by, output, undo: () => gate.undo(call.toolCallId) };
  };
}

const SCRIPT = "try.sh";
const AS_ANN =
  "export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=a@b\n";

test.each(["beside", "below"] as const)(
  "git works in a further worktree %s its repository",
  async (place) => {
    const { main, top } = await aWorktree(place);
    const run = await workingIn(top);
    const before = [git(main, "rev-parse", "main"), git(main, "status", "--short", "--untracked-files=no")];
    const { by, output } = await run(
      `git status --short; echo two >b.txt && git add . && git commit -qm two && git log --format=%s; git diff HEAD~1 --stat; echo x >>a.txt; git stash -q && git stash pop -q && git status --short; git checkout -q -b more; git branch`,
    );
    expect([by, output]).toEqual([
      "sandbox",
      "two\none\n b.txt | 1 +\n 1 file changed, 1 insertion(+)\n M a.txt\n  fix\n+ main\n* more\n",
    ]);
    expect(git(top, "log", "--format=%s", "more")).toBe("two\none\n");
    expect([git(main, "rev-parse", "main"), git(main, "status", "--short", "--untracked-files=no")]).toEqual(
      before,
    );
    expect(git(main, "fsck", "--no-dangling")).toBe("");
  },
);

test("git works in a worktree of the workspace's own repository", async () => {
  const { main, top } = await aWorktree("below");
  const run = await workingIn(main);
  const { by, output } = await run(
    `cd trees/fix && echo two >b.txt && git add . && git commit -qm two && git log --format=%s`,
  );
  expect([by, output]).toEqual(["sandbox", "two\none\n"]);
  expect(git(top, "status", "--short")).toBe("");
});

test.each([
  [
    "on its branches and files",
    "echo two >b.txt && git add . && git commit -qm two && git checkout -q -b more && rm a.txt",
  ],
  [
    "to the repository's objects and branches",
    "C=$(git rev-parse --git-common-dir); rm -rf $C/objects/* $C/refs/heads/* $C/logs/*",
  ],
])("undo takes back what a command in a worktree did %s", async (_, command) => {
  const { main, top, own } = await aWorktree();
  const run = await workingIn(top);
  writeFileSync(join(top, SCRIPT), `${AS_ANN}${command}`);
  const names = () => readdirSync(join(main, ".git/refs/heads"));
  const before = [
    wholeTree(top),
    readFileSync(join(own, "HEAD"), "utf8"),
    names(),
    git(main, "for-each-ref"),
  ];
  const { undo } = await run(command);
  expect(names()).not.toEqual(before[2]);
  await undo();
  const after = [wholeTree(top), readFileSync(join(own, "HEAD"), "utf8"), names(), git(main, "for-each-ref")];
  expect(after).toEqual(before);
  for (const folder of [main, top])
    expect([git(folder, "status", "--short"), git(folder, "fsck", "--no-dangling")]).toEqual(["", ""]);
});

/** Each by what it would leave behind. */
const WAYS_OUT = {
  "a hook": "echo x >$S/hooks/post-checkout",
  "a setting": "git config core.fsmonitor ./evil; echo x >>$S/config",
  "settings from elsewhere": "echo /evil >$G/commondir; rm $G/commondir; echo /evil >$S/commondir",
  "settings of the worktree": "echo x >$G/config.worktree; echo x >$S/config.worktree",
  attributes: "mkdir -p $S/info; echo '* filter=x' >$S/info/attributes",
  "the head and the index of the other checkout": "echo x >$S/HEAD; rm -f $S/index; echo x >$S/index",
  "a rebase of the other checkout":
    "mkdir $S/rebase-merge && echo 'exec evil' >$S/rebase-merge/git-rebase-todo",
  "a rebase that runs a program":
    "mkdir $G/rebase-merge && echo 'exec evil' >$G/rebase-merge/git-rebase-todo",
  "the folder of another worktree": "echo x >$S/worktrees/other/HEAD; mkdir $S/worktrees/new",
  "another place for the worktree": "echo /tmp/x/.git >$G/gitdir; echo 'gitdir: /tmp' >.git; mv .git aside",
  "links that git writes through":
    "ln -s /tmp/x $S/refs/heads/link; rm -f $S/logs/HEAD; mkdir -p $S/logs/refs/x; ln -s /tmp/x $S/logs/refs/x/link; ln -s /tmp/x $G/COMMIT_EDITMSG2; ln -s /tmp/x $S/objects/info/link",
  "the repository elsewhere":
    "mv $S $S.old; mv $S/objects $S/old; mv $G $S/worktrees/old; rm -rf $S/hooks $S/config $S/worktrees/other",
  "packed branches": "git pack-refs --all; git update-ref -d refs/heads/kept",
  "the files beside it": "echo x >$S/../a.txt; cat $S/../a.txt",
};

test("a command in a worktree changes nothing of its repository but objects, branches and its own folder", async () => {
  const { main, top, own } = await aWorktree();
  const [shared, other] = [join(main, ".git"), join(main, "../other")];
  git(main, "worktree", "add", "-q", other, "-b", "other");
  git(main, "branch", "kept");
  git(main, "pack-refs", "--all");
  git(main, ...AUTHOR, "commit", "-qm", "two", "--allow-empty");
  const guarded = () => {
    const all = wholeTree(shared);
    const isOpen = /^(?:objects|refs|logs|worktrees\/app-fix)\//;
    return [
      ...Object.entries(all).filter(([path]) => !isOpen.test(path)),
      ...Object.entries(all).filter(([, kind]) => kind.startsWith("link ")),
      readdirSync(own).filter((name) => name !== "ORIG_HEAD"),
      ["commondir", "gitdir"].map((name) => readFileSync(join(own, name), "utf8")),
      readFileSync(join(top, ".git"), "utf8"),
      readFileSync(join(main, "a.txt"), "utf8"),
      git(main, "for-each-ref", "--format=%(refname)"),
    ];
  };
  const before = guarded();
  const run = await workingIn(top);
  const { by, output } = await run(
    [`exec 2>/dev/null; S=${shared}; G=${own}`, ...Object.values(WAYS_OUT), "true"].join("\n"),
  );
  expect([by, output]).toEqual(["sandbox", expect.not.stringContaining("one")]);
  expect(guarded()).toEqual(before);
  expect(git(main, "status", "--short")).toBe("");
});

test("a file that names a repository opens it only when the repository names the folder too", async () => {
  const { main, own } = await aWorktree();
  const { root } = await aWorkspace({ "a.txt": "one\n" });
  for (const named of [join(main, ".git"), own]) {
    writeFileSync(join(root, ".git"), `gitdir: ${named}\n`);
    const run = await workingIn(root);
    const { output } = await run(`ls ${main}/.git ${main} 2>/dev/null; git log; true`);
    expect(output).toBe(`fatal: not a git repository: ${named}\n`);
  }
});

test("a rule that denies the repository keeps it out", async () => {
  const { main, top } = await aWorktree();
  const run = await workingIn(top, [{ deny: "read", path: `${main}/**` }]);
  const { output } = await run(`ls ${main}/.git 2>/dev/null; echo end`);
  expect(output).toBe("end\n");
});
