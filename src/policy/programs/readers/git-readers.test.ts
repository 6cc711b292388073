import { describe, expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";

const judge = (line: string) => judgeArgv(line.split(" "));

describe("a git command names the part of the tree that it edits", () => {
  test.each([
    ["git apply fix.diff", ["."]],
    ["git stash", ["."]],
    ["git stash -u", ["."]],
    ["git stash pop", ["."]],
    ["git pull", ["."]],
    ["git switch main", ["."]],
    ["git checkout main", ["."]],
    ["git checkout HEAD -- a b", ["a", "b"]],
    ["git restore src", ["src"]],
    ["git restore *.ts", ["."]],
    ["git -C ../other merge main", ["../other", "."]],
    ["git clone https://x.example/a.git", ["a"]],
    ["git worktree add ../x", ["../x"]],
  ])("%s", (line, below) => expect(judge(line).editsBelow).toEqual(below));

  test.each([
    "git apply --check x",
    "git stash list",
    "git restore --staged a",
    "git switch -c x",
    "git reset a",
  ])("%s edits nothing", (line) => expect(judge(line).editsBelow).toEqual([]));
});

test("names the host that git asks or sends to, or none for a remote", () => {
  expect(judge("git push").sends).toEqual([""]);
  expect(judge("git push host:repo").sends).toEqual(["host:repo"]);
  expect(judge("git push host:repo").doubts).not.toEqual([]);
  expect(judge("git fetch --all").urls).toEqual([""]);
  expect(judge("git ls-remote https://x.example/y").urls).toEqual(["https://x.example/y"]);
  expect(judge("git push ./other main")).toMatchObject({ sends: [], editsBelow: ["./other"] });
});

test("deletes and moves are named as such", () => {
  expect(judge("git rm -r gen")).toMatchObject({ deletes: ["gen"], deletesBelow: ["gen"] });
  expect(judge("git rm --cached .env").doubts).toEqual([]);
  expect(judge("git clean -fd")).toMatchObject({ deletesBelow: ["."] });
  expect(judge("git mv a b")).toMatchObject({ moves: ["a"], writes: ["b"], deletes: [] });
  expect(judge("git mv .npmrc b").doubts).not.toEqual([]);
});

describe("does not count as reading when a program of the repository may run", () => {
  test.each([
    "git log --show-signature",
    "git log --format=%G?",
    "git log --pretty=format:%h%GK",
    "git for-each-ref --format=%(signature:grade)",
    "git log --alternate-refs",
    "git diff --textconv",
    "git diff --submodule=diff",
    "git help log",
    "git branch new",
    "git tag v1",
    "git replace a b",
    "git -c log.showSignature=true log",
    "git verify-commit HEAD",
  ])("%s", (line) => expect(judge(line).onlyReads).toBe(false));

  test.each(["git log --format=%H", "git branch", "git branch --list x", "git tag -l", "git stash list"])(
    "%s only reads",
    (line) => expect(judge(line).onlyReads).toBe(true),
  );
});

test("reads the folder where contents are shown, and every word that may be a path", () => {
  for (const line of [
    "git diff",
    "git show HEAD",
    "git log -p",
    "git grep x HEAD",
    "git blame a",
    "git stash show",
  ])
    expect(judge(line).reads, line).toContain(".");
  expect(judge("git diff a/../../outside b").reads).toContain("a/../../outside");
  expect(judge("git show HEAD:src/a.ts").reads).toContain("src/a.ts");
  expect(judge("git log -p").onlyReads).toBe(true);
});

test("doubts a secret file however the path is spelt", () => {
  for (const word of [".env", ":/.env", ":(top).env", "HEAD:.env"])
    expect(judge(`git show ${word}`).doubts, word).not.toEqual([]);
  expect(judge("git check-ignore .env").doubts).toEqual([]);
});

test("doubts what the GitHub command line hands on to git, and sends what it uploads", () => {
  expect(judge("gh repo clone o/r -- -c core.sshCommand=x").doubts).not.toEqual([]);
  expect(judge("gh release create v1 -p dist/a.zip")).toMatchObject({ reads: ["dist/a.zip"], sends: [""] });
  expect(judge("gh pr list -q env.TOKEN").doubts).not.toEqual([]);
});
