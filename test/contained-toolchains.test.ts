/** Toolchains work in the sandbox as they do outside, offline, on small projects. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { LocalWorkspace, openSandbox } from "../src/tools/index.js";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const isLong = process.env["TOOLGATE_LONG"] === "1";

type Project = {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
  readonly prints: string;
  /** Programs that must be on this machine. */
  readonly needs?: readonly string[];
  /** Packages of our own node_modules that are copied into the project. */
  readonly packages?: readonly string[];
  /** Compiles its library first: only in the long mode. */
  readonly isSlow?: true;
};

const PROJECTS: readonly Project[] = [
  {
    name: "make with gcc",
    needs: ["make", "gcc"],
    files: {
      Makefile: "check: hello\n\t./hello\nhello: hello.c\n\tgcc -o hello hello.c\n",
      "hello.c": '#include <stdio.h>\nint main(void) { puts("built and run"); return 0; }\n',
    },
    command: "make -s check",
    prints: "built and run",
  },
  {
    name: "git commit, with a hook",
    needs: ["git"],
    files: { "a.txt": "a\n" },
    command:
      "git checkout -q -b work && git add -A && git -c user.name=a -c user.email=a@b commit -qm one && git log --oneline | wc -l && git status --short && git stash list && cat hooked",
    prints: "hooked",
  },
  {
    name: "npm test with node",
    needs: ["npm"],
    files: {
      "package.json": '{ "scripts": { "test": "node --test" } }',
      "a.test.js":
        'require("node:test")("server", (_, done) => { const s = require("node:http").createServer((q, r) => r.end("x")).listen(0, "127.0.0.1", () => fetch(`http://127.0.0.1:${s.address().port}`).then(() => { s.close(); done(); })); });',
    },
    command: "npm test",
    prints: "pass 1",
  },
  {
    name: "tsc",
    packages: ["typescript", "@typescript"],
    files: {
      "tsconfig.json":
        '{ "compilerOptions": { "outDir": "out", "strict": true, "types": [] }, "files": ["a.ts"] }',
      "a.ts": "export const a: number = 1;\n",
    },
    command: "node node_modules/typescript/bin/tsc && cat out/a.js",
    prints: "a = 1",
  },
  {
    name: "vitest",
    packages: ["."],
    isSlow: true,
    files: { "a.test.mjs": 'import { expect, test } from "vitest";\ntest("a", () => expect(1).toBe(1));\n' },
    command: "node node_modules/vitest/vitest.mjs run",
    prints: "1 passed",
  },
  {
    name: "pytest",
    needs: ["pytest"],
    files: { "test_a.py": "def test_a(tmp_path):\n    (tmp_path / 'a').write_text('a')\n" },
    command: "python3 -m pytest -q -p no:cacheprovider",
    prints: "1 passed",
  },
  {
    name: "cargo test",
    needs: ["cargo"],
    files: {
      "Cargo.toml": '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n",
    },
    command: "cargo test -q --lib",
    prints: "1 passed",
  },
  {
    name: "go test",
    needs: ["go"],
    isSlow: true,
    files: {
      "go.mod": "module small\n\ngo 1.20\n",
      "a_test.go": 'package small\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
    },
    command: "go test ./...",
    prints: "ok",
  },
  {
    name: "javac",
    needs: ["javac", "java"],
    isSlow: true,
    files: { "A.java": 'class A { public static void main(String[] a) { System.out.println("ran"); } }\n' },
    command: "javac A.java && java A",
    prints: "ran",
  },
  {
    name: "prettier",
    packages: ["prettier"],
    files: { "a.js": "a  =  1\n" },
    command: "node node_modules/prettier/bin/prettier.cjs --write a.js && cat a.js",
    prints: "a = 1;",
  },
  {
    name: "eslint",
    packages: ["eslint"],
    files: { "a.js": "a = 1\n", "eslint.config.js": "module.exports = [{ rules: { semi: 2 } }];\n" },
    command: "node node_modules/eslint/bin/eslint.js --fix a.js; cat a.js",
    prints: "a = 1;",
  },
];

const sandbox = await openSandbox();

/** Toolchains that are not on this machine have no test here: a machine for tests need not have all of them. */
const canRun = ({ needs = [], packages = [], isSlow }: Project): boolean =>
  needs.every(isInstalled) &&
  packages.every((name) => existsSync(join(modules, name))) &&
  (isLong || isSlow === undefined);

function isInstalled(program: string): boolean {
  try {
    execFileSync("sh", ["-c", 'command -v "$1"', "sh", program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("in the sandbox", () => {
  test.each(PROJECTS.filter(canRun))("$name", async (project) => {
    expect(await outputOf(project)).toContain(project.prints);
  });
});

// Removed after all tests: they run at the same time, and a hook in one of them may be another's.
const folder = mkdtempSync(join(tmpdir(), "toolgate-toolchains-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function outputOf({ name, files, command, packages = [] }: Project): Promise<string> {
  const root = realpathSync(mkdtempSync(join(folder, "project-")));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const one of packages) copyPackage(join(modules, one), join(root, "node_modules", one));
  if (name.startsWith("git")) prepareRepository(root);
  const workspace = await LocalWorkspace.open(root, { containing: sandbox });
  let output = "";
  const { exitCode } = await workspace.runCommand(command, {
    signal: new AbortController().signal,
    onOutput: (text) => void (output += text),
    contained: { guards: [] },
  });
  return exitCode === 0 ? output : `exit code ${String(exitCode)}: ${output}`;
}

/** By hard links, where both lie on one disk. */
function copyPackage(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    cpSync(from, to, { recursive: true });
  }
}

function prepareRepository(root: string): void {
  execFileSync("git", ["init", "-q", root]);
  execFileSync(
    "sh",
    ["-c", "printf '#!/bin/sh\\necho hooked > hooked\\n' > hooks/pre-commit; chmod +x hooks/pre-commit"],
    {
      cwd: join(root, ".git"),
    },
  );
}
