import * as fc from "fast-check";
import { expect, test } from "vitest";
import { joinedEvents } from "./message-run.js";
import { SessionBook } from "./session-book.js";
import type { SessionEvent } from "./session.js";

const chunk = fc.record({
  type: fc.constant("message-chunk" as const),
  at: fc.constant(1),
  messageId: fc.constantFrom("a", "b"),
  role: fc.constantFrom("agent" as const, "thought" as const),
  block: fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: fc.string() }),
    fc.record({ type: fc.constant("text" as const), text: fc.string(), _meta: fc.constant({ mine: 1 }) }),
    fc.record({ type: fc.constant("image" as const), data: fc.string(), mimeType: fc.constant("image/png") }),
  ),
});

const INPUT = '{"path":"a.txt","text":"one \\"two\\""}';
const announced: SessionEvent = {
  type: "call-announced",
  at: 1,
  toolCallId: "call_1",
  name: "t",
  title: "T",
  kind: "other",
  kindSource: "declared",
};

const folded = (events: readonly SessionEvent[]) => new SessionBook("s", events).snapshot();

function joined(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const all: SessionEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const one = last && joinedEvents(last, event);
    if (one) all[all.length - 1] = one;
    else all.push(event);
  }
  return all;
}

test("folds the same session whether message chunks were joined or not", () => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 30 }), (events) => {
      const fewer = joined(events);
      expect(fewer.length).toBeLessThanOrEqual(events.length);
      expect(folded(fewer)).toEqual(folded(events));
    }),
  );
});

test("folds the same input however its deltas were cut and joined", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: INPUT.length }), { maxLength: 8 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), INPUT.length];
      const pieces = places.slice(1).map((end, index) => INPUT.slice(places[index], end));
      const deltas = pieces.map((text): SessionEvent => ({
        type: "input-delta",
        at: 1,
        toolCallId: "call_1",
        text,
      }));
      const one = joined([announced, ...deltas]);
      expect(one).toHaveLength(2);
      expect(folded(one).timeline).toEqual(
        folded([announced, { type: "input-delta", at: 1, toolCallId: "call_1", text: INPUT }]).timeline,
      );
    }),
  );
});

test("leaves events of other calls and other types as they are", () => {
  const delta = (toolCallId: string): SessionEvent => ({ type: "input-delta", at: 1, toolCallId, text: "x" });
  expect(joinedEvents(delta("call_1"), delta("call_2"))).toBeUndefined();
  expect(joinedEvents(delta("call_1"), announced)).toBeUndefined();
});

test("keeps pieces apart that would be very long together", () => {
  const half: SessionEvent = { type: "input-delta", at: 1, toolCallId: "call_1", text: "x".repeat(40_000) };
  expect(joinedEvents(half, half)).toBeUndefined();
});
