import { expect, test, vi } from "vitest";
import type { SessionEvent } from "../call/index.js";
import { SessionBook } from "../call/index.js";
import { LiveText } from "./live-text.js";

const CALLS = 50;

test("shows many parallel calls without listing all open ones for each", () => {
  const book = new SessionBook("s");
  const openCalls = vi.spyOn(book, "openCalls");
  let show: (events: readonly SessionEvent[]) => void = () => undefined;
  const onRecorded = (subscriber: typeof show) => {
    show = subscriber;
    return () => undefined;
  };
  let text = "";
  const live = new LiveText({ book, onRecorded, now: () => 2 }, { write: (piece) => (text += piece) });
  const ids = Array.from({ length: CALLS }, (_, index) => `call_${index}`);
  const record = (...events: readonly SessionEvent[]): void => {
    book.applyAll(events);
    show(events);
  };
  const look = { name: "look", title: "Look", kind: "read", kindSource: "declared" } as const;
  for (const toolCallId of ids)
    record(
      { type: "call-announced", toolCallId, at: 1, ...look },
      { type: "input-ready", toolCallId, at: 1, rawInput: {} },
      { type: "call-cleared", toolCallId, at: 1, decision: { by: "rule", rule: "looking", at: 1 } },
      { type: "run-started", toolCallId, at: 1 },
    );
  for (const toolCallId of ids) record({ type: "call-done", toolCallId, at: 2 });
  live.close();
  // A line at the start, and a card at the end.
  expect(text.match(/Look/g)).toHaveLength(2 * CALLS);
  expect(openCalls).not.toHaveBeenCalled();
});
