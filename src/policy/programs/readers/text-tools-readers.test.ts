import { expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";

const judge = (...argv: string[]) => judgeArgv(argv);

test("reads every word as a file when the script is in a file", () => {
  expect(judge("awk", "-f", "s.awk", "/etc/x").reads).toEqual(["s.awk", "/etc/x"]);
  expect(judge("sed", "-f", "s.sed", "/etc/x").reads).toEqual(["s.sed", "/etc/x"]);
  expect(judge("jq", "-f", "s.jq", "/etc/x").reads).toEqual(["s.jq", "/etc/x"]);
});

test("edits the files of sed -i and yq -i", () => {
  expect(judge("sed", "-i", "s/a/b/", "x").writes).toEqual(["x"]);
  expect(judge("yq", "-i", ".a = 1", "x.yml").writes).toEqual(["x.yml"]);
});

test("reads the only word of yq when that is a file", () => {
  expect(judge("yq", "/etc/x.yml").reads).toEqual(["/etc/x.yml"]);
  expect(judge("yq", 'eval("lo" + "ad(1)")', "x.yml").doubts).not.toEqual([]);
});

test("doubts a choice of files that asks for secrets", () => {
  expect(judge("grep", "-r", "--include=*.pem", "x").doubts).not.toEqual([]);
  expect(judge("rg", "-g", "!*.pem", "x").doubts).toEqual([]);
});
