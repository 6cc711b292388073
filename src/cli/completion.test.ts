/** Runs the scripts in real shells. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { completionScript } from "./completion.js";
import { createProgram } from "./create-program.js";

/** The words that bash offers after these words; the last one is at the cursor. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionScript("bash", createProgram())}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_toolgate
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, "bash", "toolgate", ...words], {
    encoding: "utf8",
    cwd: import.meta.dirname,
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((word) => word !== "");
}

test("offers commands and their options", () => {
  expect(offered("ru")).toEqual(["run", "rules"]);
  expect(offered("history", "ex")).toEqual(["export"]);
  expect(offered("run", "--mod")).toEqual(["--model", "--mode"]);
});

test("offers only the choices of an option that has choices", () => {
  const modes = ["ask", "accept-edits", "read-only", "allow-all"];
  expect(offered("run", "--mode", "")).toEqual(modes);
  expect(offered("run", "--mode", "a")).toEqual(["ask", "accept-edits", "allow-all"]);
  // Bash takes the = for a word of its own.
  expect(offered("run", "--mode", "=")).toEqual(modes);
  expect(offered("run", "--mode", "=", "re")).toEqual(["read-only"]);
  expect(offered("acp", "--mode", "r")).toEqual(["read-only"]);
  expect(offered("stats", "--by", "m")).toEqual(["model"]);
  expect(offered("history", "export", "--format", "")).toEqual(["text", "markdown", "ndjson", "csv"]);
});

test("continues with the command after the value of an option", () => {
  expect(offered("run", "--mode", "ask", "--sandb")).toEqual(["--sandbox"]);
  expect(offered("run", "--mode", "=", "ask", "--sandb")).toEqual(["--sandbox"]);
});

test("offers files where any value is allowed", () => {
  expect(offered("run", "--ledger", "completion.te")).toEqual(["completion.test.ts"]);
  expect(offered("conformance", "--", "node", "completion.te")).toEqual(["completion.test.ts"]);
});

test("gives fish the values too", () => {
  const script = completionScript("fish", createProgram());
  expect(script).toContain(
    "complete -c toolgate -n '__fish_seen_subcommand_from run' -l mode -x -a 'ask accept-edits read-only allow-all'\n",
  );
  expect(script).toContain("complete -c toolgate -n '__fish_seen_subcommand_from run' -l sandbox\n");
});
