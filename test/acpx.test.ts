/** acpx, a foreign command-line client from npm, drives `toolgate acp`: prompt, yes, no, cancel, and a session loaded again. */
import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const acpx = join(createRequire(import.meta.url).resolve("acpx/package.json"), "../dist/cli.js");

async function project(steps: readonly ScriptStep[]) {
  const cwd = await folder({ "script.json": JSON.stringify({ steps }) });
  const home = join(cwd, "home");
  await mkdir(home);
  const agent = [process.execPath, program, "acp", "--script", join(cwd, "script.json")];
  const command = [...agent, "--ledger", join(cwd, "ledger.sqlite")].join(" ");
  const env = {
    PATH: process.env["PATH"] ?? "",
    TOOLGATE_CODE_CACHE: process.env["TOOLGATE_CODE_CACHE"] ?? "",
    HOME: home,
  };
  const run = (...words: string[]) => {
    const args = [acpx, "--cwd", cwd, "--ttl", "1", "--agent", command, ...words];
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const ended = new Promise<{ output: string; code: number | null }>((resolve) =>
      child.once("close", (code) => resolve({ output, code })),
    );
    return { ended, output: () => output };
  };
  const log = () => readFile(join(cwd, "log.txt"), "utf8").catch(() => "");
  return { run, log };
}

const RUNS: readonly ScriptStep[] = [
  { say: "Now.", calls: [{ tool: "terminal", input: { command: "echo ran >> log.txt; echo seen" } }] },
  { say: "Done." },
];

test("says yes to everything, and the command runs in its own terminal", async () => {
  const { run, log } = await project(RUNS);
  const { output, code } = await run("--approve-all", "exec", "go").ended;
  expect(code).toBe(0);
  expect(output).toContain("terminal/create");
  expect(output).toMatch(/echo ran >> log\.txt; echo seen \(completed\)/);
  expect(output).toContain("[done] end_turn");
  expect(await log()).toBe("ran\n");
});

test("says no to everything, and nothing runs", async () => {
  const { run, log } = await project(RUNS);
  const { output } = await run("--deny-all", "exec", "go").ended;
  expect(output).toMatch(/\(failed\)/);
  expect(output).toContain("denied");
  expect(output).toContain("[done] end_turn");
  expect(await log()).toBe("");
});

test("cancels a prompt: the command is stopped and the turn says so", async () => {
  const { run, log } = await project([
    { calls: [{ tool: "terminal", input: { command: "sleep 100; echo ran >> log.txt" } }] },
    { say: "Done." },
  ]);
  await run("sessions", "new").ended;
  const prompt = run("--approve-all", "prompt", "go");
  const end = Date.now() + 20_000;
  while (!prompt.output().includes("terminal/create") && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await run("cancel").ended;
  expect((await prompt.ended).output).toContain("cancelled");
  expect(await log()).toBe("");
});

test("goes on with a session in a new process: it is loaded, and knows what was said", async () => {
  const { run, log } = await project(RUNS);
  await run("sessions", "new").ended;
  const first = await run("--approve-all", "prompt", "go").ended;
  const second = await run("--approve-all", "prompt", "again").ended;
  expect(first.output).toContain("session/load");
  expect(second.output).toContain("[done] end_turn");
  expect(await log()).toMatch(/^(ran\n)+$/);
});
