import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RecordedEvent, SessionEvent } from "../../call/index.js";
import { followResponse } from "./follow-response.js";
import type { ResponseSource } from "./follow-response.js";
import { Subscription } from "./subscriber.js";
import type { Subscriber } from "./subscriber.js";
import { NO_ENDS } from "./response-log.js";
import type { ExtraEnds } from "./response-log.js";

const SAID: readonly SessionEvent[] = [
  { type: "turn-started", turnId: "turn_1", at: 1 },
  {
    type: "message-chunk",
    messageId: "message_1",
    role: "agent",
    block: { type: "text", text: "Hello." },
    at: 2,
  },
];
const STOPPED: SessionEvent = { type: "turn-stopped", turnId: "turn_1", stopReason: "end_turn", at: 3 };

const recorded = (events: readonly SessionEvent[]): readonly RecordedEvent[] =>
  events.map((event, index) => ({ seq: index + 1, event }));

/** A log that only the test writes to, and a turn that no process runs. */
function unattended(log: SessionEvent[], changes: Partial<ResponseSource> = {}): ResponseSource {
  return {
    follow: async function* (after) {
      for (const one of recorded(log)) if (one.seq > after) yield one;
    },
    newest: async (after) => (log.length > after ? log.length : undefined),
    ends: () => NO_ENDS,
    hasSteps: true,
    redactPatterns: [],
    running: () => undefined,
    resume: () => Promise.resolve("none"),
    ...changes,
  };
}

async function received(from: ResponseSource, slow: Partial<Subscriber> = {}): Promise<readonly string[]> {
  const lines: string[] = [];
  const subscriber = {
    listener: (all: readonly { readonly wire: { readonly event: string; readonly data: object } }[]) =>
      void lines.push(...all.map((one) => `${one.wire.event} ${JSON.stringify(one.wire.data)}`)),
    signal: new AbortController().signal,
    isBehind: () => false,
    drained: async () => undefined,
    ...slow,
  };
  await followResponse(from, 0, new Subscription(subscriber, undefined), subscriber);
  return lines;
}

const BEGINNING = ["turn_start {}", 'text_delta {"delta":"Hello."}'];
const ENDING = ['text {"text":"Hello."}', 'turn_stop {"stopReason":"end_turn"}'];

test("sends a recorded response from its start to its stop", async () => {
  expect(await received(unattended([...SAID, STOPPED]))).toEqual([...BEGINNING, ...ENDING]);
});

test("sends a response to its end when it ends just as it seems abandoned", async () => {
  const log = [...SAID];
  const resume = async () => {
    log.push(STOPPED);
    return "none" as const;
  };
  expect(await received(unattended(log, { resume }))).toEqual([...BEGINNING, ...ENDING]);
});

test("polls a response that another process runs until it ends", async () => {
  const log = [...SAID];
  const resume = async () => {
    setTimeout(() => log.push(STOPPED), 10);
    return "busy" as const;
  };
  expect(await received(unattended(log, { resume }))).toEqual([...BEGINNING, ...ENDING]);
});

test("ends at a pause that becomes known only after the whole log was read", async () => {
  let known: ExtraEnds = NO_ENDS;
  const follow = async function* (after: number) {
    try {
      for (const one of recorded(SAID)) if (one.seq > after) yield one;
    } finally {
      known = { ...NO_ENDS, added: new Set([SAID.length]) };
    }
  };
  expect(await received(unattended([...SAID], { follow, ends: () => known }))).toEqual([
    ...BEGINNING,
    'text {"text":"Hello."}',
    'turn_stop {"stopReason":"tool_use"}',
  ]);
});

test("ends an abandoned response that cannot be resumed with an error and advice", async () => {
  const all = await received(unattended([...SAID]));
  expect(all.slice(0, -1)).toEqual(BEGINNING);
  expect(all.at(-1)).toMatch(/^turn_stop .*"stopReason":"error".*Send the request again\./);
});

test("reads the log once for a slow reader", async () => {
  const asked: string[] = [];
  const log = [...SAID, STOPPED];
  const follow = async function* (after: number, signal: AbortSignal) {
    asked.push("follow");
    for (const one of recorded(log)) if (one.seq > after && !signal.aborted) yield one;
  };
  const resume = async () => {
    asked.push("resume");
    return "none" as const;
  };
  let isBehind = false;
  const slow = {
    isBehind: () => (isBehind = !isBehind),
    drained: async () => void (isBehind && (await wait(1_200))),
  };
  expect(await received(unattended(log, { follow, resume }), slow)).toEqual([...BEGINNING, ...ENDING]);
  expect(asked).toEqual(["follow"]);
});
