import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { captureOutput } from "../../process/index.js";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { openSandbox } from "./sandbox.js";

async function contained(files: { readonly [name: string]: string }) {
  const { root } = await aWorkspace(files);
  const folder = await mkdtemp(join(tmpdir(), "toolgate-sandbox-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await captureOutput(["git", "init", "-q", root], { env: process.env, timeoutMs: 60_000 });
  const workspace = await LocalWorkspace.open(root, { sandbox: await openSandbox({ folder }) });
  const run = async (command: string) => {
    let output = "";
    const onOutput = (text: string) => void (output += text);
    const exit = await workspace.runCommand(command, { signal: new AbortController().signal, onOutput });
    return { exit, output };
  };
  return { root, folder, run };
}

/** The things that a contained command makes, by the path that must be gone afterwards. */
const LEFT_BEHIND = {
  ".envrc": "echo evil >.envrc",
  "sub/.envrc": "mkdir -p sub && echo evil >sub/.envrc",
  ".idea": "mkdir .idea && echo evil >.idea/workspace.xml",
  "src/.vscode": "mkdir -p src/.vscode && echo evil >src/.vscode/tasks.json",
  ".mcp.json": "echo evil >.mcp.json",
  ".npmrc": "echo script-shell=evil >.npmrc",
  ".gitmodules": "echo evil >.gitmodules",
  "nested/.git": "git init -q nested && echo evil >nested/.git/hooks/post-checkout",
  "bare/HEAD":
    "mkdir -p bare/objects bare/refs && echo ref: refs/heads/x >bare/HEAD && echo evil >bare/config",
  ".git/config.worktree": "echo evil >.git/config.worktree",
  ".git/modules": "mkdir -p .git/modules/x && echo evil >.git/modules/x/config",
  ".git/rebase-merge": "mkdir .git/rebase-merge && echo 'exec evil' >.git/rebase-merge/git-rebase-todo",
  pipe: "mkfifo pipe",
} as const;

test("takes out of the workspace what a command left to act later, and keeps and names it", async () => {
  const { root, folder, run } = await contained({ "a.txt": "a" });
  const { exit, output } = await run(`${Object.values(LEFT_BEHIND).join("\n")}\necho b >a.txt`);
  expect(exit).toEqual({ exitCode: 0 });
  for (const path of Object.keys(LEFT_BEHIND)) {
    expect(lstatSync(join(root, path), { throwIfNoEntry: false }), path).toBeUndefined();
    expect(output).toContain(join(root, path));
  }
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("b\n");
  const [held = ""] = readdirSync(join(folder, "held"));
  // All but the pipe, which has no content to keep.
  expect(readdirSync(join(folder, "held", held))).toHaveLength(Object.keys(LEFT_BEHIND).length - 1);
});

test("restores a link with a protected name that a command replaced or removed", async () => {
  const { root, run } = await contained({ "docs/agents.txt": "Be kind.\n" });
  symlinkSync("docs/agents.txt", join(root, "CLAUDE.md"));
  symlinkSync("docs/agents.txt", join(root, "GEMINI.md"));
  const { output } = await run("rm CLAUDE.md GEMINI.md && echo evil >CLAUDE.md");
  for (const name of ["CLAUDE.md", "GEMINI.md"]) {
    expect(readlinkSync(join(root, name))).toBe("docs/agents.txt");
    expect(output).toContain(join(root, name));
  }
});

test("says nothing and leaves no file of its own when a command changes only ordinary files", async () => {
  const { root, run } = await contained({ "a.txt": "a", ".env": "SECRET=1" });
  const work =
    "git add a.txt && git -c user.name=A -c user.email=a@b.c commit -qm one && echo b >a.txt && mkdir x";
  expect(await run(work)).toEqual({ exit: { exitCode: 0 }, output: "" });
  expect(readdirSync(root).toSorted()).toEqual([".env", ".git", "a.txt", "x"]);
  expect(readdirSync(join(root, ".git"))).not.toContain("commondir");
});
