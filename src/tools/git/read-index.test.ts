import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aWorkspace } from "../tools.samples.js";
import { submodulesIn } from "./read-index.js";

const NAME = { sha1: "1".repeat(40), sha256: "1".repeat(64) } as const;

test.each([
  ["2", "sha1"],
  ["3", "sha1"],
  ["4", "sha1"],
  ["2", "sha256"],
  ["4", "sha256"],
] as const)("finds the submodules in an index of version %s with %s", async (version, format) => {
  const { root } = await aWorkspace();
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, stdio: "pipe" });
  git("init", "-q", `--object-format=${format}`);
  git("config", "index.version", version);
  mkdirSync(join(root, "folder/deep"), { recursive: true });
  for (let index = 0; index < 40; index += 1)
    writeFileSync(join(root, `folder/deep/file-${index}.txt`), `${index}`);
  writeFileSync(join(root, "run.sh"), "", { mode: 0o755 });
  git("add", "--intent-to-add", "run.sh");
  git("add", "folder");
  for (const path of ["folder/lib", "vendor/é"])
    git("update-index", "--add", "--cacheinfo", `160000,${NAME[format]},${path}`);
  git("update-index", "--index-version", version === "3" ? "2" : version);
  expect(submodulesIn(readFileSync(join(root, ".git/index")))).toEqual(["folder/lib", "vendor/é"]);
});

test("has no reading of an index that shares entries with another, or is none", async () => {
  const { root } = await aWorkspace({ "a.txt": "a" });
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, stdio: "pipe" });
  git("init", "-q");
  git("add", "a.txt");
  git("update-index", "--split-index");
  expect(submodulesIn(readFileSync(join(root, ".git/index")))).toBeUndefined();
  expect(submodulesIn(new Uint8Array())).toBeUndefined();
  expect(submodulesIn(Buffer.from("DIRC\0\0\0\x02\0\0\0\x05"))).toBeUndefined();
});
