import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fingerprint, isApprovalLasting } from "./fingerprint.js";

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
  ["start", "bash", ["start"]],
  ["srv", "python3", ["srv"]],
  ["server.js", "node", ["server"]],
  ["index.js", "node", ["."]],
  ["sub/s.mjs", "sh", ["-c", "cd sub && node s.mjs"]],
  ["a/b/s", "sh", ["-c", "cd a; cd b; sh s"]],
  ["start", "env", ["A=1", "bash", "start"]],
  ["boot.cjs", "node", ["-r./boot.cjs", "/opt/x.js"]],
  ["boot.cjs", "node", ["-r", "./boot", "/opt/x.js"]],
  ["boot.mjs", "node", ["--import", "./boot.mjs?x=1", "/opt/x.js"]],
  ["tools/__main__.py", "python3", ["-mtools"]],
  ["tools/server.py", "python3", ["-um", "tools.server"]],
  ["tools/__init__.py", "python3", ["-m", "tools"]],
  ["server.py", "uvicorn", ["server:app"]],
  ["server.py", "mcp", ["run", "server.py:app"]],
  ["server.py", "uv", ["run", "server.py"]],
  ["srv.cgi", "perl", ["srv.cgi"]],
  ["srv.awk", "awk", ["-f", "srv.awk"]],
  ["x.el", "emacs", ["--script", "x.el"]],
  ["x.dll", "dotnet", ["x.dll"]],
  ["x.fsx", "dotnet", ["fsi", "x.fsx"]],
  ["x.node", "node", ["x.node"]],
  ["x.so", "/lib64/ld-linux-x86-64.so.2", ["./x.so"]],
  ["x.sql", "sqlite3", ["-init", "x.sql"]],
  ["e.env", "node", ["--env-file=e.env", "/opt/x.js"]],
  ["memory.json", "server", ["memory.json"]],
  ["data.db", "bash", ["data.db"]],
  ["data.db", "lua", ["data.db"]],
  ["data.db", "node", ["-r", "./data.db", "/opt/x.js"]],
  [".venv/bin/python", ".venv/bin/python", ["/opt/server.py"]],
  [".venv/lib/python3.11/site-packages/server/__main__.py", ".venv/bin/python", ["-m", "server"]],
  [".npmrc", "npx", ["-y", "server"]],
])("a changed %s makes another server of %s %j", (name, command, args) => {
  const { workspace, put } = place([name]);
  const before = fingerprint({ command, args }, workspace);
  expect(fingerprint({ command, args }, workspace)).toBe(before);
  put(name, "two");
  expect(fingerprint({ command, args }, workspace)).not.toBe(before);
});

