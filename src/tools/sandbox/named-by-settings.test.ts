import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { collectOutput } from "../../process/index.js";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { namedBySettings, settingsAt } from "./named-by-settings.js";
import { openSandbox } from "./sandbox.js";

const folder = await mkdtemp(join(tmpdir(), "toolgate-sandbox-"));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

async function withSettings(text: string) {
  const { root } = await aWorkspace({});
  await collectOutput(["git", "init", "-q", root], { env: process.env, timeoutMs: 60_000 });
  writeFileSync(join(root, ".git/config"), text, { flag: "a" });
  return root;
}

async function obeyed(text: string): Promise<readonly string[]> {
  const root = await withSettings(text);
  const { obeyed: paths } = namedBySettings(settingsAt(root), { home: "/nowhere", roots: [root] });
  return paths.filter((path) => path.startsWith(`${root}/`)).map((path) => path.slice(root.length + 1));
}

test.each([
  ["[diff]\n\texternal = tools/x"],
  ["[core]\n\talternateRefsCommand = ./tools/x"],
  ['[gpg "ssh"]\n\tdefaultKeyCommand = sh tools/x'],
  ['[mergetool "a"]\n\tpath = tools/x'],
  ['[browser "a"]\n\tpath = tools/x'],
  ["[sendemail]\n\tsmtpServer = tools/x"],
  ["[other]\n\tof = tools/x"],
  ['[submodule "a"]\n\tupdate = !tools/x'],
  ['[alias]\n\ta = "!$(git rev-parse --show-toplevel)/tools/x"'],
  ['[alias]\n\ta = "!\\"$(git rev-parse --show-toplevel)\\"/tools/x a"'],
  ['[alias]\n\ta = "!${GIT_WORK_TREE:-.}/tools/x"'],
  ["[alias]\n\ta = !$PWD/tools/x"],
  ["[alias]\n\ta = !`pwd`/tools/x"],
  ["[alias]\n\ta = !node --config=tools/x"],
  ["[alias]\n\ta = !A=tools/x make"],
])("finds the file that git would start: %j", async (text) => {
  expect(await obeyed(text)).toContain("tools/x");
});

test.each([
  ['"/usr/bin/python3" -m nbstripout', "nbstripout.py"],
  ["python -I -m nbstripout -t", "nbstripout/__main__.py"],
  ["uv run -m tools.x %f", "tools/x.py"],
  ["!cd . && python3 -Im tools.x", "tools/__init__.py"],
])("finds the module that git would have Python start: %j", async (value, file) => {
  expect(await obeyed(`[filter "a"]\n\tclean = ${JSON.stringify(value)}\n`)).toContain(file);
});

test("takes no option of another program for a module", async () => {
  expect(await obeyed("[alias]\n\ta = !git commit -m wip\n")).toEqual(await obeyed(""));
});

test("takes no data for a file: branches, addresses, templates", async () => {
  const text = `
[user]
	email = a/b@example.com
[remote "a"]
	url = ../other/x.git
	fetch = +refs/heads/*:refs/remotes/a/*
[branch "b"]
	merge = refs/heads/b
	remote = origin/x
[init]
	defaultBranch = trunk.b
[safe]
	directory = /src/a
[gitflow "prefix"]
	feature = feature/
[commit]
	template = docs/message.txt
[blame]
	ignoreRevsFile = .git-blame/ignore
[core]
	editor = vim
[merge]
	tool = meld
`;
  // The machine has settings, too.
  expect(await obeyed(text)).toEqual(await obeyed(""));
});

test("reads a value that a command made for it in little time", async () => {
  const start = process.cpuUsage();
  await obeyed(`[a]\n\tb = ${"$".repeat(300_000)}\n`);
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});

test("lets no command make or change a program that any setting names", async () => {
  const root = await withSettings(
    '[diff]\n\texternal = tools/absent\n[alias]\n\tlint = "!$(git rev-parse --show-toplevel)/scripts/lint.sh"\n',
  );
  mkdirSync(join(root, "scripts"));
  mkdirSync(join(root, "tools"));
  writeFileSync(join(root, "scripts/lint.sh"), "lint\n");
  const workspace = await LocalWorkspace.open(root, { sandbox: await openSandbox({ folder }) });
  let output = "";
  const command = "echo evil >tools/absent; echo evil >>scripts/lint.sh; echo b >tools/other";
  await workspace.runCommand(command, {
    signal: new AbortController().signal,
    onOutput: (text) => void (output += text),
  });
  expect(output).toContain(`${join(root, "tools/absent")} was moved to`);
  expect(existsSync(join(root, "tools/absent"))).toBe(false);
  expect(existsSync(join(root, "tools/other"))).toBe(true);
  expect(readFileSync(join(root, "scripts/lint.sh"), "utf8")).toBe("lint\n");
});
