import { expect, test } from "vitest";
import { SessionBook } from "../call/index.js";
import type { SessionEvent, Usage } from "../call/index.js";
import { dollars, shortUsage, usageText, windowText } from "./usage-text.js";

function bookOf(...turns: readonly (readonly (Usage | undefined)[])[]): SessionBook {
  const events = turns.flatMap((steps, index): SessionEvent[] => {
    const turnId = `turn_${index}`;
    return [
      { type: "turn-started", at: 1, turnId },
      ...steps.map((usage, step): SessionEvent => ({
        type: "step-ended",
        at: 1,
        turnId,
        stepId: `${turnId}-${step}`,
        toolCallIds: [],
        ...(usage && { usage }),
      })),
      { type: "turn-stopped", at: 2, turnId, stopReason: "end_turn" },
    ];
  });
  return new SessionBook("session", events);
}

const price = { input: 2, output: 10, cached: 0.2 };

test("shows the tokens and the cost of the newest turn", () => {
  const used = { inputTokens: 100_000, cachedTokens: 50_000, outputTokens: 1_000 };
  const book = bookOf([{ inputTokens: 9, outputTokens: 9 }], [used, used]);
  expect(usageText(book, price)).toMatch(
    /^200,000 tokens in \(100,000 cached\), 2,000 out, about \$0\.24 at prices of \d{4}-\d\d-\d\d$/,
  );
});

test("counts the responses of the sub-agents of the turn", () => {
  const toolCallId = "task";
  const book = new SessionBook("session", [
    { type: "turn-started", at: 1, turnId: "turn" },
    { type: "step-ended", at: 1, turnId: "turn", stepId: "s", toolCallIds: [toolCallId] },
    {
      type: "call-announced",
      at: 1,
      toolCallId,
      name: "task",
      title: "",
      kind: "other",
      kindSource: "declared",
    },
    { type: "input-ready", at: 1, toolCallId, rawInput: {} },
    { type: "call-cleared", at: 1, toolCallId },
    { type: "child-awaited", at: 1, toolCallId, childSessionId: "child" },
    { type: "child-stepped", at: 1, toolCallId, text: "", toolCallIds: [], usage: { inputTokens: 7 } },
  ]);
  expect(usageText(book, undefined)).toBe("7 tokens in, 0 out");
  expect(shortUsage(book, undefined, "session")).toBe("7 tokens in, 0 out");
});

test("shows no cost without a price or with an uncounted response", () => {
  const used = { inputTokens: 1_000, outputTokens: 10 };
  expect(usageText(bookOf([used]), undefined)).toBe("1,000 tokens in, 10 out");
  expect(usageText(bookOf([used, { outputTokens: 5 }]), price)).toBe("1,000 tokens in, 15 out");
  expect(usageText(bookOf([used, undefined]), price)).toBe("1,000 tokens in, 10 out");
});

test("shows nothing when the provider reports no usage or the session has no turn", () => {
  expect(usageText(bookOf([undefined]), price)).toBeUndefined();
  expect(usageText(bookOf(), price)).toBeUndefined();
});

test("shows how full the window is after the last response, until a summary replaces it", () => {
  const book = bookOf([{ inputTokens: 9 }], [{ inputTokens: 66_000, outputTokens: 2_000 }]);
  expect(windowText(book, 200_000)).toBe("34 % of 200k");
  expect(windowText(bookOf([undefined]), 200_000)).toBeUndefined();
  book.apply({ type: "context-compacted", at: 3, throughStepId: "turn_1-0", summary: "s" });
  expect(windowText(book, 200_000)).toBeUndefined();
});

test.each([
  [0, "$0.00"],
  [0.000_01, "less than $0.0001"],
  [0.001_234, "$0.0012"],
  [0.0999, "$0.10"],
  [1.5, "$1.50"],
  [1234.567, "$1234.57"],
])("%d dollars read %s", (cost, text) => {
  expect(dollars(cost)).toBe(text);
});
