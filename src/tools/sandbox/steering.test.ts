import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { collectOutput } from "../../process/index.js";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { openSandbox } from "./sandbox.js";
import { steeringIn } from "./steering.js";

const folder = await mkdtemp(join(tmpdir(), "toolgate-sandbox-"));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
const sandbox = await openSandbox({ folder });

const ENV = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_SEQUENCE_EDITOR: "sed -i 1s/^pick/edit/" };

/** Two commits on a branch, and one beside them that changes the same file. */
async function aHistory() {
  const { root } = await aWorkspace({});
  const git = (...words: readonly string[]) =>
    collectOutput(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", ...words], {
      cwd: root,
      env: ENV,
      timeoutMs: 60_000,
    });
  await git("init", "-q", "-b", "main");
  const commit = async (text: string) => {
    writeFileSync(join(root, "a.txt"), text);
    await git("add", "a.txt");
    await git("commit", "-qm", text);
  };
  await commit("one");
  await git("branch", "beside");
  await commit("two");
  await commit("three");
  mkdirSync(join(root, "git-merge-x"));
  writeFileSync(join(root, "evil"), "#!/bin/sh\ntouch started\n");
  chmodSync(join(root, "evil"), 0o755);
  const workspace = await LocalWorkspace.open(root, { sandbox });
  const run = async (command: string) => {
    let output = "";
    const signal = new AbortController().signal;
    await workspace.runCommand(command, { signal, onOutput: (text) => void (output += text) });
    return output;
  };
  return { root, git, run };
}

const IDENTITY =
  "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c;";

test.each([
  [
    "rebase-merge",
    `${IDENTITY} GIT_SEQUENCE_EDITOR='sed -i 1s/^pick/edit/' git rebase -i HEAD~2; echo x/../evil >.git/rebase-merge/strategy`,
    ["rebase", "--continue"],
  ],
  [
    "sequencer",
    `${IDENTITY} git checkout -q beside; echo other >a.txt; git commit -qam other; git cherry-pick main~1 main; git checkout -q --theirs a.txt; git add a.txt; git config -f .git/sequencer/opts options.strategy x/../evil`,
    ["-c", "core.editor=true", "cherry-pick", "--continue"],
  ],
])("holds a half-done %s back whose strategy is a program of the workspace", async (name, command, next) => {
  const { root, git, run } = await aHistory();
  const output = await run(command);
  expect(output).toContain(`${join(root, ".git", name)} was moved to`);
  await git(...next);
  expect(existsSync(join(root, "started"))).toBe(false);
});

test("reads steps that a command made for it in little time", async () => {
  const { root } = await aWorkspace({ "rebase-merge/git-rebase-todo": "\n".repeat(1_000_000) });
  const start = process.cpuUsage();
  expect(steeringIn(root)).toEqual([]);
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});

test("leaves a half-done rebase or cherry-pick alone that has a strategy of git", async () => {
  const { root, git, run } = await aHistory();
  const rebase = "GIT_SEQUENCE_EDITOR='sed -i 1s/^pick/edit/' git rebase -i --strategy=ort -X ours HEAD~2";
  expect(await run(`${IDENTITY} ${rebase}`)).not.toContain("held a change back");
  expect(existsSync(join(root, ".git/rebase-merge/strategy"))).toBe(true);
  await git("rebase", "--abort");
  const pick =
    "git checkout -q beside; echo other >a.txt; git commit -qam other; git cherry-pick --strategy=ort -X ours main~1 main";
  expect(await run(`${IDENTITY} ${pick}; echo "[options]" >>.git/sequencer/opts`)).not.toContain(
    "held a change back",
  );
  expect(existsSync(join(root, ".git/sequencer/opts"))).toBe(true);
});
