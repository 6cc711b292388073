import { expect, test, vi } from "vitest";
import { eventStream } from "./event-stream.js";
import type { TurnEvent } from "./client/protocol.js";

const start: TurnEvent = { event: "turn_start", data: {} };
const stop: TurnEvent = { event: "turn_stop", data: { stopReason: "end_turn" } };

test("events are numbered frames, and the stream ends after the last", async () => {
  const response = eventStream((tell) => {
    tell(start);
    tell(stop);
    return Promise.resolve();
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(await response.text()).toBe(
    'id: 1\nevent: turn_start\ndata: {}\n\nid: 2\nevent: turn_stop\ndata: {"stopReason":"end_turn"}\n\n',
  );
});

test("while nothing happens a comment keeps the connection alive", async () => {
  vi.useFakeTimers();
  try {
    const { response, turn } = openTurn();
    await vi.advanceTimersByTimeAsync(31_000);
    turn.end?.();
    expect(await response.text()).toBe(": ping\n\n: ping\n\n");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("after the client has hung up, what is told goes nowhere and does no harm", async () => {
  const { response, turn } = openTurn();
  await response.body?.cancel();
  expect(() => turn.tell?.(stop)).not.toThrow();
  turn.end?.();
});

type OpenTurn = { tell?: (event: TurnEvent) => void; end?: () => void };

/** A turn that goes on until it is ended. */
function openTurn(): { readonly response: Response; readonly turn: OpenTurn } {
  const turn: OpenTurn = {};
  const response = eventStream((tell) => {
    turn.tell = tell;
    return new Promise((resolve) => {
      turn.end = resolve;
    });
  });
  return { response, turn };
}
