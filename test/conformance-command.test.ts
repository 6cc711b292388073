/** `toolgate conformance` as someone who writes an agent uses it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "./agent-kit.js";
import { runHere } from "./run-here.js";
import { until } from "./until.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const sample = fileURLToPath(new URL("children/broken-agents/agent.mjs", import.meta.url));
const hostile = fileURLToPath(new URL("children/broken-agents/hostile.mjs", import.meta.url));

async function conformance(...words: readonly string[]) {
  const env = { ...process.env, STATE: await folder(), NO_COLOR: "1" };
  return runHere(["conformance", ...words], { cwd: process.cwd(), env });
}

/** The built program in a process of its own. */
async function conformanceProcess(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "conformance", ...words], {
    encoding: "utf8",
    env: { ...process.env, STATE: await folder(), NO_COLOR: "1" },
  });
  return { status, stdout, stderr };
}

test("reports a good agent as conformant, with a line for each requirement and a table", async () => {
  const { status, stdout, stderr } = await conformanceProcess("--only", "ACP-INIT", "--", "node", sample);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toEqual([
    `ACP version 1: node ${sample}`,
    "",
    expect.stringMatching(/^✓ ACP-INIT-001 +mandatory +initialize succeeds/),
    expect.stringMatching(/^✓ ACP-INIT-002 +mandatory /),
    expect.stringMatching(/^✓ ACP-INIT-003 +mandatory /),
    expect.stringMatching(/^✓ ACP-INIT-004 +advisory /),
    "",
    expect.stringMatching(/^ +passed +failed +not tested$/),
    expect.stringMatching(/^mandatory +3 +0 +0$/),
    expect.stringMatching(/^capability +0 +0 +0$/),
    expect.stringMatching(/^advisory +1 +0 +0$/),
    "",
    "Conformant: all that is mandatory was tested and passed, and nothing that the agent advertises failed.",
    "",
  ]);
});

test("lists the requirements with --list and starts no agent", async () => {
  const all = await conformance("--list");
  expect([all.status, all.stderr]).toEqual([0, ""]);
  expect(all.stdout).toMatch(/^ACP-INIT-001 +mandatory +initialize succeeds, .*\.$/m);
  expect(all.stdout).toMatch(/^TOOLGATE-CALL-003 +capability +The status of a call never goes back\.$/m);
  const draft = await conformance("--list", "--protocol", "2", "--only", "TOOLGATE-BATCH", "--json");
  expect(JSON.parse(draft.stdout)).toMatchObject([
    { id: "TOOLGATE-BATCH-001", level: "mandatory" },
    { id: "TOOLGATE-BATCH-002", level: "mandatory" },
  ]);
  const unknown = await conformance("--list", "--only", "ACP-NO-SUCH");
  expect(unknown.status).toBe(1);
  expect(unknown.stderr).toContain("There is no requirement ACP-NO-SUCH");
});

test("says that a command is missing, and what to write, when no agent is named", async () => {
  const { status, stderr } = await conformance();
  expect(status).toBe(2);
  expect(stderr).toContain("toolgate conformance -- npx my-agent --acp");
});

test("exits with code 1 for a bad agent and shows the message that broke the rule", async () => {
  const broken = ["--env", "BREAK=ACP-SESSION-002", "--only", "ACP-SESSION-002"];
  const { status, stdout } = await conformance(...broken, "--", "node", sample);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^✗ ACP-SESSION-002 .*\n {4}seen: .*"sessionId":"session_1"/m);
  expect(stdout).toContain("Not conformant: 1 mandatory or advertised thing failed.");
});

test("the report is JSON for programs, also of the draft", async () => {
  const draft = ["--protocol", "2", "--env", "DIALECT=2", "--json", "--only", "ACP-INIT-203"];
  const { status, stdout } = await conformance(...draft, "--", "node", sample);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    version: 2,
    isConformant: true,
    requirements: [{ id: "ACP-INIT-203", level: "mandatory", finding: { verdict: "pass" } }],
  });
});

test("escapes control characters that an agent writes", async () => {
  const cwd = await folder({ "agent.sh": String.raw`printf '\033[2Jhello\n'` });
  const { stdout } = await conformance("--only", "ACP-TRANSPORT-001", "--", "sh", join(cwd, "agent.sh"));
  expect(stdout).toContain("⟨U+001B⟩[2Jhello");
  expect(stdout).not.toContain("\u001b");
});

test("shows the last lines of an agent that died, and no others", async () => {
  const said = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const words = [...said, "Error: set KEY\u001b[2J", "", "    at main (agent.js:1)", "Node.js v20"].join(
    "\n",
  );
  const cwd = await folder({
    "agent.mjs": `process.stderr.write(${JSON.stringify(words)});process.exitCode = 3;`,
  });
  const { status, stdout } = await conformance(
    "--only",
    "ACP-PROMPT-001",
    "--",
    "node",
    join(cwd, "agent.mjs"),
  );
  expect(status).toBe(1);
  expect(stdout).toContain(
    [
      "– not tested: initialize failed: initialize: no answer: it ended with exit code 3, and it last wrote to stderr:",
      ...said.slice(-5),
      "Error: set KEY⟨U+001B⟩[2J",
      "    at main (agent.js:1)",
      "Node.js v20\n    ACP-PROMPT-001 (mandatory)",
    ].join("\n    │ "),
  );
  expect(stdout).not.toContain("line 14");
});

test.each([
  [["--", "/no/such/agent"], 1, "could not be started"],
  [["--only", "ACP-NOTHING", "--", "node"], 1, "There is no requirement ACP-NOTHING"],
  [["--timeout", "soon", "--", "node"], 2, "number of seconds"],
  [["--env", "NOVALUE", "--", "node"], 2, "Expected NAME=VALUE."],
  [[], 2, "missing required argument 'command'"],
])("refuses %j with a message", async (words, code, message) => {
  const { status, stdout, stderr } = await conformance(...words);
  expect([status, stdout]).toEqual([code, ""]);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test("ends the agent when it is stopped", async () => {
  const cwd = await folder();
  const pids = join(cwd, "pids");
  const child = spawn(
    process.execPath,
    [program, "conformance", "--only", "ACP-INIT-001", "--", process.execPath, hostile, "stubborn"],
    { stdio: "ignore", env: { ...process.env, PIDS: pids } },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const started = await anyOf(() => readPids(pids));
  child.kill("SIGINT");
  const [code]: unknown[] = await once(child, "close");
  expect(code).toBe(130);
  expect(started.filter(isThere)).toEqual([]);
});

function readPids(file: string): readonly number[] {
  try {
    const pids = readFileSync(file, "utf8").trim().split(" ").map(Number);
    return pids.length === 2 ? pids : [];
  } catch {
    return [];
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed one that nobody has waited for yet is still listed, as a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function anyOf(look: () => readonly number[]): Promise<readonly number[]> {
  await until(() => look().length > 0);
  return look();
}
