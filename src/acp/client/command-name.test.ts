import { expect, test } from "vitest";
import { commandName } from "./command-name.js";

test.each([
  [["/usr/bin/opencode", "acp"], "opencode"],
  [["node", "dist/agent.js", "--acp"], "agent"],
  [["npx", "-y", "@zed-industries/claude-code-acp@0.4.0"], "claude-code-acp"],
  [["uvx", "--from", "fast-agent"], "fast-agent"],
  [["uv", "run", "agent.py"], "agent"],
  [["pnpm", "dlx", "codex-acp"], "codex-acp"],
  [["env", "KEY=1", "/opt/qwen/bin/qwen"], "qwen"],
  [["node"], "node"],
  [["node", "-e", "process.exit(3)"], "node"],
  [["/"], "/"],
])("names the program of %j %s", (argv, name) => {
  expect(commandName(argv)).toBe(name);
});
