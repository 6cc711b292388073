import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { linkAbort } from "./linked-abort.js";

test("aborts every linked signal with the turn's reason, through one listener", () => {
  const turn = new AbortController();
  const stops = Array.from({ length: 50 }, () => linkAbort(turn.signal).stop);
  expect(getEventListeners(turn.signal, "abort")).toHaveLength(1);
  const reason = new Error("enough");
  turn.abort(reason);
  for (const stop of stops) expect([stop.reason, stop.signal.reason]).toEqual([reason, reason]);
});

test("stops all but those that were released", () => {
  const turn = new AbortController();
  const [one, other] = [linkAbort(turn.signal), linkAbort(turn.signal)];
  one.unlink();
  turn.abort();
  expect([one.stop.signal.aborted, other.stop.signal.aborted]).toEqual([false, true]);
});

test("removes its listener when all are released, and still aborts one that is linked later", () => {
  const turn = new AbortController();
  for (const { unlink } of [linkAbort(turn.signal), linkAbort(turn.signal)]) unlink();
  expect(getEventListeners(turn.signal, "abort")).toEqual([]);
  const { stop } = linkAbort(turn.signal);
  turn.abort();
  expect(stop.signal.aborted).toBe(true);
});

test("aborts one linked signal alone, and one that is linked after the abort at once", () => {
  const turn = new AbortController();
  const [one, other] = [linkAbort(turn.signal), linkAbort(turn.signal)];
  one.stop.stop("alone");
  expect([other.stop.signal.aborted, turn.signal.aborted]).toEqual([false, false]);
  turn.abort("all");
  expect([one.stop.signal.reason, linkAbort(turn.signal).stop.signal.reason]).toEqual(["alone", "all"]);
});

test("calls onStop for each reason, before the listeners of the signal, which aborts once", () => {
  const turn = new AbortController();
  const { stop } = linkAbort(turn.signal);
  const reasons: unknown[] = [];
  stop.onStop = (reason) => reasons.push(reason);
  stop.signal.addEventListener("abort", () => reasons.push("then"));
  turn.abort("turn");
  stop.stop("again");
  expect(reasons).toEqual(["turn", "then", "again"]);
  expect([stop.reason, stop.signal.reason]).toEqual(["turn", "turn"]);
});

test("leaves the signal of a finished run unchanged", () => {
  const turn = new AbortController();
  const { stop } = linkAbort(turn.signal);
  const { signal } = stop;
  stop.onStop = () => expect.unreachable();
  stop.end();
  turn.abort();
  stop.stop("late");
  expect([stop.isStopped, signal.aborted]).toEqual([false, false]);
});
