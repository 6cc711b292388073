import * as fc from "fast-check";
import { expect, test } from "vitest";
import { OpenCalls } from "./open-calls.js";
import { messagesFromEvents } from "./messages-from-events.js";
import { pendingCalls } from "./pending-calls.js";
import type { TurnEvent } from "./protocol.js";

const START: TurnEvent = { event: "turn_start", data: {} };
const call = (toolCallId: string): TurnEvent => ({
  event: "tool_call",
  data: { toolCallId, name: `tool-${toolCallId}`, input: { of: toolCallId } },
});
const result = (toolCallId: string): TurnEvent => ({
  event: "tool_result",
  data: { toolCallId, content: "ok" },
});
const stop = (stopReason: "tool_use" | "end_turn" | "error"): TurnEvent => ({
  event: "turn_stop",
  data: { stopReason },
});

function openAfter(...events: readonly TurnEvent[]): readonly string[] {
  const open = new OpenCalls();
  for (const event of events) open.read(event);
  return open.toAnswer().map(({ toolCallId }) => toolCallId);
}

test("opens calls without a result, in order, when the turn stops for them", () => {
  expect(openAfter(START, call("1"), call("2"), call("3"), result("2"), stop("tool_use"))).toEqual([
    "1",
    "3",
  ]);
});

test("opens no call while a turn runs or when it ended otherwise", () => {
  for (const events of [[], [stop("end_turn")], [stop("error")]])
    expect(openAfter(START, call("1"), ...events)).toEqual([]);
});

test("counts a call once when it is sent again", () => {
  expect(openAfter(call("1"), result("2"), call("1"), stop("tool_use"))).toEqual(["1"]);
});

test("closes a call whose result comes first", () => {
  expect(openAfter(result("1"), call("1"), call("2"), stop("tool_use"))).toEqual(["2"]);
});

const ids = fc.constantFrom("1", "2", "3", "4", "5");
const events = fc.array(
  fc.oneof(
    ids.map(call),
    ids.map(result),
    fc.constant<TurnEvent>({ event: "text_delta", data: { delta: "so " } }),
    // An event of a newer server.
    fc.constant({ event: "mood", data: { toolCallId: "1" } } as unknown as TurnEvent),
  ),
);

test("keeps each sent call without a result open once, in any order of events", () => {
  fc.assert(
    fc.property(events, (sent) => {
      const calls = sent.flatMap((event) => (event.event === "tool_call" ? [event.data.toolCallId] : []));
      const results = new Set(
        sent.flatMap((event) => (event.event === "tool_result" ? [event.data.toolCallId] : [])),
      );
      const expected = [...new Set(calls)].filter((id) => !results.has(id));
      expect(openAfter(START, ...sent, stop("tool_use"))).toEqual(expected);
      expect(openAfter(START, ...sent)).toEqual([]);
    }),
  );
});

test("a client with the stream and one with only the history answer the same calls", () => {
  // As the protocol draws a step: all calls first, then results, then the stop.
  const step = fc.tuple(
    fc.uniqueArray(ids, { minLength: 1 }),
    fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  );
  fc.assert(
    fc.property(step, ([calls, hasResult]) => {
      const results = calls.filter((_id, index) => hasResult[index]);
      const turn = [START, ...calls.map(call), ...results.map(result), stop("tool_use")];
      const { client, server } = pendingCalls(messagesFromEvents(turn), ["tool-1", "tool-3"]);
      const open = openAfter(...turn);
      expect([...client, ...server].map(({ toolCallId }) => toolCallId).sort()).toEqual([...open].sort());
      expect(client.every(({ name }) => name === "tool-1" || name === "tool-3")).toBe(true);
    }),
  );
});
