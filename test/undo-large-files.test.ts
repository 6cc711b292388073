/** Undo of commands that deleted files of git-lfs and git-annex from a git folder. */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MemoryLedger } from "../src/history/index.js";
import { allowAll, openGate } from "../src/run/index.js";
import { builtInTools, LocalWorkspace, openKeeper } from "../src/tools/index.js";
import { git } from "../src/tools/git/repository.samples.js";
import { folder } from "./agent-kit.js";
import { wholeTree } from "./kept-tree.js";

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function lfsPath(text: string): string {
  const name = hashOf(text);
  return `.git/lfs/objects/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}

function annexPath(text: string): string {
  const key = `SHA256E-s${text.length}--${hashOf(text)}.txt`;
  return `.git/annex/objects/aB/cD/${key}/${key}`;
}

const UNHASHED = ".git/annex/objects/aB/cD/WORM-s1-m1--x/WORM-s1-m1--x";

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

async function aStore() {
  const root = await folder({ a: "a" });
  git(root, "init", "-q");
  for (const text of ["one", "two"]) put(root, lfsPath(text), text);
  for (const path of [annexPath("three"), UNHASHED]) {
    put(root, path, "three");
    chmodSync(join(root, path), 0o444);
    chmodSync(dirname(join(root, path)), 0o555);
  }
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace: await LocalWorkspace.open(root, { keeper: openKeeper({ folder: await folder() }) }),
    tools: builtInTools,
    policy: () => ({ rules: [], default: "allow" }),
    ask: allowAll,
  });
  onTestFinished(() => gate.close());
  const undo = async (command: string) => {
    const { toolCallId } = await gate.call({ name: "terminal", input: { command } });
    return gate.undo(toolCallId);
  };
  return { root, undo };
}

/** The command may write what is read-only: it is one of an owner. */
const OPEN = "chmod -R u+w .git/annex";

test.each([
  ["all of git-lfs is deleted", "rm -r .git/lfs"],
  ["all of both is deleted", `${OPEN}; rm -r .git/lfs .git/annex`],
  ["the repository is deleted", `${OPEN}; rm -rf .git`],
  ["one file is deleted", `rm ${lfsPath("one")}`],
  ["one file is replaced", `echo x > x; mv x ${lfsPath("one")}`],
  ["one file becomes a folder", `rm ${lfsPath("one")}; mkdir ${lfsPath("one")}`],
  ["the store becomes a link", "mv .git/lfs moved; ln -s ../moved .git/lfs"],
  ["the store is closed", "chmod 0 .git/lfs; chmod 700 .git/annex/objects/aB"],
  [
    "files are closed and deleted",
    `chmod 0 ${lfsPath("one")} ${UNHASHED}; ${OPEN}; rm -f ${lfsPath("one")} ${UNHASHED}`,
  ],
  ["a file can be written", `chmod 666 ${lfsPath("one")} ${annexPath("three")}`],
  ["a file of git-annex is moved", `${OPEN}; mv ${annexPath("three")} x`],
])("puts files of git-lfs and git-annex back when %s", async (_, command) => {
  const { root, undo } = await aStore();
  const before = wholeTree(root);
  // Also when the second names are there already, and when the first ones are new.
  for (const round of [1, 2]) {
    const { left } = await undo(`echo ${round} > a; ${command}`);
    expect(left).toBeUndefined();
    expect(wholeTree(root)).toEqual(before);
  }
});

test("names the file of git-lfs that a command wrote into", async () => {
  const { root, undo } = await aStore();
  const path = join(root, lfsPath("one"));
  expect(await undo(`echo 1 > a; printf ONE > ${path}`)).toMatchObject({
    left: [{ path, reason: "the command wrote into it" }],
  });
  expect(readFileSync(join(root, "a"), "utf8")).toBe("a");
});

test("names files of git-lfs that are too large or too many, and keeps new ones", async () => {
  const { root, undo } = await aStore();
  const large = join(root, dirname(lfsPath("one")), "large");
  writeFileSync(large, "");
  truncateSync(large, 65 * 1024 * 1024);
  expect(
    await undo(`echo 1 > a; rm ${large}; mkdir -p .git/lfs/objects/new; echo > .git/lfs/objects/new/n`),
  ).toEqual({
    paths: [join(root, "a")],
    left: [{ path: large, reason: "it is larger than 64 MB" }],
  });
  expect(existsSync(join(root, ".git/lfs/objects/new/n"))).toBe(true);
  execFileSync("sh", ["-c", "cd .git/lfs/objects/new; for i in $(seq 4200); do : >$i; done"], { cwd: root });
  const { left = [] } = await undo("echo 1 > a; rm -r .git/lfs");
  expect(left).toContainEqual({
    path: join(root, ".git/lfs"),
    reason: "the files of git-lfs and git-annex are more than 4096",
  });
});

test("holds the place of no file of git-lfs that its owner has deleted", async () => {
  const { root, undo } = await aStore();
  await undo("echo 1 > a");
  const path = join(root, lfsPath("one"));
  const links = () => execFileSync("stat", ["-c", "%h", path], { encoding: "utf8" }).trim();
  expect(links()).toBe("2");
  // A second name of our own shows how many others there are.
  execFileSync("ln", [path, join(root, "seen")]);
  execFileSync("rm", [path]);
  appendFileSync(join(root, "a"), "more");
  await undo("echo 1 > a");
  expect(execFileSync("stat", ["-c", "%h", join(root, "seen")], { encoding: "utf8" }).trim()).toBe("1");
});
