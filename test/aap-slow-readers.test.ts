/** Clients that read a turn more slowly than it is written, or not at all: over real sockets, from a ledger on disk. */
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";
import { AUTHORIZED, newSession, say, send, serving, turn } from "./aap-http-kit.js";
import type { Served } from "./aap-http-kit.js";
import { until } from "./until.js";

const MEGABYTE = 1024 * 1024;
/** Twelve megabytes: more than the two ends of a socket buffer by themselves. */
const LONG = `${"x".repeat(65_535)} `.repeat(12 * 16);

type StreamPart = LanguageModelV3StreamPart;
type BeforeWord = (part: StreamPart & { readonly type: "text-delta" }) => Promise<void>;
type Limits = NonNullable<Parameters<typeof serving>[1]>["limits"];

async function longTurns(
  steps: readonly ScriptStep[],
  // By default nobody is dropped, however slow the machine is.
  limits: Limits = { stallTimeoutMs: 600_000 },
  beforeWord: BeforeWord = async () => undefined,
): Promise<Served> {
  const ledger = await openLedger(join(await folder(), "ledger.sqlite"));
  onTestFinished(() => ledger.close());
  // A model that takes a moment for each word, as they do.
  const model = scriptedModel({ steps: [...steps] }, { pauseMs: 1 });
  const doStream: typeof model.doStream = async (options) => {
    const { stream, ...rest } = await model.doStream(options);
    const paced = new TransformStream<StreamPart, StreamPart>({
      transform: async (part, to) => {
        if (part.type === "text-delta") await beforeWord(part);
        to.enqueue(part);
      },
    });
    return { ...rest, stream: stream.pipeThrough(paced) };
  };
  return serving(undefined, { ledger, limits }, { model: { ...model, doStream } });
}

/** A response of which nothing is read before somebody does. */
async function unread(url: string, path: string, body?: object): Promise<IncomingMessage> {
  const headers = { ...AUTHORIZED, ...(body && { "content-type": "application/json" }) };
  const asked = request(`${url}${path}`, { method: body ? "POST" : "GET", headers });
  asked.on("error", () => undefined);
  onTestFinished(() => void asked.destroy());
  asked.end(body && JSON.stringify(body));
  const [response]: IncomingMessage[] = await once(asked, "response");
  if (!response) throw new Error("there was no response");
  response.on("error", () => undefined);
  return response;
}

const unreadTurn = (url: string, sessionId: string) =>
  unread(url, `/sessions/${sessionId}/turns`, say("Go", "delta"));

const figures = async (url: string) => (await send(url, { path: "/metrics" })).text;

const turnsEnded = (url: string, count: number) =>
  until(async () => (await figures(url)).includes(`toolgate_turns_total{stop_reason="end_turn"} ${count}`));

/** A piece at a time, with a pause after each. */
async function readSlowly(response: IncomingMessage, pauseMs = 1): Promise<string> {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) {
    text += String(piece);
    await wait(pauseMs);
  }
  return text;
}

type Frame = { readonly id: string; readonly event: string; readonly data: { readonly delta?: string } };

function framesOf(text: string): readonly Frame[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("id:"))
    .map((frame) => {
      const [id = "", event = "", data = ""] = frame
        .split("\n")
        .map((line) => line.slice(line.indexOf(":") + 2));
      return { id, event, data: JSON.parse(data) as Frame["data"] };
    });
}

/** A stream that lasts long holds comments that keep its connection open. */
const withoutHeartbeats = (text: string) => text.replaceAll(/^:.*\n+/gm, "");

const said = (frames: readonly Frame[]) => frames.map(({ data }) => data.delta ?? "").join("");

