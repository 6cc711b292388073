/** A command that still runs after Toolgate was killed: the session names it when it comes back, and can end it. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openLedger } from "../src/history/index.js";
import { atHome, command } from "./cli-kit.js";
import { guardiansOf } from "./guardians.js";
import { isAlive } from "./is-alive.js";
import { rawAgent } from "./raw-agent.js";
import { until } from "./until.js";
import { agentHost } from "../src/acp/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { createAgent } from "../src/agent/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

test.skipIf(process.platform !== "linux")("is named in every door, and can be ended", async () => {
  const { at, pid, script } = await killed({ withGuardian: false });
  expect(isAlive(pid)).toBe(true);
  const named = new RegExp(
    `Its command may still run: pid ${pid}, started \\d{4}-\\d\\d-\\d\\dT[\\d:]+Z\\. To end it: toolgate stop (\\w+)\\.`,
  );
  const resumed = await at.run(["run", "--resume", "--script", script]);
  expect(resumed.stdout.replace(/\s+│?\s*/g, " ")).toMatch(named);
  const ledger = await openLedger(join(at.home, "toolgate", "ledger.sqlite"));
  onTestFinished(() => ledger.close());
  const [{ sessionId } = { sessionId: "" }] = await ledger.sessions();
  const shown = await at.runHere(["history", "show", sessionId]);
  const [, toolCallId = ""] = named.exec(shown.stdout.replace(/\s+│?\s*/g, " ")) ?? [];
  expect(toolCallId).not.toBe("");
  const host = agentHost({
    agent: createAgent({
      name: "tester",
      tools: [],
      model: scriptedModel(parseScript({ steps: [{ say: "x" }] })),
    }),
    ledger,
    openWorkspace: (cwd) => LocalWorkspace.open(cwd),
  });
  const agent = await rawAgent(host);
  await agent.request("session/load", { sessionId, cwd: at.project, mcpServers: [] });
  expect(JSON.stringify(agent.updates)).toMatch(named);
  const stopped = await at.run(["stop", toolCallId]);
  expect(stopped).toMatchObject({ status: 0, stdout: expect.stringMatching(`^Ended: pid ${pid}, started `) });
  expect(isAlive(pid)).toBe(false);
  expect((await at.runHere(["stop", toolCallId])).stdout).toMatch(`Already ended: pid ${pid}, started `);
});

test("is not named when it ended with Toolgate", async () => {
  const { at, pid, script } = await killed({ withGuardian: true });
  const resumed = await at.run(["run", "--resume", "--script", script]);
  expect(isAlive(pid)).toBe(false);
  expect(resumed.stdout).toContain("Nobody knows whether");
  expect(resumed.stdout).not.toContain("may still run");
});

/** Toolgate, killed while a command ran. Without its guardian, the command lives on. */
async function killed({ withGuardian }: { readonly withGuardian: boolean }) {
  const at = await atHome();
  const notes = join(at.home, "notes");
  writeFileSync(notes, "");
  const script = at.script([{ calls: [command(`echo $$ >> ${notes}; exec sleep 300`)] }, { say: "Done." }]);
  const env = { HOME: at.home, XDG_CONFIG_HOME: join(at.home, "config"), XDG_STATE_HOME: at.home };
  const options = { cwd: at.project, env: { ...process.env, ...env } };
  const program = spawn(
    process.execPath,
    [main, "run", "--mode", "allow-all", "--script", script, "go"],
    options,
  );
  onTestFinished(() => void program.kill("SIGKILL"));
  const pids = () => readFileSync(notes, "utf8").split("\n").filter(Boolean).map(Number);
  await until(() => pids().length === 1);
  const ledger = await openLedger(join(at.home, "toolgate", "ledger.sqlite"));
  const isRecorded = async () => {
    const [session] = await ledger.sessions();
    const events = session ? await ledger.read(session.sessionId) : [];
    return events.some(({ event }) => event.type === "process-started");
  };
  await until(isRecorded);
  await ledger.close();
  const guardians = withGuardian ? [] : guardiansOf(program.pid ?? 0);
  for (const guardian of guardians) process.kill(guardian, "SIGSTOP");
  const ended = new Promise((resolve) => program.once("exit", resolve));
  program.kill("SIGKILL");
  await ended;
  const [pid = 0] = pids();
  onTestFinished(() => {
    for (const one of [...guardians, pid]) if (isAlive(one)) process.kill(one, "SIGKILL");
  });
  return { at, pid, script };
}
