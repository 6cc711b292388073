import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolCall, ToolCallEvent } from "../call/index.js";
import { applyEvent, boundText, diffContent, textContent } from "../call/index.js";
import { callCard } from "./call-card.js";
import type { CallCard } from "./call-card.js";
import { hostileCalls, hostileQuestions, INVISIBLE } from "./hostile.samples.js";

const about = { toolCallId: "call-1", at: 0 };
const life: readonly ToolCallEvent[] = [
  {
    ...about,
    type: "call-announced",
    name: "edit_file",
    title: "Edit src/app.ts",
    kind: "edit",
    kindSource: "declared",
  },
  { ...about, type: "input-ready", rawInput: {} },
  { ...about, type: "call-cleared", decision: { by: "rule", rule: "allow edit", at: 0 } },
  { ...about, type: "run-started" },
  { ...about, type: "call-done" },
];
const ended = life.slice(1).reduce(applyEvent, applyEvent(undefined, life[0]!));
const done: ToolCall = {
  ...ended,
  content: [diffContent("/app/src/app.ts", "a\nb\nc\n", "a\nB\nc\nd\n"), textContent("one\ntwo\nthree\n")],
  locations: [{ path: "/app/src/app.ts", line: 2 }],
};

test("says what a call did as data: status, facts, decision, places and blocks", () => {
  const card = callCard(
    { ...done, decision: { by: "rule", rule: "allow edit", reason: "it is safe", at: 1 } },
    { maxLines: 20 },
  );
  expect(card).toMatchObject({
    title: "Edit src/app.ts",
    kind: "edit",
    icon: "✎",
    status: "done",
    mark: "✓",
    decision: {
      words: expect.stringContaining("allowed by rule allow edit"),
      by: "rule",
      reason: "it is safe",
    },
    locations: [{ path: "/app/src/app.ts", line: 2 }],
    hiddenLocations: 0,
    hiddenBlocks: 0,
  });
  expect(card.blocks).toEqual([
    {
      type: "diff",
      heading: "edit /app/src/app.ts",
      rows: [
        { type: "same", text: "a", oldLine: 1, newLine: 1 },
        { type: "removed", text: "b", oldLine: 2 },
        { type: "added", text: "B", newLine: 2 },
        { type: "same", text: "c", oldLine: 3, newLine: 3 },
        { type: "added", text: "d", newLine: 4 },
      ],
    },
    { type: "text", lines: ["one", "two", "three"], hiddenLines: 0 },
  ]);
});

test("counts the lines that it leaves out: the end of a text, the beginning of a terminal's output", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const terminal = { type: "terminal", terminalId: "t1", output: boundText(lines) } as const;
  const { blocks } = callCard({ ...done, content: [textContent(lines), terminal] }, { maxLines: 2 });
  expect(blocks).toEqual([
    { type: "text", lines: ["line 1", "line 2"], hiddenLines: 28 },
    {
      type: "terminal",
      terminalId: "t1",
      exit: [],
      output: "shown",
      lines: ["line 29", "line 30"],
      hiddenLinesAbove: 28,
      isCut: false,
    },
  ]);
});

test("gives a failed command, an undone call and a breach a status of their own, never done", () => {
  const terminal = {
    type: "terminal",
    terminalId: "t1",
    output: boundText(""),
    exit: { exitCode: 1 },
  } as const;
  const failed = { ...done, content: [terminal] };
  expect(callCard(failed)).toMatchObject({ status: "command-failed", mark: "!" });
  const undone = { ...failed, times: { ...failed.times, undone: 9 } };
  expect(callCard(undone)).toMatchObject({ status: "undone", mark: "↶" });
  const breach = { ...undone, breach: { rule: "deny edit", at: 9, isAfterRefusal: false } };
  const card = callCard(breach);
  expect(card).toMatchObject({ status: "breach", mark: "⚑", breach: expect.stringContaining("deny edit") });
});

test("numbers the rows of several places by the lines of both texts", () => {
  const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);
  const after = before.toSpliced(3, 1, "four\n", "4.5\n").toSpliced(16, 1);
  const [block] = callCard({ ...done, content: [diffContent("/a", before.join(""), after.join(""))] }).blocks;
  const rows = block?.type === "diff" ? block.rows : [];
  for (const row of rows) {
    if (row.type === "removed" || row.type === "same") expect(before[row.oldLine - 1]).toBe(`${row.text}\n`);
    if (row.type === "added" || row.type === "same") expect(after[row.newLine - 1]).toBe(`${row.text}\n`);
  }
  expect(rows.map(({ type }) => type)).toContain("note");
  expect(rows.filter(({ type }) => type === "added")).toHaveLength(2);
});

test("holds no character that hides or reorders, whatever an agent wrote", () => {
  fc.assert(
    fc.property(hostileCalls, fc.option(hostileQuestions, { nil: undefined }), (call, question) => {
      const card = callCard(call, { question });
      for (const text of stringsIn(card, ["toolCallId", "kind", "times"]))
        expect(text).not.toMatch(INVISIBLE);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
  );
});

function stringsIn(value: unknown, apart: readonly (keyof CallCard)[] = []): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => !apart.some((field) => field === name))
    .flatMap(([name, inner]) => (name === "terminalId" ? [] : stringsIn(inner)));
}
