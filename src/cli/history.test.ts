import { expect, test } from "vitest";
import { boundText, SessionBook } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import { callTable, listed } from "./history.js";

const about = { toolCallId: "call_1", at: 0 };
const run = (exitCode: number): readonly SessionEvent[] => [
  {
    ...about,
    type: "call-announced",
    name: "terminal",
    title: "Run git push",
    kind: "execute",
    kindSource: "declared",
  },
  { ...about, type: "input-ready", rawInput: {} },
  { ...about, type: "call-cleared", decision: { by: "rule", rule: "allow execute", at: 0 } },
  { ...about, type: "run-started" },
  {
    ...about,
    type: "content-appended",
    content: { type: "terminal", terminalId: "t1", output: boundText(""), exit: { exitCode } },
  },
  { ...about, type: "call-done" },
];

test("names the exit code of a failed command in the list of calls", () => {
  const rows = (exitCode: number) => callTable(new SessionBook("session_1", run(exitCode)).snapshot());
  expect(rows(1)).toContain("  call_1  done, exit code 1  Run git push\n");
  expect(rows(0)).toContain("  call_1  done  Run git push\n");
});

test("lists the agent where no model is known, and marks a session without a message", () => {
  const session = { sessionId: "s", createdAt: 0, updatedAt: 0, calls: 0, messages: 0, breaches: 0 };
  const row = (more: object) => listed({ ...session, openQuestions: 0, models: [], ...more });
  expect(row({ agent: "opencode", messages: 2, title: "fix it" })).toBe(
    "s  1970-01-01 00:00  0 calls  opencode\n    fix it",
  );
  expect(row({ agent: "toolgate" })).toBe("s  1970-01-01 00:00  0 calls\n    (empty)");
});
