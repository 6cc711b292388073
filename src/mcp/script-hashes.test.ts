import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fingerprint } from "./fingerprint.js";

function place(files: readonly string[]) {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-scripts-")));
  onTestFinished(() => rmSync(outer, { recursive: true, force: true }));
  const workspace = join(outer, "ws");
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  };
  mkdirSync(workspace);
  for (const name of files) put(name, "one");
  return { workspace, outer, put };
}

test.each<[string, string, readonly string[]]>([
  ["server.mjs", "node", ["server.mjs"]],
  ["server.mjs", "node", ["--enable-source-maps", "./server.mjs", "--port", "1"]],
  ["hook.mjs", "node", ["--import=./hook.mjs", "x"]],
  ["bin/server", "./bin/server", []],
  ["tools/server.py", "python3", ["-m", "tools.server"]],
  ["tools/__main__.py", "python3", ["-m", "tools"]],
  ["dist/index.js", "node", ["dist"]],
  ["server.sh", "bash", ["-c", "exec './server.sh' --fast"]],
])("a changed %s makes another server of %s %j", (name, command, args) => {
  const { workspace, put } = place([name]);
  const before = fingerprint({ command, args }, workspace);
  expect(fingerprint({ command, args }, workspace)).toBe(before);
  put(name, "two");
  expect(fingerprint({ command, args }, workspace)).not.toBe(before);
});

test.each<[string, string, readonly string[]]>([
  ["data.sqlite", "server", ["--db", "data.sqlite"]],
  ["memory.json", "server", ["memory.json"]],
  ["notes.md", "node", ["server.mjs"]],
  ["node", "node", ["x"]],
])("a changed %s, which is data or not named, leaves %s %j as it was", (name, command, args) => {
  const { workspace, put } = place([name]);
  const before = fingerprint({ command, args }, workspace);
  put(name, "two");
  expect(fingerprint({ command, args }, workspace)).toBe(before);
});

test("a link of the workspace that leads to another script makes another server", () => {
  const { workspace, outer } = place([]);
  for (const name of ["a.mjs", "b.mjs"]) writeFileSync(join(outer, name), "same");
  const config = { command: "node", args: ["server.mjs"] };
  symlinkSync("../a.mjs", join(workspace, "server.mjs"));
  const before = fingerprint(config, workspace);
  rmSync(join(workspace, "server.mjs"));
  symlinkSync("../b.mjs", join(workspace, "server.mjs"));
  expect(fingerprint(config, workspace)).not.toBe(before);
});

test("a folder and a script elsewhere count by their names alone", () => {
  const { workspace, outer } = place(["a.ts"]);
  const script = join(outer, "server.mjs");
  writeFileSync(script, "one");
  const config = { command: "node", args: [script, workspace] };
  const before = fingerprint(config, workspace);
  writeFileSync(script, "two");
  writeFileSync(join(workspace, "b.ts"), "");
  expect(fingerprint(config, workspace)).toBe(before);
});
