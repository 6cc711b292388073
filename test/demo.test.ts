/** The command as people start it: the built program in a process of its own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const transcript = readFileSync(new URL("fixtures/demo.txt", import.meta.url), "utf8");

// A clock far from ours and colours switched on: neither may change a word.
const env = { ...process.env, TZ: "Pacific/Kiritimati", LANG: "de_DE.UTF-8", FORCE_COLOR: "1" };

function toolgate(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

beforeAll(() => {
  if (!existsSync(program))
    throw new Error(`${program} does not exist. Build it first: node scripts/ready.mjs`);
});

test("the demo reads as it was reviewed", () => {
  expect(toolgate("demo")).toEqual({ status: 0, stdout: transcript, stderr: "" });
  expect(toolgate()).toEqual({ status: 0, stdout: transcript, stderr: "" });
});

test("help and version go to stdout, with exit code 0", () => {
  const help = toolgate("--help");
  expect([help.status, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).toMatch(/^Usage: toolgate /);
  expect(toolgate("--version")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
  });
});

test("a command that does not exist ends with exit code 2 and says what to try", () => {
  expect(toolgate("frobnicate")).toEqual({
    status: 2,
    stdout: "",
    stderr: 'toolgate: the command "frobnicate" was not understood. Nothing was done. Try: toolgate --help\n',
  });
});

test("a reader that leaves at once is no trouble", async () => {
  const child = spawn(process.execPath, [program, "demo"], { stdio: ["ignore", "pipe", "pipe"], env });
  child.stdout.destroy();
  let trouble = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (trouble += text));
  const [code]: unknown[] = await once(child, "close");
  expect([code, trouble]).toEqual([0, ""]);
});
