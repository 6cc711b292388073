import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { collectOutput } from "../../process/index.js";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { openSandbox } from "./sandbox.js";

const folder = await mkdtemp(join(tmpdir(), "toolgate-sandbox-"));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
const sandbox = await openSandbox({ folder });

async function contained(
  files: { readonly [name: string]: string },
  links: { readonly [name: string]: string } = {},
) {
  const { root } = await aWorkspace(files);
  const git = (...words: readonly string[]) =>
    collectOutput(["git", ...words], { cwd: root, env: process.env, timeoutMs: 60_000 });
  await git("init", "-q");
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    symlinkSync(target, join(root, name));
  }
  const workspace = await LocalWorkspace.open(root, { sandbox });
  const run = async (command: string) => {
    let output = "";
    const onOutput = (text: string) => void (output += text);
    await workspace.runCommand(command, { signal: new AbortController().signal, onOutput });
    return output;
  };
  const read = (name: string) => readFileSync(join(root, name), "utf8");
  return { root, git, run, read };
}

/** The files that links of protected folders lead to. */
const LINKED = {
  ".git/hooks/pre-commit": "../../scripts/pre-commit",
  ".vscode/tasks.json": "../tools/tasks.json",
  ".claude/settings.json": "../conf/settings.json",
  ".claude/skills": "../skills",
  ".github/workflows/x.yml": "../../ci/x.yml",
  ".husky/pre-commit": "../scripts/h.sh",
  "more/pre-push": "../scripts/push.sh",
  "skills/b": "../others",
};
const TARGETS = {
  "scripts/pre-commit": "hook\n",
  "tools/tasks.json": "{}\n",
  "conf/settings.json": "{}\n",
  "skills/a.md": "a\n",
  "others/b.md": "b\n",
  "ci/x.yml": "x\n",
  "scripts/h.sh": "h\n",
  "scripts/push.sh": "p\n",
};

test("keeps the targets of links in protected folders and among hooks as they are", async () => {
  const { run, read, git } = await contained({ ...TARGETS, "a.txt": "" }, LINKED);
  await git("config", "core.hooksPath", "more");
  const names = Object.keys(TARGETS);
  const output = await run(
    `for i in ${names.join(" ")}; do echo evil >>$i; mv $i $i.old; done; echo x >skills/new; echo b >a.txt; false`,
  );
  for (const [name, content] of Object.entries(TARGETS)) expect(read(name), name).toBe(content);
  expect(output).toContain("Read-only file system");
  expect(() => read("skills/new")).toThrow("ENOENT");
  expect(read("a.txt")).toBe("b\n");
});

test("leaves links of dependencies and of what ordinary folders hold alone", async () => {
  const { run, read } = await contained(
    { "src/a.ts": "", ".opencode/node_modules/x/a.js": "" },
    { ".opencode/node_modules/own": "../../src", latest: "src" },
  );
  expect(await run("echo b >src/a.ts; rm latest; ln -s other latest; mkdir other")).toBe("");
  expect(read("src/a.ts")).toBe("b\n");
});

test("takes out the missing files that protected links lead to", async () => {
  const { root, run } = await contained(
    { "docs/own.txt": "own\n", "tools/a": "" },
    {
      ".envrc": "env/dev.sh",
      "GEMINI.md": "docs/none.txt",
      "CLAUDE.md": "docs/other.txt",
      ".vscode/tasks.json": "../tools/tasks.json",
      ".git/hooks/post-commit": "../../built/hook",
      "AGENTS.md": "far/a.txt",
    },
  );
  const output = await run(
    "mkdir env real built; for i in env/dev.sh docs/none.txt tools/tasks.json built/hook real/a.txt; do echo evil >$i; done; ln -s own.txt docs/other.txt; ln -s real far",
  );
  for (const path of [
    "env/dev.sh",
    "docs/none.txt",
    "tools/tasks.json",
    "built/hook",
    "docs/other.txt",
    "far",
  ])
    expect(output).toContain(`${join(root, path)} was moved to`);
  expect(readdirSync(join(root, "docs"))).toEqual(["own.txt"]);
  expect(readdirSync(join(root, "tools"))).toEqual(["a"]);
  expect(readdirSync(join(root, "real"))).toEqual(["a.txt"]);
  for (const name of [".envrc", "GEMINI.md", "CLAUDE.md", "AGENTS.md", ".git/hooks/post-commit"])
    expect(() => readFileSync(join(root, name)), name).toThrow("ENOENT");
});

