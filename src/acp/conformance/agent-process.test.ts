import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentProcess } from "./agent-process.js";

test("kills a child of the agent that moved into a session of its own", async () => {
  const script = `setsid sh -c 'echo "{\\"pid\\":$$}"; exec sleep 300' & exit 0`;
  const agent = new AgentProcess({ command: "/bin/sh", args: ["-c", script] });
  const line = await agent.waitFor(({ from }) => from === "agent", 5_000);
  const pid = Number(/\d+/.exec(line?.text ?? "")?.[0]);
  expect(isAlive(pid)).toBe(true);
  await agent.kill();
  expect(isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
