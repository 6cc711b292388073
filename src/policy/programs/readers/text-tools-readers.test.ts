import { expect, test } from "vitest";
import { readShell } from "../../shell/read-shell.js";
import { judgeArgv } from "../judge-argv.js";

const judge = (...argv: string[]) => judgeArgv(argv);

test("reads every word as a file when the script is in a file", () => {
  expect(judge("awk", "-f", "s.awk", "/etc/x").reads).toEqual(["s.awk", "/etc/x"]);
  expect(judge("sed", "-f", "s.sed", "/etc/x").reads).toEqual(["s.sed", "/etc/x"]);
  expect(judge("jq", "-f", "s.jq", "/etc/x").reads).toEqual(["s.jq", "/etc/x"]);
});

test("edits the files of sed -i and yq -i", () => {
  expect(judge("sed", "-i", "s/a/b/", "x").writes).toEqual(["x"]);
  expect(judge("sed", "-i.md", "s/a/b/", "AGENTS").writes).toEqual(["AGENTS", "AGENTS.md"]);
  expect(judge("yq", "-i", ".a = 1", "x.yml").writes).toEqual(["x.yml"]);
});

test("reads the only word of yq when that is a file", () => {
  expect(judge("yq", "/etc/x.yml").reads).toEqual(["/etc/x.yml"]);
  expect(judge("yq", 'eval("lo" + "ad(1)")', "x.yml").doubts).not.toEqual([]);
});

test("reads the words of jq also with --args and behind --", () => {
  expect(judge("jq", ".", "/outside/x", "--args", "a").reads).toEqual(["/outside/x", "a"]);
  expect(judge("jq", "-R", ".", "--", "--arg", "/outside", "x").reads).toContain("/outside");
});

test("binds a script in a file to what is in it", () => {
  expect(judge("awk", "-f", "s.awk", "x").runsFiles).toContain("s.awk");
  expect(judge("sed", "-f", "s.sed", "x").runsFiles).toContain("s.sed");
});

test("doubts a pattern where a script or a value stands, and not where files do", () => {
  for (const line of [
    "awk src/*",
    "awk -v x=src/* '{print}' f",
    "awk -F src/* '{print}' f",
    "awk -F : src/* f",
    "sed src/*",
    "sed src/* src/*",
    "sed -e src/* f",
    "jq src/*",
    "jq --arg a src/* . f",
  ])
    expect(readShell(line).doubts, line).not.toEqual([]);
  for (const line of [
    "awk '/[a-z]*/ {print}' src/*.txt",
    "sed -n 's/[a-z]*/x/p' src/*",
    "jq '.[]' src/*.json",
  ])
    expect(readShell(line).doubts, line).toEqual([]);
});

test("doubts a choice of files that asks for secrets", () => {
  expect(judge("grep", "-r", "--include=*.pem", "x").doubts).not.toEqual([]);
  expect(judge("rg", "-g", "!*.pem", "x").doubts).toEqual([]);
});
