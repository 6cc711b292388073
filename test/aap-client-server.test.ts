/** Our client against our server, over real HTTP: the extensions, a network that breaks, somebody else who is faster. */
import { connect as dial, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { connect, runTurn } from "../src/aap/client/index.js";
import type { AapClient, NewSession, StreamMode } from "../src/aap/client/index.js";
import { serveAap } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import { SessionBook } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";

const TOKEN = "a-token-of-this-test-file";
const MODES: readonly StreamMode[] = ["delta", "message", "none"];
const SHOW = { name: "show", description: "Shows.", parameters: { type: "object" } };
const SESSION: NewSession = {
  agent: { name: "clerk", tools: [{ name: "look", trust: true }, { name: "send" }] },
  tools: [SHOW],
};
const STEPS: readonly ScriptStep[] = [
  {
    think: "Hm, three.",
    say: "One moment.",
    calls: [
      { tool: "show", input: { picture: 1 } },
      { tool: "look", input: {} },
      { tool: "send", input: { to: "Ada" } },
    ],
  },
  { say: "All of it is done now." },
  { say: "And that was that." },
];
const say = (content: string) => [{ role: "user", content }] as const;

async function served(steps: readonly ScriptStep[] = STEPS) {
  const ran: string[] = [];
  const tool = (name: string, kind: "read" | "other") =>
    defineTool({
      name,
      description: `Does ${name}.`,
      kind,
      input: z.looseObject({}),
      run: async () => {
        ran.push(name);
        return { output: `${name} did it` };
      },
    });
  const agent = createAgent({
    name: "clerk",
    model: scriptedModel({ steps: [...steps] }, { pauseMs: 5 }),
    tools: [tool("look", "read"), tool("send", "other")],
  });
  const workspace = await LocalWorkspace.open(await folder());
  const { url, close } = await serveAap(agent, {
    port: 0,
    token: TOKEN,
    ledger: new MemoryLedger(),
    workspace,
  });
  onTestFinished(close);
  return { url, ran, client: connect(url, TOKEN) };
}

async function opened(client: AapClient): Promise<string> {
  return (await client.createSession(SESSION)).sessionId;
}

/** Lets so many bytes of each connection's answer through, one number after the other, then all. */
async function cutting(url: string, cuts: number[]): Promise<string> {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = dial(Number(port), "127.0.0.1");
    let left = cuts.shift() ?? Number.POSITIVE_INFINITY;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.pipe(server);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
    server.on("data", (piece: Buffer) => {
      if (piece.length < left) client.write(piece);
      else client.write(piece.subarray(0, left), () => client.destroy());
      left -= piece.length;
    });
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe.each(MODES)("in the mode %s", (stream) => {
  test("finishes a turn whose messages equal the history", async () => {
    const { client, ran } = await served();
    const sessionId = await opened(client);
    const permit = () => ({ granted: true });
    const tools = { show: () => "shown" };
    const result = await runTurn(client, sessionId, { stream, messages: say("Go") }, { tools, permit });
    expect(result.stopReason).toBe("end_turn");
    expect(ran).toEqual(["look", "send"]);
    const history = await client.history(sessionId);
    expect(new Set([...say("Go"), ...result.messages].map((one) => JSON.stringify(one)))).toEqual(
      new Set(history.map((one) => JSON.stringify(one))),
    );
  });

  test("loses, doubles and reruns nothing on a network that breaks again and again", async () => {
    const { url, client, ran } = await served();
    const sessionId = await opened(client);
    const cuts = [1, 400, 700, 1_000, 350];
    const shaky = connect(await cutting(url, cuts), TOKEN);
    let deltas = "";
    const result = await runTurn(
      shaky,
      sessionId,
      { stream, messages: say("Go") },
      {
        tools: { show: () => "shown" },
        permit: () => ({ granted: true }),
        onEvent: ({ event, data }) => void (event === "text_delta" && (deltas += data.delta)),
      },
    );
    expect(result.stopReason).toBe("end_turn");
    expect(ran).toEqual(["look", "send"]);
    expect(deltas).toBe(stream === "delta" ? "One moment.All of it is done now." : "");
    const history = await client.history(sessionId);
    expect(history.filter(({ role }) => role === "user")).toHaveLength(1);
    expect(history.filter(({ role }) => role === "tool")).toHaveLength(3);
  });
});

test("a stream cut at any byte is made whole", async () => {
  const { url, client } = await served([{ say: "One two three four." }]);
  for (let cut = 1; cut < 900; cut += 111) {
    const sessionId = await opened(client);
    const shaky = connect(await cutting(url, [cut, cut]), TOKEN);
    const received: string[] = [];
    let words = "";
    for await (const { event, data } of shaky.turn(sessionId, { stream: "delta", messages: say("Go") })) {
      if (event === "text_delta") words += data.delta;
      if (received.at(-1) !== event) received.push(event);
    }
    expect({ cut, words, received }).toEqual({
      cut,
      words: "One two three four.",
      received: ["turn_start", "text_delta", "turn_stop"],
    });
    expect((await client.history(sessionId)).filter(({ role }) => role === "user")).toHaveLength(1);
  }
});

test("questions of all sessions are in one list, and the first answer counts", async () => {
  const { client, ran } = await served([
    { calls: [{ tool: "send", input: { to: "Ada" } }] },
    { say: "Sent." },
  ]);
  const sessionId = await opened(client);
  await client.turn(sessionId, { messages: say("Go") });
  const [question, ...others] = await client.questions();
  expect(others).toEqual([]);
  expect(question).toMatchObject({ sessionId, call: { name: "send", rawInput: { to: "Ada" } } });
  const { questionId } = question!;
  expect(await client.answerQuestion(questionId, { granted: true })).toMatchObject({ counted: true });
  const late = await client.answerQuestion(questionId, { granted: false }).catch((error: unknown) => error);
  expect(late).toMatchObject({ code: "REFUSED", status: 409, problem: "ALREADY_ANSWERED" });
  expect(await client.questions()).toEqual([]);
  const { stopReason } = await client.currentTurn(sessionId, { stream: "message" });
  expect(["tool_use", "end_turn"]).toContain(stopReason);
  await expect.poll(async () => (await client.history(sessionId)).length).toBe(4);
  expect(ran).toEqual(["send"]);
});

test("follows a turn to its end when someone else answers its calls", async () => {
  for (const here of [undefined, { granted: false }, "left to them"] as const) {
    const steps = [{ calls: [{ tool: "send", input: {} }] }, { say: "Sent." }];
    const { client, ran } = await served(steps);
    const sessionId = await opened(client);
    let asked = 0;
    const answerThere = async () => {
      const [question] = await client.questions();
      await client.answerQuestion(question!.questionId, { granted: true, reason: "from the phone" });
    };
    const permit = async () => {
      asked += 1;
      if (here === "left to them") setTimeout(() => void answerThere(), 400);
      else await answerThere();
      return here === "left to them" ? undefined : here;
    };
    const texts: string[] = [];
    const onEvent = ({ event, data }: { event: string; data: object }) =>
      void (event === "text" && "text" in data && texts.push(String(data.text)));
    const result = await runTurn(
      client,
      sessionId,
      { stream: "message", messages: say("Go") },
      { permit, onEvent },
    );
    expect(result.stopReason).toBe("end_turn");
    expect(texts).toEqual(["Sent."]);
    expect(asked).toBe(1);
    expect(ran).toEqual(["send"]);
  }
});

test("a session's own events come as they are recorded, also over a network that breaks", async () => {
  const { url, client } = await served([{ say: "One two three." }]);
  const sessionId = await opened(client);
  const stop = new AbortController();
  const book = new SessionBook(sessionId);
  const ids: string[] = [];
  const shaky = connect(await cutting(url, [600, 1, 500, 900]), TOKEN);
  const following = (async () => {
    for await (const { id, event } of shaky.sessionEvents(sessionId, { signal: stop.signal })) {
      ids.push(id);
      book.apply(event);
      if (event.type === "turn-stopped") stop.abort(new Error("seen"));
    }
  })();
  await client.turn(sessionId, { stream: "delta", messages: say("Go") });
  await expect(following).rejects.toThrow("seen");
  expect(ids).toEqual(ids.map((_id, index) => String(index + 1)));
  const said = book
    .snapshot()
    .timeline.flatMap((entry) =>
      entry.type === "message" && entry.message.role === "agent" ? entry.message.blocks : [],
    );
  expect(said.map((block) => (block.type === "text" ? block.text : "")).join("")).toBe("One two three.");
});

test("a turn is cancelled, and cancelling where nothing runs says so", async () => {
  const { client } = await served([{ say: "word ".repeat(500) }]);
  const sessionId = await opened(client);
  expect(await client.cancel(sessionId)).toBe(false);
  const turn = client.turn(sessionId, { stream: "delta", messages: say("Go") });
  let count = 0;
  for await (const { event } of turn)
    if (event === "text_delta" && (count += 1) === 5) await client.cancel(sessionId);
  expect(count).toBeLessThan(400);
  expect(await turn).toMatchObject({ stopReason: "end_turn" });
});

test("refuses a wrong token without repeating it", async () => {
  const { url } = await served();
  const error: unknown = await connect(url, "not-the-token-at-all")
    .sessions()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "REFUSED", status: 401 });
  expect(String(error)).not.toContain("not-the-token");
});
