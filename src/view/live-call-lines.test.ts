import * as fc from "fast-check";
import { expect, test } from "vitest";
import { calls } from "../call/calls.samples.js";
import type { ToolCall } from "../call/index.js";
import { boundText, textContent } from "../call/index.js";
import { hostileCalls, INVISIBLE } from "./hostile.samples.js";
import { liveCallLines } from "./live-call-lines.js";
import { columns } from "./visible-line.js";

const [sample] = fc.sample(calls, { numRuns: 1, seed: 1 });

function running(over: Partial<ToolCall>): ToolCall {
  if (!sample) throw new Error("There is no sample.");
  return {
    ...sample,
    title: "Run npm test",
    name: "terminal",
    kind: "execute",
    content: [],
    progress: undefined,
    times: { ...sample.times, started: 1_000 },
    state: { status: "running", cancelRequested: false },
    ...over,
  };
}

const printing = (text: string) =>
  running({ content: [{ type: "terminal", terminalId: "t", output: boundText(text) }] });

test("shows the time and progress of a running call", () => {
  const call = running({ progress: { done: 3, total: 10, message: "compiling" } });
  expect(liveCallLines(call, { now: 13_340, mark: "*" })).toEqual([
    "* ❯ Run npm test (running, 12.3 s, 3 of 10 compiling)",
  ]);
});

test("names the task of a sub-agent's call first, also in a narrow line", () => {
  const task = running({ toolCallId: "task", title: "Task: Count all the tests of this project" });
  const call = running({ toolCallId: "call", parentToolCallId: "task" });
  expect(liveCallLines(call, { now: 2_000, calls: [task, call] })).toEqual([
    "► ❯ Task: Count al…f this project › Run npm test (running, 1.0 s)",
  ]);
  expect(liveCallLines(call, { now: 2_000, width: 50, calls: [task, call] })).toEqual([
    "► ❯ Task: C…roject › Run npm test (running, 1.0 s)",
  ]);
});

test("shows the last lines of output below, without colours and visible", () => {
  const lines = liveCallLines(printing("one\ntwo\n\u001B[32mthree\u001B[0m\nfour\u001B[2J\n"), {
    now: 1_000,
  });
  expect(lines.slice(1)).toEqual(["    │ two", "    │ three", "    │ four⟨U+001B⟩[2J"]);
});

test("shows the last state of a line that is overwritten", () => {
  expect(liveCallLines(printing("10%\r20%\r30%"), { now: 1_000 }).slice(1)).toEqual(["    │ 30%"]);
  expect(liveCallLines(printing("10%\r20%\r\r\nnext\r"), { now: 1_000 }).slice(1)).toEqual([
    "    │ 20%",
    "    │ next",
  ]);
});

test("shows text of a tool without a terminal, and nothing when no line is free", () => {
  const call = running({ content: [textContent("half way")] });
  expect(liveCallLines(call, { now: 1_000 }).slice(1)).toEqual(["    │ half way"]);
  expect(liveCallLines(call, { now: 1_000, maxLines: 0 })).toHaveLength(1);
});

test("shortens a long title for the facts of the call", () => {
  const [headline = ""] = liveCallLines(running({ title: "x".repeat(200) }), { now: 1_500, width: 60 });
  expect(columns(headline)).toBeLessThanOrEqual(60);
  expect(headline).toMatch(/x…x+ \(running, 500 ms\)$/);
});

const anyCall = fc.oneof(calls, hostileCalls);

test("keeps each line within the width and visible, for any call", () => {
  fc.assert(
    fc.property(anyCall, anyCall, fc.integer({ min: 20, max: 120 }), (made, owner, width) => {
      const call = { ...made, parentToolCallId: owner.toolCallId };
      const lines = liveCallLines(call, { now: call.times.announced + 5_000, width, calls: [owner] });
      expect(lines.length).toBeLessThanOrEqual(4);
      for (const line of lines) {
        expect(columns(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(INVISIBLE);
      }
    }),
  );
});

test("names what a contained command waits for", () => {
  const other = running({ toolCallId: "other" });
  const cleared = { toolCallId: "call", state: { status: "cleared" } } as const;
  const contained = running({ ...cleared, decision: { by: "sandbox", at: 1 } });
  expect(liveCallLines(contained, { now: 2_000, calls: [other, contained] })).toEqual([
    "◎ ❯ Run npm test (waits for another command)",
  ]);
  expect(liveCallLines(contained, { now: 2_000, calls: [contained] })).toEqual([
    "◎ ❯ Run npm test (not started)",
  ]);
});
