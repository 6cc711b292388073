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

test("calls without a result are to be answered, in their order, when the turn stops for them", () => {
  expect(openAfter(START, call("1"), call("2"), call("3"), result("2"), stop("tool_use"))).toEqual([
    "1",
    "3",
  ]);
});

test("nothing is to be answered while a turn goes on, or when it has ended otherwise", () => {
  for (const events of [[], [stop("end_turn")], [stop("error")]])
    expect(openAfter(START, call("1"), ...events)).toEqual([]);
});

test("a call that is told again is still one call", () => {
  expect(openAfter(call("1"), result("2"), call("1"), stop("tool_use"))).toEqual(["1"]);
});

test("a result that comes before its call closes it too", () => {
  expect(openAfter(result("1"), call("1"), call("2"), stop("tool_use"))).toEqual(["2"]);
});

const ids = fc.constantFrom("1", "2", "3", "4", "5");
const events = fc.array(
  fc.oneof(
    ids.map(call),
    ids.map(result),
    fc.constant<TurnEvent>({ event: "text_delta", data: { delta: "so " } }),
    // What a newer server might send.
    fc.constant({ event: "mood", data: { toolCallId: "1" } } as unknown as TurnEvent),
  ),
);

test("whatever comes and however often, what is open is what was told and has no result, each once", () => {
  fc.assert(
    fc.property(events, (told) => {
      const calls = told.flatMap((event) => (event.event === "tool_call" ? [event.data.toolCallId] : []));
      const results = new Set(
        told.flatMap((event) => (event.event === "tool_result" ? [event.data.toolCallId] : [])),
      );
      const expected = [...new Set(calls)].filter((id) => !results.has(id));
      expect(openAfter(START, ...told, stop("tool_use"))).toEqual(expected);
      expect(openAfter(START, ...told)).toEqual([]);
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
