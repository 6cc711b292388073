import * as fc from "fast-check";
import { expect, test } from "vitest";
import { calls } from "../call/calls.samples.js";
import type { ToolCall } from "../call/index.js";
import { boundText, diffContent, fileDiff } from "../call/index.js";
import { callText } from "./call-text.js";
import { callOwner } from "./call-owner.js";

const [sample] = fc.sample(calls, { numRuns: 1, seed: 1 });

function call(toolCallId: string, over: Partial<ToolCall> = {}): ToolCall {
  if (!sample) throw new Error("There is no sample.");
  return {
    ...sample,
    toolCallId,
    title: `Do ${toolCallId}`,
    kind: "execute",
    parentToolCallId: undefined,
    rawInput: undefined,
    content: [],
    locations: [],
    decision: undefined,
    breach: undefined,
    progress: undefined,
    times: {
      announced: 5,
      asked: undefined,
      answered: undefined,
      started: 5,
      ended: undefined,
      waitedMs: undefined,
      ranMs: undefined,
      undone: undefined,
    },
    state: { status: "running", cancelRequested: false },
    ...over,
  };
}

const done = { state: { status: "done", assumed: false }, times: { ...call("x").times, ended: 9 } } as const;
const at = (path: string): Partial<ToolCall> => ({ locations: [{ path }] });
const shows = (terminalId: string, text: string, exitCode = 0): Partial<ToolCall> => ({
  content: [{ type: "terminal", terminalId, output: boundText(text), exit: { exitCode } }],
});
const idOf = (one: ToolCall, ...others: readonly ToolCall[]) => callOwner(one, [...others, one])?.toolCallId;

test("assigns a sub-agent's call to its task, and an unrelated call to none", () => {
  expect(idOf(call("a", { parentToolCallId: "task" }), call("task"), call("b"))).toBe("task");
  expect(idOf(call("a", { parentToolCallId: "gone" }), call("b"))).toBeUndefined();
  expect(idOf(call("a", at("/f")), call("b", at("/f")))).toBeUndefined();
});

test("assigns a proxied call to the call with the same yes, terminal or file", () => {
  const decision = { by: "person", reason: "allowed with edit", at: 1 } as const;
  expect(idOf(call("proxied_1", { decision }), call("edit"), call("b"))).toBe("edit");
  expect(
    idOf(call("proxied_1", shows("t1", "")), call("a", shows("t2", "")), call("b", shows("t1", ""))),
  ).toBe("b");
  expect(
    idOf(call("proxied_1", { rawInput: { path: "/f" } }), call("a", at("/f")), call("b", at("/g"))),
  ).toBe("a");
  expect(idOf(call("proxied_1", at("/f")), call("a", { content: [diffContent("/f", "x", "y")] }))).toBe("a");
});

test("names no owner when several calls match", () => {
  expect(idOf(call("proxied_1", at("/f")), call("a", at("/f")), call("b", at("/f")))).toBeUndefined();
  const over = { ...at("/f"), ...done, times: { ...done.times, announced: 1, ended: 2 } };
  expect(idOf(call("proxied_1", at("/f")), call("a", over))).toBeUndefined();
  expect(idOf(call("proxied_1", at("/f")), call("proxied_2", at("/f")))).toBeUndefined();
});

test("shows a proxied call in one line when the agent's call shows the same, else whole", () => {
  const served = call("proxied_1", { ...shows("t", "hello\n"), ...done });
  expect(callText(served, { calls: [call("cat", shows("t", "hello\n"))] })).toBe(
    "✓ ❯ Do cat › Do proxied_1 (execute, 4 ms)",
  );
  const silent = call("cat", { content: [{ type: "terminal", terminalId: "t" }] });
  expect(callText(served, { calls: [silent] })).toContain("│ hello");
  const failed = { ...served, state: { status: "failed", error: "no such file", assumed: false } } as const;
  expect(callText(failed, { calls: [call("cat", shows("t", "hello\n"))] })).toContain("│ no such file");
});

test("names the exit code of a failed command, and its call was done", () => {
  expect(callText(call("a", { ...shows("t", "no\n", 3), ...done }), { headlineOnly: true })).toBe(
    "! ❯ Do a (execute, exit code 3, 4 ms)",
  );
  const killed: ToolCall["content"] = [{ type: "terminal", terminalId: "t", exit: { signal: "SIGKILL" } }];
  expect(callText(call("a", { content: killed, ...done }), { headlineOnly: true })).toBe(
    "! ❯ Do a (execute, ended by SIGKILL, 4 ms)",
  );
});

test("recognises a proxied call of an earlier version by its old id", () => {
  expect(idOf(call("through_us_1", at("/f")), call("a", at("/f")))).toBe("a");
});

test("covers the hunks of a large file only by a diff with its whole text", () => {
  const old = Array.from({ length: 9_000 }, (_, line) => `line ${line}\n`).join("");
  const now = old.replace("line 4000\n", "another\n");
  const served = call("proxied_1", { content: [fileDiff("/f", old, now)], ...done });
  const shownWith = (content: ToolCall["content"]) =>
    callText(served, { calls: [call("edit", { content })] });
  expect(shownWith([diffContent("/f", old, now)])).not.toContain("+ another");
  expect(shownWith([diffContent("/f", now, old)])).toContain("+ another");
  expect(shownWith([{ type: "diff", operation: "modify", path: "/f" }])).toContain("+ another");
});
