import { expect, test } from "vitest";
import { boundText, SessionBook } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import { callTable } from "./history.js";

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

test("the list of calls names the exit code of a command that failed", () => {
  const rows = (exitCode: number) => callTable(new SessionBook("session_1", run(exitCode)).snapshot());
  expect(rows(1)).toContain("  call_1  done, exit code 1  Run git push\n");
  expect(rows(0)).toContain("  call_1  done  Run git push\n");
});