test.each<[string, string, readonly string[]]>([
  ["data.sqlite", "server", ["--db", "data.sqlite"]],
  ["data.db", "node", ["/opt/server.mjs", "--db", "data.db"]],
  ["package.json", "npx", ["-y", "server", "."]],
  ["index.js", "files-server", ["."]],
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

test("identifies a folder and a script outside the workspace by their names alone", () => {
  const { workspace, outer } = place(["a.ts"]);
  const script = join(outer, "server.mjs");
  writeFileSync(script, "one");
  const config = { command: "node", args: [script, workspace] };
  const before = fingerprint(config, workspace);
  writeFileSync(script, "two");
  writeFileSync(join(workspace, "b.ts"), "");
  expect(fingerprint(config, workspace)).toBe(before);
});

test("the script of a folder that its package.json names makes another server", () => {
  const { workspace, put } = place(["pkg/lib/main.js"]);
  put("pkg/package.json", JSON.stringify({ main: "lib/main" }));
  const config = { command: "node", args: ["./pkg"] };
  const before = fingerprint(config, workspace);
  put("pkg/lib/main.js", "two");
  const after = fingerprint(config, workspace);
  expect(after).not.toBe(before);
  put("pkg/package.json", JSON.stringify({ main: "lib/other" }));
  expect(fingerprint(config, workspace)).not.toBe(after);
});

test("a script that a URL names makes another server", () => {
  const { workspace, put } = place(["srv.mjs"]);
  for (const args of [
    ["--import", `file://${workspace}/srv.mjs`],
    [`--import=file://${workspace}/srv.mjs#x`],
  ]) {
    put("srv.mjs", "one");
    const config = { command: "node", args: [...args, "/opt/x.js"] };
    const before = fingerprint(config, workspace);
    put("srv.mjs", "two");
    expect(fingerprint(config, workspace)).not.toBe(before);
  }
});

test.each<[string, { readonly [name: string]: string }]>([
  ["boot.cjs", { NODE_OPTIONS: "--require ./boot.cjs" }],
  ["boot.cjs", { NODE_OPTIONS: "--require=./boot.cjs" }],
  ["pkg/mod.py", { PYTHONPATH: "/opt/lib:pkg" }],
  ["pkg/sitecustomize.py", { PYTHONPATH: "pkg" }],
  ["bin/srv", { PATH: "./bin:/usr/bin" }],
  ["x.so", { LD_PRELOAD: "./x.so" }],
  ["start", { SERVER_SCRIPT: "start" }],
])("a changed %s makes another server of one with the variables %j", (name, env) => {
  const { workspace, put } = place([name]);
  const config = { command: "srv", args: ["/opt/x.js"], env };
  const before = fingerprint(config, workspace);
  put(name, "two");
  expect(fingerprint(config, workspace)).not.toBe(before);
});

test("keeps a server's identity when a variable names a memory file", () => {
  const { workspace, put } = place(["memory.json"]);
  const config = { command: "server", env: { MEMORY_FILE_PATH: "memory.json" } };
  const before = fingerprint(config, workspace);
  put("memory.json", "two");
  expect(fingerprint(config, workspace)).toBe(before);
});

test.each<[string, readonly string[]]>([
  ["npm", ["run", "mcp"]],
  ["npx", ["."]],
  ["npx", ["-y", "./pkg"]],
  ["npx", ["installed"]],
  ["npm", ["exec", "--", "installed"]],
  ["uvx", ["--from", ".", "server"]],
  ["make", ["mcp"]],
  ["/usr/bin/make", ["mcp"]],
  ["sh", ["-c", "cd pkg && npm start"]],
  ["env", ["A=1", "just", "mcp"]],
  ["cargo", ["run"]],
  ["uv", ["run", "server"]],
  ["poetry", ["run", "server"]],
  ["go", ["run", "."]],
  ["bun", ["run", "mcp"]],
  ["deno", ["task", "mcp"]],
  ["docker", ["compose", "run", "mcp"]],
  ["node", ["./pkg"]],
])("an approval of %s %j is for one start", (command, args) => {
  const { workspace } = place(["package.json", "pkg/readme", "node_modules/installed/package.json"]);
  const config = { command, args };
  expect(isApprovalLasting(config, workspace)).toBe(false);
  expect(fingerprint(config, workspace, "1")).not.toBe(fingerprint(config, workspace, "2"));
  expect(fingerprint(config, workspace, "1")).toBe(fingerprint(config, workspace, "1"));
});

test.each<[string, readonly string[]]>([
  ["npx", ["-y", "@scope/server-files", "."]],
  ["npx", ["-y", "server@latest"]],
  ["uvx", ["server", "--root", "."]],
  ["npm", ["--prefix", "/usr", "run", "mcp"]],
  ["uv", ["--directory", "/usr", "run", "server"]],
  ["uv", ["run", "server.py"]],
  ["bun", ["run", "server.py"]],
  ["deno", ["run", "jsr:@scope/server"]],
  ["docker", ["run", "-i", "--rm", "mcp/server"]],
  ["node", ["/opt/server.mjs", "."]],
  ["files-server", ["."]],
  ["bash", ["server.py"]],
])("an approval of %s %j lasts", (command, args) => {
  const { workspace } = place(["package.json", "server.py"]);
  expect(isApprovalLasting({ command, args }, workspace)).toBe(true);
  expect(fingerprint({ command, args }, workspace, "1")).toBe(fingerprint({ command, args }, workspace, "2"));
});

test("an approval is for one start when a variable has programs loaded from the whole workspace", () => {
  const { workspace } = place(Array.from({ length: 600 }, (_, index) => `src/${index}.py`));
  for (const env of [{ PYTHONPATH: "." }, { PATH: ":/usr/bin" }])
    expect(isApprovalLasting({ command: "python3", args: ["/opt/x.py"], env }, workspace)).toBe(false);
});
