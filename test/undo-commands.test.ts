/** Undo of commands: real files, real git, real commands. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { MemoryLedger } from "../src/history/index.js";
import { openGate } from "../src/run/index.js";
import type { Gate } from "../src/run/index.js";
import { builtInTools, LocalWorkspace } from "../src/tools/index.js";
import { openKeeper } from "../src/tools/kept-workspace/shadow-keeper.js";
import type { KeeperOptions } from "../src/tools/kept-workspace/shadow-keeper.js";
import { git } from "../src/tools/git/repository.samples.js";
import { folder } from "./agent-kit.js";
import { wholeTree } from "./kept-tree.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 5);

async function gateOn(root: string, options: Partial<KeeperOptions> = {}): Promise<Gate> {
  const keeper = openKeeper({ folder: await folder(), commands: "writing", ...options });
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace: await LocalWorkspace.open(root, { keeper }),
    sessionId: "s",
    tools: builtInTools,
    policy: () => ({ rules: [], default: "allow" }),
    loopLimit: 1_000,
  });
  onTestFinished(() => gate.close());
  return gate;
}

async function run(gate: Gate, command: string): Promise<string> {
  const { toolCallId, state } = await gate.call({ name: "terminal", input: { command } });
  expect(state.status).toBe("done");
  return toolCallId;
}

let template: string | undefined;

/** A repository with most of what a workspace can have. */
async function fullWorkspace(): Promise<string> {
  const root = await folder();
  template ??= newTemplate();
  execFileSync("cp", ["-a", `${template}/.`, root]);
  return root;
}

function newTemplate(): string {
  const root = mkdtempSync(join(tmpdir(), "toolgate-template-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  const repository = (at: string, files: Record<string, string>): void => {
    mkdirSync(join(root, at, "src/deep"), { recursive: true });
    git(join(root, at), "init", "-q", "-b", "main");
    for (const sample of readdirSync(join(root, at, ".git/hooks"))) rmSync(join(root, at, ".git/hooks", sample));
    git(join(root, at), "config", "user.name", "a");
    git(join(root, at), "config", "user.email", "a@example.com");
    for (const [name, content] of Object.entries(files)) writeFileSync(join(root, at, name), content);
    git(join(root, at), "add", "-A");
    git(join(root, at), "commit", "-qm", "one");
  };
  symlinkSync("src/b.txt", join(root, "link"));
  repository(".", {
    "a.txt": "a\n",
    "src/b.txt": "b\n",
    "src/deep/c.txt": "c\nc\n",
    "src/run.sh": "#!/bin/sh\n",
    "odd ' \" \n\\*é🎈.txt": "odd",
    "-dash": "dash",
    ".gitignore": ".env\nbuild/\n*.log\n",
  });
  chmodSync(join(root, "src/run.sh"), 0o755);
  writeFileSync(join(root, ".env"), "SECRET=1\n", { mode: 0o600 });
  writeFileSync(join(root, "x.log"), "log\n");
  mkdirSync(join(root, "build/deep"), { recursive: true });
  writeFileSync(join(root, "build/deep/out.js"), "out\n");
  mkdirSync(join(root, "empty/inner"), { recursive: true });
  writeFileSync(join(root, "new.txt"), "new\n", { mode: 0o640 });
  chmodSync(join(root, "src/deep"), 0o700);
  appendFileSync(join(root, "src/b.txt"), "changed\n");
  repository("nested", { "n.txt": "n\n" });
  return root;
}

const path = fc.constantFrom(
  "a.txt",
  "src/b.txt",
  "src/deep/c.txt",
  "src/run.sh",
  "src",
  "src/deep",
  "link",
  "new.txt",
  ".env",
  "x.log",
  "build",
  "build/deep/out.js",
  "empty",
  "empty/inner",
  "nested/n.txt",
  "nested",
  "fresh",
  "fresh/er",
  "./-dash",
  "./odd*",
);
const text = fc.constantFrom("", "one", "two\\ntwo", "a\\n");
const mode = fc.constantFrom("600", "640", "644", "755", "700", "444");
const quiet = ">/dev/null 2>&1";
const act = fc.oneof(
  fc.record({ path, text }).map((it) => `printf '${it.text}' > ${it.path}`),
  fc.record({ path, text }).map((it) => `printf '${it.text}' >> ${it.path}`),
  path.map((it) => `rm -rf -- ${it}`),
  path.map((it) => `rmdir ${it}`),
  path.map((it) => `mkdir -p ${it}/made`),
  fc.record({ path, to: path }).map((it) => `mv -f ${it.path} ${it.to}`),
  fc.record({ path, to: path }).map((it) => `cp -a ${it.path} ${it.to}`),
  fc.record({ path, mode }).map((it) => `chmod ${it.mode} ${it.path}`),
  fc.record({ path, to: path }).map((it) => `ln -s ${it.to} ${it.path}`),
  fc.record({ path, to: path }).map((it) => `ln -f ${it.path} ${it.to}`),
  fc.constantFrom(
    "git add -A",
    "git commit -qam more",
    "git stash",
    "git stash -u",
    "git stash; git stash pop",
    "git checkout -q -b other",
    "git checkout -q -- .",
    "git branch side/one; git pack-refs --all",
    "git tag t",
    "git rm -rq --cached .",
    "git reset -q --hard",
    "git clean -fdxq",
    "git config user.name other",
    "git gc -q --prune=now",
    "git mv a.txt moved.txt",
    "git worktree add -q tree",
    "git status",
    "git -C nested commit -q --allow-empty -m two",
    "git init -q fresh",
    "git init -q src",
    "rm -rf .git/objects",
    "rm -rf .git",
    "rm .gitignore",
    "echo '*' > .gitignore",
    "printf 'x' > $(printf 'bad\\377')",
  ),
);

test(
  "is byte for byte as before when any command is undone",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 4 }), fc.boolean(), async (acts, isSecond) => {
        const root = await fullWorkspace();
        const gate = await gateOn(root);
        // Also with an index that has seen the workspace before.
        if (isSecond) await run(gate, "printf 'z' > earlier.txt; git status");
        const before = wholeTree(root);
        const toolCallId = await run(gate, `umask 022; ${acts.map((one) => `{ ${one}; } ${quiet}`).join("\n")}\ntrue`);
        writeFileSync(join(root, "of somebody else"), "mine");
        const after = wholeTree(root);
        delete after["of somebody else"];
        const isSame = JSON.stringify(after) === JSON.stringify(before);
        const undone = await gate.undo(toolCallId).catch((error: unknown) => error);
        if (isSame && undone instanceof Error) expect(undone.message).toMatch(/kept|nothing to put back/);
        else expect(undone).toMatchObject({ paths: expect.anything() });
        const { "of somebody else": mine, ...now } = wholeTree(root);
        expect(mine).toBeDefined();
        const withoutBadName = ({ "bad\u00ff": _, ...rest }: Record<string, string>) => rest;
        expect(withoutBadName(now)).toEqual(before);
        execFileSync("git", ["fsck", "--connectivity-only"], { cwd: root, stdio: "pipe" });
        await gate.close();
        await rm(root, { recursive: true });
      }),
      { numRuns: RUNS },
    );
  },
  Math.max(120_000, RUNS * 5_000),
);
