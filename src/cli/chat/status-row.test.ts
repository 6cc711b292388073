import { expect, test } from "vitest";
import { SessionBook } from "../../call/index.js";
import type { Conversation } from "./conversation.js";
import { statusRow } from "./status-row.js";

const book = new SessionBook("session_1", [
  { type: "turn-started", turnId: "turn_1", at: 1 },
  {
    type: "step-ended",
    turnId: "turn_1",
    stepId: "step_1",
    at: 1,
    toolCallIds: [],
    usage: { inputTokens: 1_000, outputTokens: 20 },
  },
]);
const conversation = {
  session: { sessionId: "session_1", book, now: () => 1, onRecorded: () => () => undefined },
  with: "an/agent",
  turn: () => Promise.reject(new Error("unused")),
  close: () => Promise.resolve(),
};
const row = (width: number, more: { readonly hint?: string; readonly elsewhere?: number } = {}) =>
  statusRow(conversation, { folder: "/", elsewhere: 0, width, ...more });

test("leaves whole facts out where the terminal is narrow, and never a hint or a question", () => {
  expect(row(80)).toBe("  an/agent · 1,000 tokens in, 20 out · /help");
  expect(row(40)).toBe("  an/agent · 1,000 tokens in, 20 out");
  expect(row(20)).toBe("  an/agent");
  expect(row(20, { elsewhere: 2 })).toBe("  an/agent · 2 questions elsewhere: /questions");
  expect(row(20, { hint: "Ctrl-C again quits" })).toContain("Ctrl-C again quits");
});

test("counts the commands in the background", () => {
  // Only these parts of our own agent are read.
  const own = {
    session: { book, contextWindow: 10_000, gate: { background: { runningCount: 2 } } },
    opened: { modeIn: () => "ask" },
  } as unknown as NonNullable<Conversation["own"]>;
  expect(statusRow({ ...conversation, own }, { folder: "/", elsewhere: 0, width: 100 })).toContain(
    "an/agent · ask · 1,000 tokens in, 20 out · 10 % of 10k · 2 in the background: /ps",
  );
});
