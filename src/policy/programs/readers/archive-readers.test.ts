import { expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";

const judge = (line: string) => judgeArgv(line.split(" "));

test.each([
  ["tar xzf a.tgz", ["."]],
  ["tar -xf a.tar -C out", ["out"]],
  ["unzip a.zip", ["."]],
  ["unzip a.zip -d out", ["out"]],
  ["7z x a.7z -oout", ["out"]],
  ["cpio -i -F a.cpio", ["."]],
  ["ar x lib.a", ["."]],
])("%s edits below the folder that it unpacks into", (line, below) =>
  expect(judge(line).editsBelow).toEqual(below),
);

test("edits below the folder that unrar takes as its last word", () => {
  expect(judge("unrar x a.rar /etc/").editsBelow).toContain("/etc/");
});

test("doubts what the archive would write, but not when it is listed or printed", () => {
  for (const line of ["tar tf a.tar", "tar -xOf a.tar x", "unzip -l a.zip", "zipinfo a.zip"])
    expect(judge(line).doubts, line).toEqual([]);
  for (const line of ["tar xf a.tar", "unzip a.zip", "7z x a.7z", "unrar x a.rar", "ar x lib.a"])
    expect(judge(line).doubts.join(), line).toContain("writes whatever files the archive names");
  for (const line of ["tar cf - src", "tar xf a.tar", "unzip a.zip"])
    expect(judge(line).onlyReads, line).toBe(false);
});

test("reads what is packed from the folder that -C names", () => {
  expect(judge("tar cf a.tar -C /home/u .aws").reads).toContain("/home/u/.aws");
  expect(judge("tar cf a.tar -C a -C ../../etc passwd").reads).toContain("a/../../etc/passwd");
});

test("doubts words that load code or write where the input says", () => {
  for (const line of ["ar t lib.a --plugin=./x.so", "uudecode a", "tar -cMf a.tar x", "7z l a.7z @list"])
    expect(judge(line).doubts, line).not.toEqual([]);
});

test("edits the file when the -l of a compressor does not list", () => {
  for (const line of ["lz4 -l a", "pbzip2 -l a"]) expect(judge(line).writes, line).toEqual(["a"]);
  expect(judge("gzip -l a").writes).toEqual([]);
});
