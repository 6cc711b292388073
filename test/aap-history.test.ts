/** The `full` history is exact and append-only: every later one begins with every earlier one. Over real sockets. */
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LanguageModelV3 } from "../src/model/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { ALL, deny, FOUR_CALLS, grant, MODES, result, say, World } from "./aap-kit.js";
import type { App, WireMessage } from "./aap-kit.js";

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

/** A history that is read again and again: each reading must begin with the last one. */
class Watched {
  #last: readonly WireMessage[] = [];

  constructor(
    readonly app: App,
    readonly sessionId: string,
  ) {}

  /** The messages since the last reading. */
  async added(): Promise<readonly WireMessage[]> {
    const now = await this.app.history(this.sessionId);
    if (!isDeepStrictEqual(now.slice(0, this.#last.length), this.#last))
      throw new Error(`The history was rewritten: ${JSON.stringify(now)}`);
    const added = now.slice(this.#last.length);
    this.#last = now;
    return added;
  }
}

const roles = (messages: readonly WireMessage[]) =>
  messages.map(({ role, toolCallId }) => (toolCallId === undefined ? role : `${role}:${toolCallId}`));

describe("the order of results in the history", () => {
  test.each(MODES)(
    "keeps the results of parallel calls in the order of their end, in the mode %s",
    async (stream) => {
      const { app } = await world.remote({ steps: FOUR_CALLS });
      const sessionId = await app.createSession(ALL);
      const watched = new Watched(app, sessionId);
      await app.inMode(sessionId, stream, say("Go"));
      expect(roles(await watched.added())).toEqual(["user", "assistant", "tool:call_2"]);
      // The app's results in the order in which it sends them, then the call that it granted.
      const messages = [result("call_4", "here"), grant("call_3"), result("call_1")];
      await app.inMode(sessionId, stream, { messages });
      expect(roles(await watched.added())).toEqual([
        "tool:call_4",
        "tool:call_1",
        "tool:call_3",
        "assistant",
      ]);
    },
  );

  test("keeps results in order when the user goes on over open calls, and when calls fail or are denied", async () => {
    const steps: readonly ScriptStep[] = [
      {
        calls: [
          { tool: "send", input: { to: "Ada" } },
          { tool: "fly", input: {} },
          { tool: "look_up", input: { word: "nothing" } },
          { tool: "look_up", input: { word: 7 } },
        ],
      },
      {
        calls: [
          { tool: "send", input: { to: "Bob" } },
          { tool: "show", input: {} },
        ],
      },
      { say: "Fine." },
    ];
    const { app } = await world.remote({ steps });
    const sessionId = await app.createSession(ALL);
    const watched = new Watched(app, sessionId);
    await app.turn(sessionId, say("Go"));
    const first = roles(await watched.added());
    expect(first.slice(0, 2)).toEqual(["user", "assistant"]);
    expect(first.slice(2).toSorted()).toEqual(["tool:call_2", "tool:call_3", "tool:call_4"]);
    await app.turn(sessionId, say("Never mind"));
    expect(roles(await watched.added())).toEqual(["tool:call_1", "user", "assistant"]);
    await app.turn(sessionId, { messages: [deny("call_5", "no"), result("call_6")] });
    expect(roles(await watched.added())).toEqual(["tool:call_6", "tool:call_5", "assistant"]);
  });
});

const SEED: readonly WireMessage[] = [
  { role: "system", content: "You are terse." },
  { role: "assistant", content: "Hello, what may I do?" },
  { role: "user", content: [{ type: "text", text: "The weather" }] },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Oslo, then." },
      { type: "text", text: "Let me look" },
      { type: "tool_use", toolCallId: "call_1", name: "weather", input: { place: "Oslo" } },
    ],
  },
  { role: "tool", toolCallId: "call_1", content: "rain" },
  { role: "assistant", content: [{ type: "text", text: "Rain." }] },
];

describe("a session that starts with messages", () => {
  /** The prompt of each request, as text. */
  function listeningModel(steps: readonly ScriptStep[]) {
    const model = scriptedModel({ steps: [...steps] });
    const prompts: { role: string; content: unknown }[][] = [];
    const listening: LanguageModelV3 = {
      ...model,
      specificationVersion: "v3",
      doStream: (options) => {
        prompts.push(structuredClone(options.prompt));
        return model.doStream(options);
      },
    };
    return { model: listening, prompts };
  }

  test.each(["full", "compacted"] as const)("has them in its %s history as they were given", async (type) => {
    const { app } = await world.remote({
      steps: [{ say: "(seed)" }, { say: "(seed)" }, { say: "(seed)" }, { say: "Sun." }],
    });
    const sessionId = await app.createSession({ agent: { name: "clerk" }, messages: SEED });
    expect(await app.history(sessionId, type)).toEqual(SEED);
    await app.turn(sessionId, say("And tomorrow?"));
    expect(await app.history(sessionId, type)).toEqual([
      ...SEED,
      { role: "user", content: "And tomorrow?" },
      { role: "assistant", content: [{ type: "text", text: "Sun." }] },
    ]);
  });

  test("gives the model the system prompt as one, and the calls as text", async () => {
    const { model, prompts } = listeningModel([{ say: "1" }, { say: "2" }, { say: "3" }, { say: "Sun." }]);
    const { app } = await world.remote({ model, instructions: "You are a clerk." });
    const sessionId = await app.createSession({ agent: { name: "clerk" }, messages: SEED });
    await app.turn(sessionId, say("And tomorrow?"));
    const [prompt = []] = prompts;
    expect(prompt[0]).toEqual({ role: "system", content: "You are a clerk.\n\nYou are terse." });
    expect(prompt.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(JSON.stringify(prompt)).toContain("Let me look\\n[Tool call call_1: weather {");
    // The same after the session's settings were written again, and in another process.
    const again = await world.remote({ model, instructions: "You are a clerk." });
    const headers = { "idempotency-key": "k" };
    await again.app.turn(
      sessionId,
      { ...say("And then?"), agent: { tools: [{ name: "send" }] } },
      { headers },
    );
    expect(prompts.at(-1)?.[0]).toEqual(prompt[0]);
    expect((await again.app.history(sessionId)).slice(0, SEED.length)).toEqual(SEED);
  });

  test("gives none of its own calls the id of a call in them", async () => {
    const steps: ScriptStep[] = [
      { say: "(seed)" },
      { say: "(seed)" },
      { say: "(seed)" },
      { calls: [{ tool: "send", input: { to: "Ada" } }] },
      { say: "Sent." },
    ];
    const { app } = await world.remote({ steps });
    const sessionId = await app.createSession({
      agent: { name: "clerk", tools: [{ name: "send" }] },
      messages: SEED,
    });
    const { messages } = await app.turn(sessionId, say("Send it"));
    expect(JSON.stringify(messages)).toContain('"toolCallId":"call_2"');
    expect(await app.turn(sessionId, { messages: [grant("call_2")] })).toMatchObject({
      stopReason: "end_turn",
    });
    expect(world.done).toEqual(["send Ada"]);
  });

  test("does not show them in its own events", async () => {
    const { app } = await world.remote();
    const sessionId = await app.createSession({ agent: { name: "clerk" }, messages: SEED });
    const response = await app.send("GET", `/sessions/${sessionId}/events`);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(first).toContain("event: info-changed");
    expect(first).not.toContain("aapSeed");
  });
});
