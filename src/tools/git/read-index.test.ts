import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aWorkspace } from "../tools.samples.js";
import { readIndex } from "./read-index.js";

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
  const bytes = readFileSync(join(root, ".git/index"));
  const index = readIndex(bytes, format);
  expect(index?.submodules).toEqual(["folder/lib", "vendor/é"]);
  expect(index?.paths).toHaveLength(43);
  expect(index?.paths).toContain("folder/deep/file-39.txt");
  expect(readIndex(bytes, format === "sha1" ? "sha256" : "sha1")).toBeUndefined();
});

test("has no reading of an index that shares entries with another, or is none", async () => {
  const { root } = await aWorkspace({ "a.txt": "a" });
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, stdio: "pipe" });
  git("init", "-q");
  git("add", "a.txt");
  git("update-index", "--split-index");
  expect(readIndex(readFileSync(join(root, ".git/index")), "sha1")).toBeUndefined();
  expect(readIndex(new Uint8Array(), "sha1")).toBeUndefined();
  expect(readIndex(Buffer.from("DIRC\0\0\0\x02\0\0\0\x05"), "sha1")).toBeUndefined();
});

const FLAGS_AT = 12 + 60;

/** An index of one file "a.txt", changed and with the checksum that it has then. */
function changedIndex(change: (bytes: Buffer) => Buffer | void): Buffer {
  const entry = Buffer.alloc(72);
  entry.writeUInt32BE(0o100644, 24);
  entry.writeUInt16BE(5, 60);
  entry.write("a.txt", 62);
  const plain = Buffer.concat([Buffer.from("DIRC\0\0\0\x02\0\0\0\x01", "latin1"), entry]);
  const content = change(plain) ?? plain;
  return Buffer.concat([content, createHash("sha1").update(content).digest()]);
}

test("reads an index with the right checksum or none, and no other", () => {
  const index = changedIndex(() => undefined);
  expect(readIndex(index, "sha1")).toEqual({ paths: ["a.txt"], submodules: [] });
  expect(readIndex(Buffer.concat([index.subarray(0, -20), Buffer.alloc(20)]), "sha1")).toBeDefined();
  index.writeUInt8(index.readUInt8(20) ^ 1, 20);
  expect(readIndex(index, "sha1")).toBeUndefined();
});

test.each<[string, (bytes: Buffer) => Buffer | void]>([
  ["more flags in version 2", (bytes) => void bytes.writeUInt16BE(0x4005, FLAGS_AT)],
  ["a length that is not the name's", (bytes) => void bytes.writeUInt16BE(3, FLAGS_AT)],
  ["an unknown mode", (bytes) => void bytes.writeUInt32BE(0o160755, 12 + 24)],
  ["a folder as an entry", (bytes) => void bytes.writeUInt32BE(0o040000, 12 + 24)],
  ["more entries than there are", (bytes) => void bytes.writeUInt32BE(2, 8)],
  [
    "an extension that a reader must know",
    (bytes) => Buffer.concat([bytes, Buffer.from("xtra\0\0\0\0", "latin1")]),
  ],
  ["bytes behind the last extension", (bytes) => Buffer.concat([bytes, Buffer.from("abc")])],
])("has no reading of an index with %s", (_what, change) => {
  expect(readIndex(changedIndex(change), "sha1")).toBeUndefined();
});
