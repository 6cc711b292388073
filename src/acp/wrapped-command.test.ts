import { expect, test } from "vitest";
import { FORCED_GIT_SETTINGS } from "../policy/forced-git-settings.js";
import { unwrappedCommand, wrappedCommand } from "./wrapped-command.js";

const bash = { shell: "/bin/bash", language: "bash" } as const;
const script = "mkdir -p out && echo hi";

test.each([true, false])("unwraps a command to what it was (forced: %s)", (isForced) => {
  const words = wrappedCommand(script, bash, isForced);
  const env = { ...(isForced && FORCED_GIT_SETTINGS), TMPDIR: "/tmp/toolgate-0/1109b8911ca533e0-24ad0a69" };
  expect(unwrappedCommand(words, { ...env, PATH: process.env["PATH"] ?? "" })).toEqual({
    command: script,
    env: {},
  });
});

test("keeps the variables that are not ours", () => {
  const env = { A: "1", PATH: "/tmp/evil:/bin", TMPDIR: "/etc", GIT_PAGER: "evil" };
  expect(unwrappedCommand(wrappedCommand(script, bash, true), env)).toEqual({ command: script, env });
});

test.each([
  ["a login shell", ["/bin/bash", "-lc", script]],
  ["another shell", ["/bin/zsh", "--noprofile", "--norc", "-p", "-c", "--", script]],
  ["a shell of the project", ["./bash", "--noprofile", "--norc", "-p", "-c", "--", script]],
  ["words after the script", ["/bin/bash", "--noprofile", "--norc", "-p", "-c", "--", script, "zero"]],
  ["other variables unset", ["/usr/bin/env", "-u", "HOME", ...wrappedCommand(script, bash, false)]],
  ["plain words", ["ls", "-l"]],
])("leaves %s alone", (_, words) => {
  expect(unwrappedCommand(words, {})).toBeUndefined();
});