/** The memory in use after garbage collection. */
function retained(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The same, when what goes by itself after a moment has gone too. */
async function atRest(): Promise<number> {
  let [before, now] = [Infinity, retained()];
  while (before - now > MEGABYTE) {
    await wait(1_500);
    [before, now] = [now, retained()];
  }
  return now;
}

class Signal {
  give: () => void = () => undefined;
  readonly given = new Promise<void>((resolve) => void (this.give = resolve));
}

describe("slow clients", () => {
  test("sends a client that is left far behind every event once, in order, and the stop", async () => {
    const { url } = await longTurns([{ say: LONG }]);
    const s1 = await newSession(url);
    const response = await unreadTurn(url, s1);
    const follower = await unread(url, `/sessions/${s1}/turns?stream=delta`);
    await turnsEnded(url, 1);
    const [text, followed] = await Promise.all([readSlowly(response), readSlowly(follower)]);
    expect(response.complete && follower.complete).toBe(true);
    const frames = framesOf(text);
    expect(said(frames) === LONG).toBe(true);
    expect(frames.filter(({ event }) => event !== "text_delta").map(({ event }) => event)).toEqual([
      "turn_start",
      "turn_stop",
    ]);
    expect(frames.at(-1)).toMatchObject({ event: "turn_stop", data: { stopReason: "end_turn" } });
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
    // A client that asks again, and reads at once, gets the very same bytes.
    const again = await send(url, { path: `/sessions/${s1}/turns?stream=delta` });
    expect(withoutHeartbeats(again.text) === withoutHeartbeats(text)).toBe(true);
    expect(withoutHeartbeats(followed) === withoutHeartbeats(text)).toBe(true);
  });

  test("lets a slow client catch up while the turn goes on, and then sends it the turn live", async () => {
    const [held, goOn] = [new Signal(), new Signal()];
    const { url } = await longTurns([{ say: `${LONG}Done.` }], undefined, async ({ delta }) => {
      if (!delta.includes("Done")) return;
      held.give();
      await goOn.given;
    });
    const s1 = await newSession(url);
    const response = await unreadTurn(url, s1);
    await held.given;
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => void (text += piece));
    await until(() => text.length > LONG.length && said(framesOf(text)) === LONG);
    goOn.give();
    await once(response, "end");
    const frames = framesOf(text);
    expect(said(frames) === `${LONG}Done.`).toBe(true);
    expect(frames.filter(({ event }) => event !== "text_delta").map(({ event }) => event)).toEqual([
      "turn_start",
      "turn_stop",
    ]);
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
  });

  test("does not drop a client that reads slowly, however little it takes at a time", async () => {
    const { url } = await longTurns([{ say: LONG.slice(0, 2 * MEGABYTE) }], { stallTimeoutMs: 1_000 });
    const response = await unreadTurn(url, await newSession(url));
    const began = performance.now();
    const text = await readSlowly(response, 100);
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(response.complete).toBe(true);
    expect(text.length).toBeGreaterThan(2 * MEGABYTE);
  });

  test("does not keep others from their turns when one client is slow", async () => {
    const { url } = await longTurns([{ say: LONG }]);
    const [slow, fast] = [await newSession(url), await newSession(url)];
    await unreadTurn(url, slow);
    const { text } = await turn(url, fast, say("Go", "delta"));
    expect(said(framesOf(text)) === LONG).toBe(true);
  });
});

describe("clients that never read", () => {
  test("spends at most 32 MB on ten clients that never read, and records their turns", async () => {
    const { url, ledger } = await longTurns([{ say: LONG }]);
    const s1 = await newSession(url);
    // One that reads: all that any turn leaves behind is there before the other one comes.
    await turn(url, await newSession(url), say("Go", "none"));
    const before = await atRest();
    await unreadTurn(url, s1);
    for (let count = 0; count < 9; count++) await unread(url, `/sessions/${s1}/turns?stream=delta`);
    await turnsEnded(url, 2);
    // On a busy machine, buffers of the turn go later than its end.
    await until(async () => (await atRest()) - before < 32 * MEGABYTE);
    // A follower that comes after the end of the turn on a busy machine has no stream.
    expect(await figures(url)).toMatch(/^toolgate_streams (?:[3-9]|10)$/m);
    expect((await ledger.read(s1)).at(-1)?.event).toMatchObject({
      type: "turn-stopped",
      stopReason: "end_turn",
    });
  });

  test.each(["turns?stream=delta", "events"])("drops a client that never reads, of %s too", async (what) => {
    const { url } = await longTurns([{ say: LONG }], { stallTimeoutMs: 500 });
    const s1 = await newSession(url);
    const first = await unreadTurn(url, s1);
    await turnsEnded(url, 1);
    const second = await unread(url, `/sessions/${s1}/${what}`);
    const began = performance.now();
    await until(async () => (await figures(url)).includes("toolgate_streams 0"));
    expect(performance.now() - began).toBeLessThan(30_000);
    // The client sees that its stream is incomplete.
    for (const response of [first, second]) {
      await expect(readSlowly(response)).rejects.toThrow("aborted");
      expect(response.complete).toBe(false);
    }
  });
});
