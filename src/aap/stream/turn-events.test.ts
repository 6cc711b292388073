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

/** What is told of these events, and the whole history that they leave. */
function toldOf(events: readonly SessionEvent[], { hasSteps = true } = {}) {
  const log = events.map((event, index) => ({ seq: index + 1, event }));
  const reader = new TurnEvents(new SessionBook("s", events), { hasSteps });
  return {
    told: log.flatMap(({ seq, event }) => reader.read(event, seq)).map(({ wire }) => wire.event),
    history: historyFromLog(log, "full", { hasSteps }).map(({ content }) => content),
  };
}

test("an answer that was cut off is told so before the next one speaks, or acts without a word", () => {
  expect(toldOf([words("step_1", "I lo"), words("step_2", "I look."), ...called])).toEqual({
    told: ["text_delta", "text", "answer_cut_off", "text_delta", "text", "tool_call"],
    history: [[{ type: "text", text: "I lo" }], [{ type: "text", text: "I look." }, USE]],
  });
  expect(toldOf([words("step_1", "I lo"), ...called])).toEqual({
    told: ["text_delta", "text", "answer_cut_off", "tool_call"],
    history: [[{ type: "text", text: "I lo" }], [USE]],
  });
});

test("what an agent says that does not tell where its answers end was not cut off", () => {
  const { told } = toldOf([words("m1", "One."), words("m2", "Two.")], { hasSteps: false });
  expect(told).not.toContain("answer_cut_off");
});
