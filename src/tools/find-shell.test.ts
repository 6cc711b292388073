import { execFileSync } from "node:child_process";
import { openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findShell, shellWords } from "./find-shell.js";
import { aWorkspace } from "./tools.samples.js";

async function aProgram(text: string): Promise<string> {
  const { root } = await aWorkspace();
  const program = join(root, "bash");
  await writeFile(program, text, { mode: 0o755 });
  return program;
}

test("takes the first bash that is there and new enough", async () => {
  const old = await aProgram("#!/bin/sh\nprintf 3.2\n");
  const broken = await aProgram("#!/bin/sh\nexit 1\n");
  expect(await findShell(["/nowhere/bash", old, broken, "/bin/bash"])).toEqual({
    shell: "/bin/bash",
    language: "bash",
  });
  const oldest = await aProgram("#!/bin/sh\nprintf 4.4\n");
  expect(await findShell([oldest])).toEqual({ shell: oldest, language: "bash" });
});

test("takes sh, which may read texts in another way, where there is no bash or only an old one", async () => {
  const old = await aProgram("#!/bin/sh\nprintf 4.3\n");
  expect(await findShell([old])).toEqual({ shell: "/bin/sh", language: "sh" });
  expect(await findShell([])).toEqual({ shell: "/bin/sh", language: "sh" });
});

test.each([
  { shell: "/bin/bash", language: "bash" },
  { shell: "/bin/sh", language: "sh" },
  { language: "sh" },
] as const)("%j reads a text that begins with a dash as a text", (executor) => {
  const [program = "", ...words] = shellWords(executor, "-c 2>/dev/null || echo text");
  expect(execFileSync(program, words, { encoding: "utf8" })).toBe("text\n");
});

test("reads bash text the same in every environment", async () => {
  const [program = "", ...words] = shellWords(
    { shell: "/bin/bash", language: "bash" },
    "ls /; echo $-; echo /b?n",
  );
  // A file and not a pipe, which breaks when bash ends without having read it.
  const { root } = await aWorkspace({ input: "echo started\n" });
  const output = execFileSync(program, words, {
    encoding: "utf8",
    stdio: [openSync(join(root, "input"), "r"), "pipe", "inherit"],
    env: {
      PATH: "/usr/bin:/bin",
      BASH_ENV: "/dev/stdin",
      SHELLOPTS: "xtrace:noglob",
      BASHOPTS: "nullglob",
      "BASH_FUNC_ls%%": "() { echo function; }",
    },
  });
  expect(output).not.toMatch(/function|started/);
  expect(output).toMatch(/\n\/bin\n$/);
});
