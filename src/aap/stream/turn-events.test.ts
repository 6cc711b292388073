import { expect, test } from "vitest";
import { SessionBook } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";
import { historyFromLog } from "../sessions/history-from-log.js";
import { TurnEvents } from "./turn-events.js";

const words = (messageId: string, text: string): SessionEvent => ({
  type: "message-chunk",
  at: 1,
  messageId,
  role: "agent",
  block: { type: "text", text },
});
const LOOK = { name: "look", title: "Look", kind: "read", kindSource: "declared" } as const;
const called: readonly SessionEvent[] = [
  { type: "call-announced", toolCallId: "c1", at: 1, ...LOOK },
  { type: "input-ready", toolCallId: "c1", at: 1, rawInput: {} },
  { type: "step-ended", at: 1, turnId: "t", stepId: "step_2", toolCallIds: ["c1"] },
];
const USE = { type: "tool_use", toolCallId: "c1", name: "look", input: {} };

/** The stream events that come of these events, and their whole history. */
function sentFor(events: readonly SessionEvent[], { hasSteps = true } = {}) {
  const log = events.map((event, index) => ({ seq: index + 1, event }));
  const reader = new TurnEvents(new SessionBook("s", events), { hasSteps });
  return {
    sent: log.flatMap(({ seq, event }) => reader.read(event, seq)).map(({ wire }) => wire.event),
    history: historyFromLog(log, "full", { hasSteps }).map(({ content }) => content),
  };
}

test("sends answer_cut_off before the next message's text or call", () => {
  expect(sentFor([words("step_1", "I lo"), words("step_2", "I look."), ...called])).toEqual({
    sent: ["text_delta", "text", "answer_cut_off", "text_delta", "text", "tool_call"],
    history: [[{ type: "text", text: "I lo" }], [{ type: "text", text: "I look." }, USE]],
  });
  expect(sentFor([words("step_1", "I lo"), ...called])).toEqual({
    sent: ["text_delta", "text", "answer_cut_off", "tool_call"],
    history: [[{ type: "text", text: "I lo" }], [USE]],
  });
});

test("never sends answer_cut_off for an agent that records no steps", () => {
  const { sent } = sentFor([words("m1", "One."), words("m2", "Two.")], { hasSteps: false });
  expect(sent).not.toContain("answer_cut_off");
});
