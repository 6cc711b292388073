import { getEventListeners } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aWorkspace, failureOf } from "../tools.samples.js";
import { runRipgrep } from "./run-ripgrep.js";
import type { RipgrepRun } from "./run-ripgrep.js";

async function aRun(changes: Partial<RipgrepRun> = {}) {
  const { root } = await aWorkspace({ "a.txt": "one\ntwo\n", "b.txt": "one\n" });
  const records: string[] = [];
  const run: RipgrepRun = {
    argv: ["--files", "--null", "--sort=path", "--", "."],
    cwd: root,
    signal: new AbortController().signal,
    timeLimit: 20_000,
    separator: "\0",
    onRecord: (record) => records.push(record) > 0,
    ...changes,
  };
  return { run, records, root };
}

/** A program that says who it is and then hangs, in a folder of the test's own. */
async function aProgram(root: string, script: string): Promise<string> {
  const program = join(root, "program");
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  return program;
}

test("passes output on record by record", async () => {
  const { run, records } = await aRun();
  expect(await runRipgrep(run)).toEqual({ by: "itself", exitCode: 0, problem: "" });
  expect(records).toEqual(["./a.txt", "./b.txt"]);
});

test("stops when the reader has enough", async () => {
  const records: string[] = [];
  const { run } = await aRun({ onRecord: (record) => records.push(record) > 1 });
  const { run: never } = await aRun({ onRecord: () => false });
  await runRipgrep(run);
  expect(await runRipgrep(never)).toMatchObject({ by: "enough" });
  expect(records).toEqual(["./a.txt"]);
});

test("uses the ripgrep of the PATH when the bundled one cannot run", async () => {
  const { run, records, root } = await aRun();
  const theirs = await aProgram(root, 'printf "%s\\0" "$@"');
  await runRipgrep({ ...run, programs: [join(root, "missing"), join(root, "a.txt"), theirs] });
  expect(records).toEqual(["--no-config", ...run.argv]);
});

test("names the next step when there is no ripgrep", async () => {
  const { run, root } = await aRun();
  expect(await failureOf(runRipgrep({ ...run, programs: [join(root, "missing")] }))).toBe(
    "ToolFailure: ripgrep, the program that searches, cannot be run (ENOENT). Nothing was searched. " +
      'Install ripgrep so that "rg" is on the PATH, or search with a command.',
  );
});

test("its time is limited, and what it had found by then stays", async () => {
  const { run, records, root } = await aRun();
  const slow = await aProgram(root, 'printf "found\\0"; exec sleep 60');
  expect(await runRipgrep({ ...run, programs: [slow], timeLimit: 300 })).toEqual({ by: "time", problem: "" });
  expect(records).toEqual(["found"]);
});

test("ends with the reason of the cancel", async () => {
  const cancel = new AbortController();
  const reason = new Error("the user pressed stop");
  const { run, root } = await aRun({
    signal: cancel.signal,
    timeLimit: 600_000,
    onRecord: () => {
      cancel.abort(reason);
      return true;
    },
  });
  const slow = await aProgram(root, 'printf "found\\0"; exec sleep 60');
  await expect(runRipgrep({ ...run, programs: [slow] })).rejects.toBe(reason);
  await expect(runRipgrep(run)).rejects.toBe(reason);
  expect(getEventListeners(cancel.signal, "abort")).toEqual([]);
});

test("reports ripgrep's errors, shortened", async () => {
  const { run, root } = await aRun();
  const sad = await aProgram(root, "yes sad | head -c 100000 >&2; exit 2");
  const end = await runRipgrep({ ...run, programs: [sad] });
  expect(end.exitCode).toBe(2);
  expect(end.problem.startsWith("sad\nsad")).toBe(true);
  expect(end.problem.length).toBeLessThanOrEqual(2000);
});
