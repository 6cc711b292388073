import { expect, test } from "vitest";
import { messagesFromEvents } from "./messages-from-events.js";
import type { HistoryMessage, TurnEvent } from "./protocol.js";

const call: TurnEvent = { event: "tool_call", data: { toolCallId: "1", name: "read", input: {} } };
const result: TurnEvent = {
  event: "tool_result",
  data: { toolCallId: "1", content: "no such file", isError: true },
};
const expected: readonly HistoryMessage[] = [
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm, yes." },
      { type: "text", text: "I look." },
      { type: "tool_use", toolCallId: "1", name: "read", input: {} },
    ],
  },
  { role: "tool", toolCallId: "1", content: "no such file" },
  { role: "assistant", content: [{ type: "text", text: "Done." }] },
];

test("makes the same history of deltas and of whole messages", () => {
  const deltas: TurnEvent[] = [
    { event: "turn_start", data: {} },
    { event: "thinking_delta", data: { delta: "Hm, " } },
    { event: "thinking_delta", data: { delta: "yes." } },
    { event: "text_delta", data: { delta: "I " } },
    { event: "text_delta", data: { delta: "look." } },
    call,
    result,
    { event: "text_delta", data: { delta: "Done." } },
    { event: "turn_stop", data: { stopReason: "end_turn" } },
  ];
  const whole: TurnEvent[] = [
    { event: "thinking", data: { thinking: "Hm, yes." } },
    { event: "text", data: { text: "I look." } },
    call,
    result,
    { event: "text", data: { text: "Done." } },
  ];
  expect(messagesFromEvents(deltas)).toEqual(expected);
  expect(messagesFromEvents(whole)).toEqual(expected);
});

test("keeps a message that was cut off apart from the one that replaces it", () => {
  const events: TurnEvent[] = [
    { event: "text_delta", data: { delta: "I lo" } },
    { event: "answer_cut_off", data: {} },
    { event: "text_delta", data: { delta: "I look." } },
  ];
  expect(messagesFromEvents(events)).toEqual([
    { role: "assistant", content: [{ type: "text", text: "I lo" }] },
    { role: "assistant", content: [{ type: "text", text: "I look." }] },
  ]);
});

test("makes no messages of a turn without text", () => {
  expect(messagesFromEvents([{ event: "turn_start", data: {} }])).toEqual([]);
});
