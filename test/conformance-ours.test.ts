/** Our own agent, judged by our own suite as any other is: a real process, both versions of ACP. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runConformance } from "../src/acp/conformance/index.js";
import { folder } from "./agent-kit.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** A prompt that plans, asks for permission, and lasts long enough to be cancelled. */
const steps = [
  {
    say: "I plan, and run it.",
    calls: [
      { tool: "todo_write", input: { todos: [{ content: "Run it", status: "in_progress" }] } },
      { tool: "terminal", input: { command: "sleep 1; echo hello > hello.txt" } },
    ],
  },
  { say: "Done." },
];

test.concurrent.each([
  [1, []],
  [2, ["--acp-v2"]],
] as const)(
  "toolgate acp keeps to every requirement of ACP v%s that can be tested",
  async (version, flags) => {
    const home = await folder({ "script.json": JSON.stringify({ steps }) });
    const args = [program, "acp", "--script", join(home, "script.json"), ...flags];
    const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
    const { requirements, isConformant } = await runConformance({
      agent: { command: process.execPath, args, env },
      version,
    });
    const of = (verdict: string) => requirements.filter(({ finding }) => finding.verdict === verdict);
    expect(of("fail").filter(({ level }) => level !== "advisory")).toEqual([]);
    const passed = of("pass");
    const mandatory = requirements.filter(({ level }) => level === "mandatory");
    expect(mandatory.filter((requirement) => !passed.includes(requirement))).toEqual([]);
    expect(passed.length).toBeGreaterThan(version === 1 ? 60 : 90);
    expect(isConformant).toBe(true);
  },
  120_000,
);
