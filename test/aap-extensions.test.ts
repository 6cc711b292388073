/**
 * Our extensions of the protocol, over real HTTP: resumed streams, repeated requests, the session's own events,
 * cancelling, and the questions of all sessions.
 */
import { setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { AgentSession } from "../src/agent/index.js";
import type { Loop } from "../src/agent/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { RememberedGrant } from "../src/run/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { defineTool } from "../src/tools/index.js";
import {
  ALL,
  App,
  deny,
  FOUR_CALLS,
  grant,
  lines,
  names,
  readEvents,
  refusal,
  refused,
  result,
  say,
  SEND,
  whole,
  wordsIn,
  World,
} from "./aap-kit.js";
import { until } from "./until.js";
import type { WireEvent } from "./aap-kit.js";

let world: World;
/** Who has each session: the ledger gives the same owner a newer lease. */
const owners = new Map<string, string>();

beforeEach(async () => {
  world = await World.open();
  const claim = world.ledger.claim.bind(world.ledger);
  world.ledger.claim = (sessionId, owner, options) => {
    owners.set(sessionId, owner);
    return claim(sessionId, owner, options);
  };
});

afterEach(async () => {
  await world.close();
});

const WAIT: readonly ScriptStep[] = [
  { say: "Now I wait a while.", calls: [{ tool: "wait", input: {} }] },
  { say: "That was it." },
];

const read = async (app: App, path: string, headers: Record<string, string> = {}): Promise<Response> => {
  const response = await app.send("GET", path, undefined, { headers });
  expect(response.status).toBe(200);
  return response;
};

describe("resumed streams", () => {
  test("loses and repeats nothing when a stream is resumed in the middle of a turn", async () => {
    const { app } = await world.remote({ steps: WAIT });
    const sessionId = await app.createSession(ALL);
    const cut = await readEvents(
      await app.open(sessionId, say("Go", "delta")),
      ({ event }) => event === "text_delta",
    );
    await until(() => world.done.includes("wait"));
    const taken = readEvents(
      await read(app, `/sessions/${sessionId}/turns`, { "last-event-id": cut.at(-1)?.id ?? "" }),
    );
    world.goOn();
    const events = [...cut, ...(await taken)];
    expect(whole(events)).toEqual({
      stopReason: "end_turn",
      messages: [
        {
          role: "assistant",
          content: [
            { type: "text", text: "Now I wait a while." },
            { type: "tool_use", toolCallId: "call_1", name: "wait", input: {} },
          ],
        },
        { role: "tool", toolCallId: "call_1", content: "waited" },
        { role: "assistant", content: [{ type: "text", text: "That was it." }] },
      ],
    });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(world.done).toEqual(["wait"]);
  });

  test("resumes after every single event, by header and by address, the streams of turns, repeated requests and sessions", async () => {
    const { app } = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await app.createSession(ALL);
    const keyed = (key: string) => ({ headers: { "idempotency-key": key } });
    const turns = [
      ["first", { ...say("Go", "delta") }],
      ["second", { stream: "delta", messages: [grant("call_3"), result("call_1"), result("call_4")] }],
      ["third", { ...say("More", "message") }],
    ] as const;
    for (const [key, body] of turns) {
      const events = await app.stream(sessionId, body, keyed(key));
      expect(events.every(({ id }) => id !== "")).toBe(true);
      for (const [at, { id }] of events.entries()) {
        const rest = events.slice(at + 1);
        const path = `/sessions/${sessionId}/turns?stream=${body.stream}`;
        expect(await readEvents(await read(app, path, { "last-event-id": id })), id).toEqual(rest);
        expect(await readEvents(await read(app, `${path}&after=${id}`)), id).toEqual(rest);
        const again = { headers: { "idempotency-key": key, "last-event-id": id } };
        expect(await app.stream(sessionId, body, again), id).toEqual(rest);
        const place = await app.send("POST", `/sessions/${sessionId}/turns?after=${id}`, body, keyed(key));
        expect(await readEvents(place), id).toEqual(rest);
      }
    }
    const log = await world.ledger.read(sessionId);
    const isLast = ({ id }: WireEvent) => id === String(log.length);
    const all = await readEvents(await read(app, `/sessions/${sessionId}/events`), isLast);
    expect(all.map(({ id }) => id)).toEqual(log.map(({ seq }) => String(seq)));
    for (const [at, { id }] of all.slice(0, -1).entries()) {
      const path = `/sessions/${sessionId}/events`;
      expect(await readEvents(await read(app, path, { "last-event-id": id }), isLast)).toEqual(
        all.slice(at + 1),
      );
      expect(await readEvents(await read(app, `${path}?after=${id}`), isLast)).toEqual(all.slice(at + 1));
    }
  });

  test("sends the exact rest of a turn from any place, in any mode, while it runs or after", async () => {
    const { app } = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await app.createSession(ALL);
    const first = await app.stream(sessionId, say("Go", "delta"));
    const messages = [grant("call_3"), result("call_1"), result("call_4")];
    const second = await app.stream(sessionId, { stream: "delta", messages });
    const third = await app.stream(sessionId, say("More", "message"));
    const responses = [
      ["delta", first],
      ["delta", second],
      ["message", third],
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...responses), fc.nat(), async ([mode, events], place) => {
        const at = place % events.length;
        const path = `/sessions/${sessionId}/turns?stream=${mode}&after=${events[at]?.id}`;
        expect(await readEvents(await read(app, path))).toEqual(events.slice(at + 1));
      }),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 20) },
    );
    // Without a place: the newest, from its start, in whichever mode.
    expect(await readEvents(await read(app, `/sessions/${sessionId}/turns?stream=message`))).toEqual(third);
    const asWhole = await app.ask("GET", `/sessions/${sessionId}/turns?stream=none`);
    expect(asWhole).toEqual(whole(third));
  });

  test("sends each piece of unrecorded text once when its stream is resumed again and again", async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index} `).join("");
    const model = scriptedModel({ steps: [{ think: words, say: words }] }, { pauseMs: 5 });
    const { app } = await world.remote({ model });
    const sessionId = await app.createSession(ALL);
    const events = [...(await readEvents(await app.open(sessionId, say("Go", "delta")), () => true))];
    let written = 0;
    while (events.at(-1)?.event !== "turn_stop") {
      const path = `/sessions/${sessionId}/turns?stream=delta&after=${events.at(-1)?.id}`;
      events.push(...(await readEvents(await read(app, path), () => true)));
      written +=
        (await world.ledger.read(sessionId)).length < Number(events.at(-1)?.id.split(".")[0]) ? 0 : 1;
    }
    const said = (event: string) => wordsIn(events.filter((one) => one.event === event));
    expect(said("thinking_delta")).toBe(words);
    expect(said("text_delta")).toBe(words);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    // Else nothing of this was tried.
    expect(events.length).toBeGreaterThan(written);
  });

  test("sends the output of a loop without subscribers at the start of the next response, once", async () => {
    const loop: Loop = {
      name: "looper",
      tools: world.tools,
      prompt: async ({ say: speak, signal }, input, gate) => {
        if (JSON.stringify(input).includes("And?")) return speak("Second.");
        await gate.call({ name: "send", input: { to: "Ada" } });
        for (let count = 0; count < 200 && !signal.aborted; count += 1) {
          speak(`word${count} `);
          await wait(5);
        }
      },
    };
    const { app } = await world.remote({ agents: [loop] });
    const sessionId = await app.createSession({ agent: { name: "looper", tools: [{ name: "send" }] } });
    await app.stream(sessionId, say("Go", "delta"));
    const { questions } = await app.ask<{ questions: { questionId: string }[] }>("GET", "/questions");
    await app.ask("POST", `/questions/${questions[0]?.questionId}`, { granted: true });
    await wait(100);
    const events = await app.stream(sessionId, say("And?", "delta"));
    expect(names(events)[0]).toBe("turn_start");
    const words = wordsIn(events);
    const count = words.split(" ").length - 1;
    const all = Array.from({ length: count }, (_, index) => `word${index} `).join("");
    expect(words).toBe(`${all}Second.`);
  });

  test("sends one response, and resumes it anywhere, when a user goes on while calls are open", async () => {
    const { app } = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const events = await app.stream(sessionId, say("Never mind", "message"));
    expect(names(events)).toEqual([
      "turn_start",
      ...Array<string>(3).fill("tool_result"),
      "text",
      "turn_stop",
    ]);
    for (const [at, { id }] of events.entries()) {
      const path = `/sessions/${sessionId}/turns?stream=message&after=${id}`;
      expect(await readEvents(await read(app, path))).toEqual(events.slice(at + 1));
    }
  });

  test("sends the same events to all that listen to one turn", async () => {
    const { app } = await world.remote({ steps: WAIT });
    const sessionId = await app.createSession(ALL);
    const asked = app.stream(sessionId, say("Go", "delta"));
    await until(() => world.done.includes("wait"));
    const others = await Promise.all(
      Array.from({ length: 10 }, () => read(app, `/sessions/${sessionId}/turns`)),
    );
    const streams = others.map((response) => readEvents(response));
    world.goOn();
    const events = await asked;
    for (const one of streams) expect(await one).toEqual(events);
  });

  test("refuses to resume at a place that the session has not come to, or that is none", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    expect(await refusal(app.ask("GET", `/sessions/${sessionId}/turns`))).toContain("404 NOT_FOUND");
    await app.turn(sessionId, say("Go"));
    for (const after of ["x", "-1.0", "1.2.3.4", "1.2.", "99999.1", "1e9.0"])
      expect(await refusal(app.ask("GET", `/sessions/${sessionId}/turns?after=${after}`))).toContain("400");
    expect(await refusal(app.ask("GET", `/sessions/${sessionId}/events?after=x`))).toContain("400");
    expect(await refusal(app.ask("GET", `/sessions/${sessionId}/turns?stream=morse`))).toContain("400");
  });

  test("finishes a turn that its server left in the middle when another server is asked for it", async () => {
    const before = await world.remote({ steps: WAIT });
    const sessionId = await before.app.createSession(ALL);
    const cut = await readEvents(
      await before.app.open(sessionId, say("Go", "delta")),
      ({ event }) => event === "tool_call",
    );
    await until(() => world.done.includes("wait"));
    // As if its process had died: nobody has the session, and its turn is recorded as running.
    const lease = await world.ledger.claim(sessionId, owners.get(sessionId) ?? "", { milliseconds: 1_000 });
    await world.ledger.release(lease);
    const { app } = await world.remote({ steps: WAIT });
    const path = `/sessions/${sessionId}/turns?after=${cut.at(-1)?.id}`;
    const events = [...cut, ...(await readEvents(await read(app, path)))];
    const { messages, stopReason } = whole(events);
    expect(stopReason).toBe("end_turn");
    expect(messages[1]?.content).toContain("Nobody knows whether this tool call took effect");
    expect(await app.history(sessionId)).toEqual([{ role: "user", content: "Go" }, ...messages]);
    expect(world.done).toEqual(["wait"]);
  });
});

test("sends half an abandoned message when the turn is resumed, also after a refused request", async () => {
  const { app } = await world.remote({ steps: [{ say: "Fresh answer." }] });
  const sessionId = await app.createSession(ALL);
  const lease = await world.ledger.claim(sessionId, "dead", { milliseconds: 1 });
  const chunk = (messageId: string, role: "user" | "agent", text: string) =>
    ({ type: "message-chunk", at: 1, messageId, role, block: { type: "text", text } }) as const;
  const left = [chunk("u", "user", "Go"), chunk("step_1", "agent", "Half an answer ")];
  await world.ledger.append(
    lease,
    [
      { type: "turn-started", at: 1, turnId: "turn_1" },
      ...left,
      { type: "plan-updated", at: 1, entries: [] },
    ],
    { durable: true },
  );
  await world.ledger.release(lease);
  expect(await refusal(app.turn(sessionId, { messages: [grant("nonsense")] }))).toContain("400");
  // With other tools than the session was just opened with.
  const agent = { ...ALL.agent, tools: ALL.agent.tools.slice(1) };
  const events = await app.stream(sessionId, { ...say("And now?", "delta"), agent });
  expect(wordsIn(events)).toBe("Half an answer Fresh answer.");
});

describe("a reader that is left behind", () => {
  /** Three times what may wait for a reader. */
  const LONG = `${"x".repeat(1023)} `.repeat(3 * 1024);
  const HOLDS: readonly ScriptStep[] = [
    { say: LONG, calls: [{ tool: "wait", input: {} }] },
    { say: "Never." },
  ];

  /** A turn whose stream nobody has read yet, in the middle of its call. */
  async function unreadTurn() {
    const server = world.server({ steps: HOLDS });
    const app = new App((request) => server.fetch(request));
    const sessionId = await app.createSession(ALL);
    const response = await app.open(sessionId, say("Go", "delta"));
    await until(() => world.done.includes("wait"));
    return { server, app, sessionId, response };
  }

  test("gets all events of a turn that was cancelled meanwhile, and its end", async () => {
    const { app, sessionId, response } = await unreadTurn();
    expect(await app.ask("POST", `/sessions/${sessionId}/cancel`, {})).toEqual({ cancelled: true });
    const events = await readEvents(response);
    expect(wordsIn(events) === LONG).toBe(true);
    expect(names(events).slice(-3)).toEqual(["tool_call", "tool_result", "turn_stop"]);
    expect(whole(events).stopReason).toBe("end_turn");
  });

  test("gets the end of its turn also from a server that is closing", async () => {
    const { server, response } = await unreadTurn();
    await server.close();
    const events = await readEvents(response);
    expect(wordsIn(events) === LONG).toBe(true);
    expect(names(events).slice(-3)).toEqual(["tool_call", "tool_result", "turn_stop"]);
  });

  test("gets an error when the session is deleted", async () => {
    const { app, sessionId, response } = await unreadTurn();
    await app.ask("DELETE", `/sessions/${sessionId}`);
    const events = await readEvents(response);
    expect(names(events).filter((name) => name !== "text_delta")).toEqual(["turn_start", "turn_stop"]);
    expect(events.at(-1)?.data).toMatchObject({ stopReason: "error" });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });
});

describe("requests that are repeated with their key", () => {
  const key = { headers: { "idempotency-key": "k-1" } };

  test("returns the recorded answer to a repeated request, in any mode, also from another server", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    const asked = await app.stream(sessionId, say("Go", "delta"), key);
    expect(await app.stream(sessionId, say("Go", "delta"), key)).toEqual(asked);
    const granted = { messages: [grant("call_1")] };
    const second = { headers: { "idempotency-key": "k-2" } };
    const done = await app.turn(sessionId, granted, second);
    const recorded = await world.ledger.read(sessionId);
    expect(await app.turn(sessionId, granted, second)).toEqual(done);
    expect(whole(await app.stream(sessionId, { ...granted, stream: "delta" }, second))).toEqual(done);
    const other = await world.remote({ steps: SEND });
    expect(await other.app.turn(sessionId, granted, second)).toEqual(done);
    expect(await other.app.stream(sessionId, say("Go", "delta"), key)).toEqual(asked);
    expect(world.done).toEqual(["send Ada"]);
    expect(await world.ledger.read(sessionId)).toEqual(recorded);
  });

  test("sends a repeated request the events of the first while that runs, from where they were cut", async () => {
    const { app } = await world.remote({ steps: WAIT });
    const sessionId = await app.createSession(ALL);
    const first = app.stream(sessionId, say("Go", "delta"), key);
    await until(() => world.done.includes("wait"));
    const again = app.stream(sessionId, say("Go", "delta"), key);
    const place = {
      headers: { ...key.headers, "last-event-id": (await someIds(app, sessionId)).at(1) ?? "" },
    };
    const rest = app.stream(sessionId, say("Go", "delta"), place);
    const plain = refusal(app.turn(sessionId, say("Go")));
    expect(await plain).toContain("409 BUSY");
    world.goOn();
    const events = await first;
    expect(await again).toEqual(events);
    expect(await rest).toEqual(events.slice(2));
    expect(world.done).toEqual(["wait"]);
  });

  test("runs one turn for a hundred equal requests at the same time", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const messages = [grant("call_1")];
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => app.send("POST", `/sessions/${sessionId}/turns`, { messages }, key)),
    );
    const bodies = await Promise.all(
      answers.filter(({ status }) => status === 200).map((one) => one.json() as Promise<object>),
    );
    expect(bodies.length).toBeGreaterThan(0);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(
      new Set(bodies.length === 100 ? [200] : [200, 409]),
    );
    expect(world.done).toEqual(["send Ada"]);
  });

  test("returns the same session when its creation is repeated with its key", async () => {
    const { app } = await world.remote({ steps: SEND });
    const make = (body: object) => app.ask("POST", "/sessions", body, key);
    const [one, two] = await Promise.all([make(ALL), make(ALL)]);
    expect(two).toEqual(one);
    expect(await world.ledger.sessions()).toHaveLength(1);
    expect(await refusal(make({ agent: { name: "clerk" } }))).toContain("409 CONFLICT");
    const second = { headers: { "idempotency-key": "k-2" } };
    expect(await refusal(app.ask("POST", "/sessions", { agent: { name: "x" } }, second))).toContain("404");
    expect(await refusal(app.ask("POST", "/sessions", { agent: { name: "x" } }, second))).toContain("404");
  });

  test("refuses a key that stands for another request, or is malformed", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"), key);
    expect(await refusal(app.turn(sessionId, say("Something else"), key))).toContain("409 CONFLICT");
    const bad = { headers: { "idempotency-key": "a b" } };
    expect(await refusal(app.turn(sessionId, say("Go"), bad))).toContain("400 BAD_REQUEST");
    // The refused request left no trace of its key.
    const third = { headers: { "idempotency-key": "k-3" } };
    expect(await refusal(app.turn(sessionId, { messages: [grant("call_9")] }, third))).toContain("400");
    expect(await app.turn(sessionId, { messages: [grant("call_1")] }, third)).toMatchObject({
      stopReason: "end_turn",
    });
  });
});

/** The ids of the events that the running turn has sent. */
async function someIds(app: App, sessionId: string): Promise<readonly string[]> {
  const response = await read(app, `/sessions/${sessionId}/turns`);
  const events = await readEvents(response, ({ event }: WireEvent) => event === "tool_call");
  return events.map(({ id }) => id);
}

describe("the session's own events", () => {
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const draw = defineTool({
    name: "draw",
    description: "Draws.",
    kind: "edit",
    input: z.object({ what: z.string() }),
    run: async ({ what }, { progress, output, diff, locate, terminal }) => {
      progress(1, 2, "half");
      output(`drawing ${what}\n`);
      diff({ type: "diff", operation: "modify", path: "/a", oldText: "x", newText: "y" });
      locate("/a", 3);
      const shell = terminal();
      shell.print("ok\n");
      shell.exit({ exitCode: 0 });
      return { output: "drawn" };
    },
  });

  test("tell kinds, titles, progress, diffs, terminals and places, each with its number, without secrets", async () => {
    const agent = {
      ...world.agent({ steps: [{ calls: [{ tool: "draw", input: { what: secret } }] }, { say: "Drawn." }] }),
      tools: [draw],
    };
    const app = world.app({
      agents: [
        {
          agent,
          options: [{ type: "text", name: "mood", default: "calm" }],
        },
      ],
    });
    const sessionId = await app.createSession({
      agent: { name: "clerk", tools: [{ name: "draw" }], options: { mood: "busy" } },
    });
    const following = readEvents(
      await read(app, `/sessions/${sessionId}/events`),
      ({ event }) => event === "turn-stopped",
    );
    await app.turn(sessionId, say("Go"));
    await app.turn(sessionId, { messages: [grant("call_1")] }, { headers: { "idempotency-key": "k" } });
    const events = await following;
    expect(events.map(({ id }) => Number(id))).toEqual(events.map((_event, index) => index + 1));
    const text = JSON.stringify(events);
    expect(text).not.toContain(secret);
    for (const word of [
      '"kind":"edit"',
      '"progress":{"done":1',
      '"type":"diff"',
      '"terminalId"',
      '"locations":[{',
    ])
      expect(text).toContain(word);
    // Followers must not see the apps' settings and keys.
    for (const word of ["busy", "aapRequest", "idempotency"]) expect(text).not.toContain(word);
    expect(names(events)).toContain("question-answered");
    // From a place on.
    const rest = await readEvents(
      await read(app, `/sessions/${sessionId}/events?after=5`),
      ({ event }) => event === "turn-stopped",
    );
    expect(rest).toEqual(events.slice(5));
  });

  test("a secret that comes in pieces is taken out as well, also for who comes in the middle", async () => {
    const pieces = ["The token is ", secret.slice(0, 7), secret.slice(7, 20), secret.slice(20), " here."];
    const app = world.app({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    const lease = await world.ledger.claim(sessionId, "an agent", { milliseconds: 1000 });
    const chunk = (text: string) =>
      ({
        type: "message-chunk",
        at: 1,
        messageId: "m",
        role: "agent",
        block: { type: "text", text },
      }) as const;
    await world.ledger.append(
      lease,
      [
        { type: "turn-started", at: 1, turnId: "t" },
        ...pieces.map(chunk),
        { type: "turn-stopped", at: 1, turnId: "t", stopReason: "end_turn" },
      ],
      { durable: true },
    );
    await world.ledger.release(lease);
    const isStop = ({ event }: WireEvent) => event === "turn-stopped";
    const textOf = (events: readonly WireEvent[]) =>
      events.map(({ data }) => (data["block"] as { text?: string } | undefined)?.text ?? "").join("");
    const all = await readEvents(await read(app, `/sessions/${sessionId}/events`), isStop);
    expect(textOf(all)).toBe("The token is [redacted token] here.");
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { id } of all) {
      const rest = await readEvents(
        await read(app, `/sessions/${sessionId}/events?after=${id}`),
        isStop,
      ).catch(() => []);
      for (const piece of pieces.slice(1, 4)) expect(textOf(rest)).not.toContain(piece);
      if (id === all.at(-2)?.id) break;
    }
  });

  test("keeps a provider's signed parts on the server", async () => {
    const app = world.app({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    const lease = await world.ledger.claim(sessionId, "an agent", { milliseconds: 1000 });
    const answer = {
      model: "m",
      parts: [{ type: "text", length: 0, providerOptions: { anthropic: { signature: "signed-by-them" } } }],
    } as const;
    await world.ledger.append(
      lease,
      [
        { type: "turn-started", at: 1, turnId: "t" },
        { type: "step-ended", at: 1, turnId: "t", stepId: "s", toolCallIds: [], answer },
      ],
      { durable: true },
    );
    await world.ledger.release(lease);
    const isStep = ({ event }: WireEvent) => event === "step-ended";
    const events = await readEvents(await read(app, `/sessions/${sessionId}/events`), isStep);
    expect(JSON.stringify(events)).not.toContain("signed-by-them");
  });

  test("end when the session is deleted", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    const following = readEvents(await read(app, `/sessions/${sessionId}/events`));
    await app.ask("DELETE", `/sessions/${sessionId}`);
    expect(await following).toHaveLength(1);
  });
});

describe("cancelling", () => {
  const cancel = (app: App, sessionId: string, body: object = {}) =>
    app.ask("POST", `/sessions/${sessionId}/cancel`, body);

  test("a turn that runs: its call ends, the stream stops, and nothing stays open", async () => {
    const { app } = await world.remote({ steps: WAIT });
    const sessionId = await app.createSession(ALL);
    const turn = app.stream(sessionId, say("Go", "message"));
    await until(() => world.done.includes("wait"));
    expect(await cancel(app, sessionId)).toEqual({ cancelled: true });
    const events = await turn;
    expect(names(events)).toEqual(["turn_start", "text", "tool_call", "tool_result", "turn_stop"]);
    expect(events.at(-2)?.data["content"]).toContain("cancelled");
    expect(events.at(-1)?.data).toEqual({ stopReason: "end_turn" });
    expect(await cancel(app, sessionId)).toEqual({ cancelled: false });
  });

  test("a turn that is parking at that moment: no question stays open", async () => {
    const { app } = await world.remote({ steps: SEND });
    const append = world.ledger.append.bind(world.ledger);
    let cancelled: Promise<unknown> | undefined;
    vi.spyOn(world.ledger, "append").mockImplementation(async (lease, events, options) => {
      if (events.some(({ type }) => type === "turn-parked")) {
        // The turn has looked at its signal for the last time, and is about to record that it waits.
        const aborts = vi.spyOn(AbortController.prototype, "abort");
        onTestFinished(() => aborts.mockRestore());
        cancelled ??= cancel(app, lease.sessionId);
        await until(() => aborts.mock.calls.length > 0);
      }
      return append(lease, events, options);
    });
    const sessionId = await app.createSession(ALL);
    await app.stream(sessionId, say("Go", "message"));
    expect(await cancelled).toEqual({ cancelled: true });
    expect(await world.ledger.openQuestions()).toEqual([]);
    expect(world.done).toEqual([]);
  });

  test("ends one call of a running turn, which continues", async () => {
    const { app } = await world.remote({ steps: WAIT });
    const sessionId = await app.createSession(ALL);
    const turn = app.stream(sessionId, say("Go", "message"));
    await until(() => world.done.includes("wait"));
    expect(await cancel(app, sessionId, { toolCallId: "call_1", reason: "too slow." })).toEqual({
      cancelled: true,
    });
    expect(names(await turn)).toEqual([
      "turn_start",
      "text",
      "tool_call",
      "tool_result",
      "text",
      "turn_stop",
    ]);
    expect(await cancel(app, sessionId, { toolCallId: "call_1" })).toEqual({ cancelled: false });
  });

  test("a turn that waits: its questions are taken back and its calls closed", async () => {
    const { app } = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    expect(await cancel(app, sessionId)).toEqual({ cancelled: true });
    expect(await world.ledger.openQuestions()).toEqual([]);
    const history = await app.history(sessionId);
    expect(history.filter(({ role }) => role === "tool")).toHaveLength(4);
    const { error } = await refused(app.turn(sessionId, { messages: [grant("call_3")] }));
    expect(error["recorded"]).toMatchObject([{ toolCallId: "call_3", status: "cancelled" }]);
    expect(world.done).toEqual(["look_up gate"]);
  });

  test("ends one waiting call, so that the app answers the rest and gets its result", async () => {
    const { app } = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    await cancel(app, sessionId, { toolCallId: "call_3", reason: "not today." });
    const messages = [result("call_1"), result("call_4")];
    expect(lines(await app.stream(sessionId, { stream: "message", messages }))).toEqual([
      "turn_start {}",
      'tool_result {"toolCallId":"call_3","content":"Tool call cancelled: not today.","isError":true}',
      'text {"text":"All done."}',
      'turn_stop {"stopReason":"end_turn"}',
    ]);
  });
});

describe("the questions of all sessions", () => {
  type Questions = { readonly questions: { readonly [key: string]: unknown; readonly questionId: string }[] };
  const questionsOf = async (app: App) => (await app.ask<Questions>("GET", "/questions")).questions;
  const answer = (app: App, questionId: string, body: object) =>
    app.ask("POST", `/questions/${encodeURIComponent(questionId)}`, body);

  test("lists the questions of all sessions, an editor's included, with what each call is about to do", async () => {
    const { app } = await world.remote({ steps: SEND });
    const one = await app.createSession(ALL);
    await app.turn(one, say("Go"));
    const editor = await AgentSession.open({
      agent: world.agent({ steps: SEND, remember: async () => undefined }),
      ledger: world.ledger,
      workspace: world.workspace,
      sessionId: "of_an_editor",
    });
    await editor.prompt([{ type: "text", text: "Go" }], new AbortController().signal);
    const questions = await questionsOf(app);
    expect(questions.map(({ sessionId }) => sessionId)).toEqual([one, "of_an_editor"]);
    expect(questions[0]).toMatchObject({
      toolCallId: "call_1",
      title: expect.any(String),
      options: [{ kind: "allow_once" }, { kind: "reject_once" }],
      call: { name: "send", kind: "other", rawInput: { to: "Ada" } },
    });
    const options = questions[1]?.["options"] as { kind: string; grant?: object }[];
    expect(options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "allow_always",
      "reject_once",
      "reject_always",
    ]);
    expect(await answer(app, questions[1]?.questionId ?? "", { optionId: "allow_always" })).toMatchObject({
      counted: true,
      answer: { by: "person" },
    });
    await editor.close();
  });

  /** A session of an editor whose questions wait, and the grants that its answers store. */
  async function waitingEditor(calls: readonly { readonly tool: string; readonly input: object }[]) {
    const grants: RememberedGrant[] = [];
    const steps = [{ calls: [...calls] }, { say: "Done." }];
    const editor = await AgentSession.open({
      agent: world.agent({ steps, remember: async (stored) => void grants.push(stored) }),
      ledger: world.ledger,
      workspace: world.workspace,
      sessionId: "of_an_editor",
    });
    await editor.prompt([{ type: "text", text: "Go" }], new AbortController().signal);
    onTestFinished(() => editor.close());
    return { editor, grants };
  }

  test("lists the widths of always, and takes one of them with a scope and an end, and no other", async () => {
    const { app } = await world.remote({ steps: SEND });
    const { editor, grants } = await waitingEditor([{ tool: "send", input: { to: "Ada" } }]);
    const [question] = await questionsOf(app);
    const path = `/questions/${question?.questionId}`;
    expect(await app.ask("GET", path)).toMatchObject({
      widths: [
        {
          effect: "allow",
          width: "exact",
          rules: [{ allow: "send" }],
          sentence: expect.any(String),
          examples: [],
        },
        { effect: "deny", width: "exact", rules: [{ deny: "send" }] },
      ],
    });
    const unoffered = [
      { optionId: "allow_always", width: "subcommand" },
      { optionId: "allow_once", width: "exact" },
      { optionId: "reject_always", expires: "hour" },
      { optionId: "allow_always", scope: "world" },
      { granted: true, scope: "user" },
    ].map(async (body) => (await app.send("POST", path, body)).status);
    expect((await Promise.all(unoffered)).every((status) => status >= 400 && status < 500)).toBe(true);
    const choice = { optionId: "allow_always", width: "exact", scope: "session", expires: "hour" };
    expect(await app.ask("POST", path, choice)).toMatchObject({ counted: true, answer: { outcome: choice } });
    await editor.advance(new AbortController().signal);
    expect(grants).toMatchObject([{ width: "exact", scope: "session", expiresAt: expect.any(Number) }]);
  });

  test("answers questions that are alike together, once, and says which", async () => {
    const { app } = await world.remote({ steps: SEND });
    const { editor, grants } = await waitingEditor(
      ["Ada", "Bob", "Cem"].map((to) => ({ tool: "send", input: { to } })),
    );
    const questions = await questionsOf(app);
    expect(new Set(questions.map(({ likeness }) => likeness)).size).toBe(1);
    const [first, ...others] = questions.map(({ questionId }) => questionId);
    expect(await answer(app, first ?? "", { granted: true, alike: true })).toMatchObject({ alike: others });
    await editor.advance(new AbortController().signal);
    expect([await questionsOf(app), grants]).toEqual([[], []]);
  });

  test("shows a question that is too long for the list page by page, and only with the token", async () => {
    const to = `Ada ${"x".repeat(60_000)} THE-END`;
    const { app } = await world.remote({ steps: [{ calls: [{ tool: "send", input: { to } }] }] });
    await app.turn(await app.createSession(ALL), say("Go"));
    const [question] = await questionsOf(app);
    expect(question).toMatchObject({ hiddenCharacters: expect.any(Number) });
    expect(JSON.stringify(question?.["about"])).not.toContain("THE-END");
    expect(question).not.toHaveProperty("wholeAbout");
    type Text = { readonly page: number; readonly pages: number; readonly text: string };
    const path = `/questions/${question?.questionId}`;
    const first = await app.ask<Text>("GET", path);
    const second = await app.ask<Text>("GET", `${path}?page=2`);
    expect([first, second]).toMatchObject([
      { page: 1, pages: 2 },
      { page: 2, pages: 2 },
    ]);
    expect(first.text + second.text).toContain(`input: ${JSON.stringify({ to })}`);
    const statuses = [`${path}?page=3`, `${path}?page=0`, `${path}?page=x`, "/questions/none"].map(
      async (wrong) => (await app.send("GET", wrong)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 400, 400, 404]);
    const stranger = await app.send("GET", path, undefined, { headers: { Authorization: "Bearer wrong" } });
    expect(stranger.status).toBe(401);
  });

  test("answers a question by its id as it is listed, slashes and all", async () => {
    const { app } = await world.remote({ steps: SEND });
    await app.turn(await app.createSession(ALL), say("Go"));
    const [question] = await questionsOf(app);
    expect(question?.questionId).toContain("/");
    const answered = await app.ask("POST", `/questions/${question?.questionId}`, { granted: false });
    expect(answered).toMatchObject({ counted: true });
  });

  test("resumes the turn when its question is answered from the list", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const [question] = await questionsOf(app);
    await answer(app, question?.questionId ?? "", { granted: true, reason: "as she wishes" });
    await until(async () => (await app.history(sessionId)).length === 4);
    expect(world.done).toEqual(["send Ada"]);
    expect(await questionsOf(app)).toEqual([]);
    const { error } = await refused(app.turn(sessionId, { messages: [deny("call_1")] }));
    expect(error).toMatchObject({ code: "ALREADY_ANSWERED", recorded: [{ granted: true }] });
  });

  test("takes the first answer to a question, and refuses another one that comes too late", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const questionId = (await questionsOf(app))[0]?.questionId ?? "";
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.send("POST", `/questions/${encodeURIComponent(questionId)}`, {
          optionId: index % 2 === 0 ? "reject_once" : "allow_once",
          reason: `no ${index}`,
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    await until(async () => (await app.history(sessionId)).length === 4);
    const late = await refused(answer(app, questionId, { granted: true }));
    expect([late.status, late.error.code]).toEqual([409, "ALREADY_ANSWERED"]);
    const first = late.error["recorded"] as { outcome: { optionId: string }; reason: string };
    expect((await app.history(sessionId))[2]?.content).toBe(
      first.outcome.optionId === "allow_once" ? '{"sentTo":"Ada"}' : `Tool call denied: ${first.reason}`,
    );
  });

  test("refuses an answer that was not offered, is none, or is for something else", async () => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const questionId = (await questionsOf(app))[0]?.questionId ?? "";
    expect(await refusal(answer(app, questionId, { optionId: "allow_everything" }))).toContain("409");
    expect(await refusal(answer(app, questionId, { granted: true, intentHash: "another" }))).toContain("409");
    for (const body of [{}, { granted: "yes" }, { granted: true, optionId: "allow_once" }, { optionId: "" }])
      expect(await refusal(answer(app, questionId, body))).toContain("400 BAD_REQUEST");
    expect(await refusal(answer(app, "nobody-asked", { granted: true }))).toContain("404 NOT_FOUND");
    expect(await questionsOf(app)).toHaveLength(1);
    expect(world.done).toEqual([]);
  });

  test("counts an answer at once when it comes while other calls run", async () => {
    const calls = [
      { tool: "wait", input: {} },
      { tool: "send", input: { to: "Ada" } },
    ];
    const { app } = await world.remote({ steps: [{ calls }, { say: "Both." }] });
    const sessionId = await app.createSession(ALL);
    const turn = app.stream(sessionId, say("Go", "message"));
    await until(() => world.done.includes("wait"));
    await answer(app, (await questionsOf(app))[0]?.questionId ?? "", { granted: true });
    await until(() => world.done.includes("send Ada"));
    world.goOn();
    expect(names(await turn)).toEqual([
      "turn_start",
      "tool_call",
      "tool_call",
      "tool_result",
      "tool_result",
      "text",
      "turn_stop",
    ]);
  });

  test("waits for the app's results when the question was answered from the list", async () => {
    const { app } = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const questionId = (await questionsOf(app))[0]?.questionId ?? "";
    await answer(app, questionId, { granted: true });
    const messages = [result("call_1"), result("call_4")];
    expect(names(await app.stream(sessionId, { stream: "message", messages }))).toEqual([
      "turn_start",
      "tool_result",
      "text",
      "turn_stop",
    ]);
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
  });
});
