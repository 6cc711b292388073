import { expect, test } from "vitest";
import { readShell } from "./read-shell.js";
import type { ShellLanguage } from "./shell-context.js";

const background = (text: string, language: ShellLanguage = "bash") =>
  readShell(text, { language })
    .commands.filter(({ isBackground }) => isBackground)
    .map(({ argv }) => argv.join(" "));

test.each<[string, string[]]>([
  ["ls", []],
  ["ls; pwd && cat a | wc", []],
  ["sleep 5; cat a &", ["cat a"]],
  ["cat a & ls", ["cat a"]],
  ["(sleep 5; cat a) &", ["sleep 5", "cat a"]],
  ["{ sleep 5; cat a | wc; } & ls", ["sleep 5", "cat a", "wc"]],
  ["sleep 5 && cat a & ls", ["sleep 5", "cat a"]],
  ["cat a | wc &", ["cat a", "wc"]],
  ["if true; then cat a & fi", ["cat a"]],
  ["if true; then cat a; fi &", ["true", "cat a"]],
  ["(ls & pwd)", ["ls"]],
  ["echo $(cat a) &", ["cat a", "echo $(cat a)"]],
  ["echo $(cat a & ls)", ["cat a"]],
  ["bash -c 'sleep 5; cat a' &", ["bash -c sleep 5; cat a", "sleep 5", "cat a"]],
  ["bash -c 'cat a & ls'", ["cat a"]],
  ["eval 'cat a &'", ["cat a"]],
  ["nice cat a &", ["nice cat a", "cat a"]],
  ["setsid cat a", ["cat a"]],
  ["setsid -f cat a", ["cat a"]],
  ["setsid -w cat a", []],
  ["setsid --wait cat a", []],
  ["sudo -b cat a", ["cat a"]],
  ["sudo -nb cat a", ["cat a"]],
  ["sudo cat a", []],
  ["nohup cat a", []],
])("in %j, nobody waits for %j", (text, expected) => {
  expect(background(text)).toEqual(expected);
});

test("takes a group before a pipe for one that goes on when any shell may read the text", () => {
  expect(background("(sleep 5; cat a) | true", "sh")).toEqual(["sleep 5", "cat a"]);
  expect(background("git log | head", "sh")).toEqual([]);
  expect(background("(sleep 5; cat a) | true", "bash")).toEqual([]);
});
