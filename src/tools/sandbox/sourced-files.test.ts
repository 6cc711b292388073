import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { openSandbox } from "./sandbox.js";
import { sourcedFiles } from "./sourced-files.js";

const folder = await mkdtemp(join(tmpdir(), "toolgate-sandbox-"));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

async function sourced(text: string, files: { readonly [name: string]: string } = {}) {
  const { root } = await aWorkspace({ ".envrc": text, ...files });
  return sourcedFiles(join(root, ".envrc"), [root]).map((path) => path.slice(root.length + 1));
}

test.each([
  ["source_env scripts/a.sh"],
  ["source_env_if_exists scripts/a.sh # ours"],
  ["source scripts/a.sh"],
  [". ./scripts/a.sh"],
  ['if [ -e b ]; then . "$PWD/scripts/a.sh"; fi'],
  ["dotenv scripts/a.sh"],
  ["A=b scripts/a.sh"],
  ["export A=$(scripts/a.sh b)"],
  ['eval "$(bash scripts/a.sh)"'],
  ["export A=`./scripts/a.sh`"],
  ["true && \\\n  source scripts/a.sh"],
  ['source "$(git rev-parse --show-toplevel)/scripts/a.sh"'],
])("finds the file that an .envrc runs: %j", async (text) => {
  expect(await sourced(text)).toContain("scripts/a.sh");
});

test.each([
  ["bash setup.sh", "setup.sh"],
  ['eval "$(node --no-warnings env.js)"', "env.js"],
  ["python3 -m tools.env", "tools/env.py"],
  ["make env", "Makefile"],
  ['eval "$(cat vars.sh)"', "vars.sh"],
  ["export $(grep -v '^#' vars | xargs)", "vars"],
  ["export -p `xargs < vars`", "vars"],
  ['source "$(expand_path scripts/a.sh)"', "scripts/a.sh"],
])("finds what an .envrc starts or evaluates by a plain name: %j", async (text, file) => {
  expect(await sourced(text)).toContain(file);
});

test("takes no value of a variable, no comment and no folder for a file that runs", async () => {
  const text =
    'export DB=./db/dev.sqlite URL=http://a/b\nexport A="$PWD/a/b" B=${PWD}/a/b C=$(pwd)/a/b D=`pwd`/a/b\n# source a.sh\nPATH_add bin/x\nwatch_file go.mod\nlayout go\nsource_env sub\nsource_up\n';
  expect(await sourced(text, { "sub/a": "" })).toEqual([]);
});

test("follows files that name others, and finds what nix evaluates", async () => {
  const files = { "a.sh": ". b/c.sh\n", "b/c.sh": "source d.sh; source a.sh\n" };
  expect(await sourced("source a.sh", files)).toEqual(expect.arrayContaining(["a.sh", "b/c.sh", "b/d.sh"]));
  expect(await sourced("use flake")).toContain("flake.nix");
  expect(await sourced('eval "$(devbox generate direnv --print-envrc)"')).toContain("devbox.json");
});

test.each([["$(".repeat(15_000) + ")".repeat(15_000)], [`. ${"$".repeat(60_000)}`], ["${".repeat(30_000)]])(
  "reads a text that a command made for it in little time",
  async (text) => {
    const start = process.cpuUsage();
    await sourced(text);
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  },
);

test("lets no command make or change a file that an .envrc runs", async () => {
  const { root } = await aWorkspace({
    ".envrc": "source_env scripts/env.sh\n. scripts/absent.sh\n",
    "scripts/env.sh": "ours\n",
  });
  const workspace = await LocalWorkspace.open(root, { sandbox: await openSandbox({ folder }) });
  let output = "";
  const command =
    "echo evil >>scripts/env.sh; echo evil >scripts/absent.sh; echo b >scripts/other.sh; cat .envrc";
  await workspace.runCommand(command, {
    signal: new AbortController().signal,
    onOutput: (text) => void (output += text),
  });
  expect(output).toContain(`${join(root, "scripts/absent.sh")} was moved to`);
  expect(output).not.toContain("source_env");
  expect(existsSync(join(root, "scripts/absent.sh"))).toBe(false);
  expect(existsSync(join(root, "scripts/other.sh"))).toBe(true);
  expect(readFileSync(join(root, "scripts/env.sh"), "utf8")).toBe("ours\n");
});

test("lets no command put a program in the place of one of the system", async () => {
  const { root } = await aWorkspace({
    ".envrc":
      'PATH_add scripts\nexport PATH="$PWD/own:$PATH"\nlayout go\nPATH_add "$(expand_path more)"\nsource lib/env.sh\n',
    "lib/env.sh": "PATH_add from-lib\n",
    "scripts/build": "ours\n",
    "on-path/find": "ours\n",
    "elsewhere/a": "",
  });
  const path = process.env["PATH"];
  onTestFinished(() => void (process.env["PATH"] = path));
  process.env["PATH"] = `${root}/on-path:${path}`;
  const workspace = await LocalWorkspace.open(root, { sandbox: await openSandbox({ folder }) });
  const places = ["scripts/ls", "own/git", "on-path/sudo", "node_modules/.bin/rm", "elsewhere/bin/cat"];
  places.push("bin/find", "more/sed", "from-lib/cp");
  let output = "";
  await workspace.runCommand(
    `mkdir -p own bin more from-lib node_modules/.bin elsewhere/bin .venv; /bin/ln -s ../elsewhere/bin .venv/bin; for i in ${places.join(" ")} scripts/build scripts/lint bin-ls; do echo evil >$i; done; echo evil >on-path/find; true`,
    { signal: new AbortController().signal, onOutput: (text) => void (output += text) },
  );
  for (const name of places) {
    expect(output).toContain(`${join(root, name)} was moved to`);
    expect(existsSync(join(root, name)), name).toBe(false);
  }
  expect(readFileSync(join(root, "on-path/find"), "utf8")).toBe("ours\n");
  for (const name of ["scripts/build", "scripts/lint", "bin-ls"])
    expect(readFileSync(join(root, name), "utf8")).toBe("evil\n");
});
