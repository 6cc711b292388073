import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { aWorkspace, failureOf } from "./tools.samples.js";
import type { CommandOptions } from "./workspace.js";

const pty = { columns: 100, rows: 30 };

async function run(command: string | readonly string[], options: Partial<CommandOptions> = {}) {
  const { root, workspace } = await aWorkspace();
  let output = "";
  const onOutput = (text: string) => void (output += text);
  const signal = new AbortController().signal;
  const exit = await workspace.runCommand(command, { signal, onOutput, pty, ...options });
  return { exit, root, output };
}

test("gives a command a terminal of the requested size", async () => {
  const { exit, output, root } = await run("test -t 0 && test -t 1 && stty size; echo $TERM; pwd; exit 3");
  expect(output).toBe(`30 100\r\nxterm-256color\r\n${root}\r\n`);
  expect(exit).toEqual({ exitCode: 3 });
});

test("runs a list of words without a shell in a terminal too", async () => {
  expect((await run(["printf", "<%s>", "$HOME", "; id"])).output).toBe("<$HOME><; id>");
});

test("keeps the end of fast output in a terminal", async () => {
  for (let round = 0; round < 5; round++) {
    const { output } = await run("seq 20000");
    expect(output.endsWith("\r\n19999\r\n20000\r\n")).toBe(true);
    expect(output.length).toBe(128_894);
  }
});

test("keeps the end of the output in a terminal when the event loop was blocked", async () => {
  let output = "";
  const onOutput = (text: string) => {
    output += text;
    const until = performance.now() + 300;
    while (performance.now() < until);
  };
  await run("echo busy; sleep 0.1; seq 3000", { onOutput });
  expect(output.endsWith("\r\n2999\r\n3000\r\n")).toBe(true);
});

test("joins a character of two chunks in a terminal", async () => {
  expect((await run(String.raw`printf '\342'; sleep 0.2; printf '\202\254'`)).output).toBe("€");
});

test("reports the signal of a killed command in a terminal", async () => {
  expect((await run("kill -9 $$")).exit).toEqual({ signal: "SIGKILL" });
});

test.each([
  [
    "in a session of its own",
    `setsid sh -c 'trap "" TERM HUP; echo $$ > far; while :; do sleep 0.1; done' &`,
  ],
  // The process has left the group, its parent and our mark.
  ["in a job of its own", `set -m; (env -i sh -c 'trap "" HUP; echo $$ > far; exec sleep 1000' &)`],
])("ends on cancel a command in a terminal and all it started %s", async (_, far) => {
  const { root, workspace } = await aWorkspace();
  const cancel = new AbortController();
  await workspace.runCommand(
    `${far}
    while ! test -s far; do sleep 0.02; done; echo up; sleep 1000`,
    {
      signal: cancel.signal,
      pty,
      onOutput: (text) => text.includes("up") && cancel.abort(),
    },
  );
  const pid = Number(await readFile(join(root, "far"), "utf8"));
  expect(pid).toBeGreaterThan(1);
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  expect(state).toMatch(/\) Z/);
});

test("reports a terminal that cannot be opened", async () => {
  expect(await failureOf(run("echo \0"))).toContain("The command could not be started");
  expect(await failureOf(run("true", { cwd: "/no/such/folder" }))).toContain("nothing is there (ENOENT)");
  const { exit, output } = await run(["no-such-program"]);
  expect(exit).toEqual({ exitCode: 1 });
  expect(output).toContain("No such file or directory");
});

test("terminals leave no descriptor open", async () => {
  await run("true");
  const before = readdirSync("/proc/self/fd").length;
  for (let round = 0; round < 20; round++) await run("echo x");
  await setTimeout(50);
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
});
