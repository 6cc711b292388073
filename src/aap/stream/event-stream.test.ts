import { expect, onTestFinished, test, vi } from "vitest";
import { eventStream, frame } from "./event-stream.js";
import type { OpenSink, SseWriter } from "./event-stream.js";

test("sends frames as they are, and ends after the last", async () => {
  const response = eventStream(async ({ write }) => {
    write(frame("1.0", "turn_start", {}));
    write(frame("2.1", "turn_stop", { stopReason: "end_turn" }));
  }, fail);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(await response.text()).toBe(
    'id: 1.0\nevent: turn_start\ndata: {}\n\nid: 2.1\nevent: turn_stop\ndata: {"stopReason":"end_turn"}\n\n',
  );
});

test("writes the events of one tick together", async () => {
  stopTheClock();
  const { response, turn } = openTurn();
  const reader = response.body?.getReader();
  for (let count = 0; count < 100; count++) turn.sink?.write(frame("1.1", "text_delta", { count }));
  const piece = await reader?.read();
  expect(new TextDecoder().decode(piece?.value).match(/event:/g)).toHaveLength(100);
  turn.end?.();
});

test("writes the first event at once, and the rest of the tick together", async () => {
  stopTheClock();
  const { written, turn } = await openWritten();
  vi.advanceTimersByTime(3);
  for (const text of ["a", "b", "c"]) turn.sink?.write(text);
  expect(written).toEqual(["", "a"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual(["", "a", "bc"]);
  vi.advanceTimersByTime(3);
  turn.sink?.write("d");
  expect(written).toEqual(["", "a", "bc", "d"]);
  turn.end?.();
});

test("flushes within a long tick of a busy process", async () => {
  stopTheClock();
  const { written, turn } = await openWritten();
  vi.advanceTimersByTime(3);
  for (const text of ["a", "b"]) turn.sink?.write(text);
  vi.advanceTimersByTime(3);
  turn.sink?.write("c");
  expect(written).toEqual(["", "a", "bc"]);
  turn.end?.();
});

test("sends a comment as a heartbeat when idle", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
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

test("ignores events after the client has hung up", async () => {
  const { response, turn } = openTurn();
  await response.body?.cancel();
  expect(turn.sink?.signal.aborted).toBe(true);
  expect(() => turn.sink?.write(frame("1.1", "turn_stop", {}))).not.toThrow();
  await turn.sink?.drained();
  turn.end?.();
});

test("reports a client as behind at a megabyte of unread events, until it reads", async () => {
  const { response, turn } = openTurn();
  const delta = "x".repeat(400_000);
  const isBehind = [0, 1, 2].map(() => {
    turn.sink?.write(frame("1.1", "text_delta", { delta }));
    return turn.sink?.isBehind();
  });
  expect(isBehind).toEqual([false, false, true]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(turn.sink?.isBehind()).toBe(true);
  const text = response.text();
  await turn.sink?.drained();
  expect(turn.sink?.isBehind()).toBe(false);
  turn.end?.();
  expect((await text).length).toBeGreaterThan(1_200_000);
});

test("cuts a stream that fails, so that no client takes it for whole", async () => {
  const reported: unknown[] = [];
  const broken = new Error("the disk is broken");
  const response = eventStream(
    async ({ write }) => {
      write(frame("1.0", "turn_start", {}));
      await Promise.reject(broken);
    },
    (error) => reported.push(error),
  );
  await expect(response.text()).rejects.toBe(broken);
  expect(reported).toEqual([broken]);
});

test("lets a fast writer wait until the client has read", async () => {
  const { response, turn } = openTurn();
  turn.sink?.write(frame("1.1", "text_delta", { delta: "x" }));
  let isRead = false;
  const drained = turn.sink?.drained().then(() => {
    isRead = true;
    return isRead;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isRead).toBe(false);
  const reader = response.body?.getReader();
  await reader?.read();
  // The client asks for more.
  const more = reader?.read();
  expect(await drained).toBe(true);
  turn.end?.();
  expect((await more)?.done).toBe(true);
});

const fail = (error: unknown) => {
  throw error;
};

type OpenTurn = { sink?: SseWriter; end?: () => void };

/** How long a moment lasts is for the test to say, and not for the machine. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** A started stream, and everything it sends. */
async function openWritten() {
  const written: string[] = [];
  const open: OpenSink = () => ({
    sink: {
      write: (text) => void written.push(text),
      unread: () => 0,
      end: () => undefined,
      fail: () => undefined,
    },
    response: new Response(),
  });
  const { turn } = openTurn(open);
  await new Promise((resolve) => setImmediate(resolve));
  return { written, turn };
}

/** A stream that goes on until it is ended. */
function openTurn(open?: OpenSink): { readonly response: Response; readonly turn: OpenTurn } {
  const turn: OpenTurn = {};
  const response = eventStream(
    (sink) => {
      turn.sink = sink;
      return new Promise((resolve) => {
        turn.end = resolve;
      });
    },
    fail,
    open,
  );
  return { response, turn };
}