test("leads a protected link back that a command led elsewhere by a name on the way", async () => {
  const files = { "docs/v1/c.txt": "kind\n", "docs/v2/c.txt": "evil\n", "deep/b/c.txt": "kind\n" };
  const { root, run, read } = await contained(files, {
    "CLAUDE.md": "docs/cur/c.txt",
    "docs/cur": "v1",
    "GEMINI.md": "deep/a/l/c.txt",
    "deep/a/l": "../b",
    "QWEN.md": "docs/rel/c.txt",
    "docs/rel": "v1",
  });
  const output = await run(
    "ln -sfn v2 docs/cur; mv deep/a deep/x; mkdir -p deep/a; ln -s ../../docs/v2 deep/a/l; rm docs/rel; mkdir docs/rel; echo evil >docs/rel/c.txt",
  );
  for (const name of ["CLAUDE.md", "GEMINI.md", "QWEN.md"]) expect(read(name), name).toBe("kind\n");
  expect(readlinkSync(join(root, "docs/cur"))).toBe("v1");
  expect(readlinkSync(join(root, "docs/rel"))).toBe("v1");
  expect(output).toContain(`led the protected name ${join(root, "CLAUDE.md")} elsewhere`);
});

test("puts the content of a protected file back that was changed through a further name", async () => {
  const { root, run, read, git } = await contained({
    "scripts/post-commit": "#!/bin/sh\necho hook\n",
    "AGENTS.md": "kind\n",
    "conf/t.json": "{}\n",
    ".vscode/tasks.json": "large".repeat(100_000),
  });
  linkSync(join(root, "scripts/post-commit"), join(root, ".git/hooks/post-commit"));
  mkdirSync(join(root, "docs"));
  linkSync(join(root, "AGENTS.md"), join(root, "docs/hard.md"));
  linkSync(join(root, ".git/config"), join(root, "docs/config"));
  linkSync(join(root, ".vscode/tasks.json"), join(root, "docs/tasks.json"));
  symlinkSync("conf/t.json", join(root, "opencode.json"));
  linkSync(join(root, "conf/t.json"), join(root, "docs/t.json"));
  expect(await run("cat docs/*; touch AGENTS.md; true")).not.toContain("sandbox");
  const output = await run("for i in scripts/post-commit docs/*; do echo evil >>$i; done");
  expect(read(".git/hooks/post-commit")).toBe("#!/bin/sh\necho hook\n");
  expect(read("AGENTS.md")).toBe("kind\n");
  expect(read("opencode.json")).toBe("{}\n");
  expect(read("docs/hard.md")).toBe("kind\nevil\n");
  expect((await git("status", "--short")).stderr).toBe("");
  expect(output).toContain(`put the content of ${join(root, "AGENTS.md")} back`);
  expect(output).toContain(`${join(root, ".vscode/tasks.json")} was moved to`);
  expect(await run("echo evil >>docs/hard.md")).toBe("");
  expect(read("AGENTS.md")).toBe("kind\n");
});

test("says nothing of links that stay as they are", async () => {
  const { root, run } = await contained(
    { ...TARGETS, "old/a": "" },
    { ...LINKED, "GEMINI.md": "docs/none.txt" },
  );
  rmSync(join(root, "old"), { recursive: true });
  writeFileSync(join(root, "x"), "");
  expect(await run("mkdir docs; echo a >docs/other.txt; git status >/dev/null")).toBe("");
});
