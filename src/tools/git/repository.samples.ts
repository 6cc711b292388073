/** Repositories with one commit, and a change in its file since. */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function git(folder: string, ...words: readonly string[]): void {
  execFileSync("git", words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
}

let template: string | undefined;

/** A copy of one that git made: five processes less for each. */
export function repository(folder: string): string {
  template ??= newRepository();
  mkdirSync(folder, { recursive: true });
  cpSync(template, folder, { recursive: true });
  appendFileSync(join(folder, "file.txt"), "two\n");
  return folder;
}

function newRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-repository-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  git(folder, "init", "-q", "-b", "main");
  // Git's samples of hooks are most of the files that each copy would have.
  for (const sample of readdirSync(join(folder, ".git/hooks"))) rmSync(join(folder, ".git/hooks", sample));
  git(folder, "config", "user.name", "a");
  git(folder, "config", "user.email", "a@example.com");
  writeFileSync(join(folder, "file.txt"), "one\n");
  git(folder, "add", "file.txt");
  git(folder, "commit", "-qm", "one");
  return folder;
}
