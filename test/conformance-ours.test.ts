/** Our own agent, judged by our own suite as any other is: a real process, both versions of ACP. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
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

type Judged = { readonly id: string; readonly level: string; readonly finding: { readonly verdict: string } };

test.concurrent.each([
  ["1", []],
  ["2", ["--acp-v2"]],
])(
  "toolgate acp keeps to every requirement of ACP v%s that can be tested",
  async (version, flags) => {
    const home = await folder({ "script.json": JSON.stringify({ steps }) });
    const agent = [process.execPath, program, "acp", "--script", join(home, "script.json"), ...flags];
    const args = ["conformance", "--json", "--protocol", version, "--", ...agent];
    const env = {
      PATH: process.env["PATH"] ?? "",
      TOOLGATE_CODE_CACHE: process.env["TOOLGATE_CODE_CACHE"] ?? "",
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_STATE_HOME: home,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
      env,
      maxBuffer: 64e6,
    });
    const { requirements } = JSON.parse(stdout) as { readonly requirements: readonly Judged[] };
    const of = (verdict: string) => requirements.filter(({ finding }) => finding.verdict === verdict);
    expect(of("fail").filter(({ level }) => level !== "advisory")).toEqual([]);
    const passed = of("pass");
    const mandatory = requirements.filter(({ level }) => level === "mandatory");
    expect(mandatory.filter((requirement) => !passed.includes(requirement))).toEqual([]);
    expect(passed.length).toBeGreaterThan(version === "1" ? 60 : 90);
  },
  120_000,
);
