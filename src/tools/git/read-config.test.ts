import { expect, test } from "vitest";
import { settingRisk } from "./setting-risk.js";
import { readConfig } from "./read-config.js";

test("reads sections, names between them and keys as git writes them", () => {
  const text =
    '\uFEFF# comment\r\n[Core]\r\n\tFileMode = true\n; other\n[remote "Or\\"igin"]\n  url = a # b\n[a.B]\nkey\nx="y;z"\n';
  expect(readConfig(text)).toEqual([
    { name: "core.filemode", value: "true" },
    { name: 'remote.Or"igin.url', value: "a" },
    { name: "a.b.key", value: undefined },
    { name: "a.b.x", value: "y;z" },
  ]);
});

test.each([
  "[core] fsmonitor = x",
  "[core]\na = b \\\nc",
  "key = value",
  "[core\na = b",
  "[core]\n1a = b",
  '[core "a\nb"]',
  "[core]\na_b = c",
  "\\",
])("has no reading of %j", (text) => {
  expect(readConfig(text)).toBeUndefined();
});

const troubleOf = (name: string, value?: string) => settingRisk({ name, value });

test.each([
  ["core.filemode", "true"],
  ["core.bare", "false"],
  ["core.fsmonitor", "true"],
  ["core.hookspath", ".husky/_"],
  ["remote.origin.url", "https://example.com/a.git"],
  ["branch.main.remote", "origin"],
  ["user.email", "a@example.com"],
  ["submodule.lib.active", "true"],
  ["color.ui", "auto"],
])("%s = %s is harmless to a reader", (name, value) => {
  expect(troubleOf(name, value)).toBeUndefined();
});

test.each([
  ["core.fsmonitor", "./evil"],
  ["core.bare", "true"],
  ["core.bare", undefined],
  ["core.worktree", "/"],
  ["filter.lfs.clean", "x"],
  ["diff.external", "x"],
  ["diff.x.textconv", "x"],
  ["include.path", "x"],
  ["includeif.gitdir:/.path", "x"],
  ["alias.log", "!x"],
  ["remote.origin.promisor", "true"],
  ["remote.origin.uploadpack", "x"],
  ["extensions.partialclone", "origin"],
  ["extensions.unheardof", "true"],
  ["format.pretty", "%G?"],
  ["log.showsignature", "true"],
  ["submodule.lib.update", "!x"],
  ["unheardof.key", "x"],
])("%s = %s makes git no reader", (name, value) => {
  expect(troubleOf(name, value)).toEqual(expect.any(String));
});
