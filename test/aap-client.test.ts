/** The client against a server that knows only the protocol, over real HTTP: what works anywhere. */
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AapError, connect, runTurn } from "../src/aap/client/index.js";
import type { AapClient, NewSession, StreamMode, ToolUseBlock, TurnEvent } from "../src/aap/client/index.js";
import { plainServer } from "./aap-client-kit.js";
import type { PlainStep } from "./aap-client-kit.js";

const SHOW = { name: "show", description: "Shows.", parameters: { type: "object" } };
const SESSION: NewSession = {
  agent: { name: "plain", tools: [{ name: "look", trust: true }, { name: "send" }] },
  tools: [SHOW],
};
const FOUR: readonly PlainStep[] = [
  {
    say: "One moment.",
    calls: [
      { name: "show", input: { picture: 1 } },
      { name: "look" },
      { name: "send", input: { to: "Ada" } },
      { name: "hidden" },
    ],
  },
  { say: "All done." },
];
const MODES: readonly StreamMode[] = ["delta", "message", "none"];
const say = (content: string) => [{ role: "user", content }] as const;

async function opened(client: AapClient, session: NewSession = SESSION): Promise<string> {
  return (await client.createSession(session)).sessionId;
}

async function failure(answer: PromiseLike<unknown>): Promise<AapError> {
  const error: unknown = await Promise.resolve(answer).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AapError) return error;
  throw new Error("It did not fail with an AapError.", { cause: error });
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe.each(MODES)("a turn to its end, in the mode %s", (stream) => {
  test("runs what is the app's, asks for what is the server's, and sends all answers together", async () => {
    const server = await plainServer({ steps: FOUR });
    const client = connect(`${server.url}/`);
    const sessionId = await opened(client);
    const asked: ToolUseBlock[] = [];
    const result = await runTurn(
      client,
      sessionId,
      { stream, messages: say("Go") },
      {
        tools: { show: (input) => `shown ${JSON.stringify(input)}` },
        permit: (call) => {
          asked.push(call);
          return { granted: false, reason: "not today" };
        },
      },
    );
    expect(asked).toEqual([{ type: "tool_use", toolCallId: "c3", name: "send", input: { to: "Ada" } }]);
    expect(server.ran).toEqual(["look {}", "hidden {}"]);
    expect(server.requests.at(-1)?.body).toEqual({
      stream,
      messages: [
        { role: "tool", toolCallId: "c1", content: 'shown {"picture":1}' },
        { role: "tool_permission", toolCallId: "c3", granted: false, reason: "not today" },
      ],
    });
    expect(result.stopReason).toBe("end_turn");
    const history = await client.history(sessionId);
    expect([...say("Go"), ...result.messages]).toEqual(history);
    expect(history.at(-2)).toEqual({
      role: "tool",
      toolCallId: "c3",
      content: "Tool call denied: not today",
    });
  });

  test("goes on from the history in a program that knows nothing else", async () => {
    const server = await plainServer({ steps: FOUR, histories: ["compacted"] });
    const sessionId = await opened(connect(server.url));
    await connect(server.url).turn(sessionId, { stream, messages: say("Go") });

    const client = connect(server.url);
    const nobody = await failure(runTurn(client, sessionId, { stream }));
    expect([nobody.code, nobody.message]).toEqual([
      "TOOL_MISSING",
      'The session waits for tools of the app that this program cannot run: "show". Nothing was submitted; go on with it where they are.',
    ]);
    const options = { tools: { show: () => "shown" }, permit: () => ({ granted: true }) };
    expect(await runTurn(client, sessionId, { stream }, options)).toMatchObject({ stopReason: "end_turn" });
    expect(server.ran).toEqual(["look {}", "hidden {}", 'send {"to":"Ada"}']);
    // Nothing waits any more, so nothing is sent.
    const before = server.requests.filter(({ method }) => method === "POST").length;
    expect(await runTurn(client, sessionId, { stream }, options)).toEqual({
      stopReason: "end_turn",
      messages: [],
    });
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(before);
  });
});

test("the events of a turn come one by one, and awaited it is all of them", async () => {
  const server = await plainServer({ steps: [{ say: "Hello there." }] });
  const client = connect(server.url);
  const turn = client.turn(await opened(client), { stream: "delta", messages: say("Go") });
  expect((await all(turn)).map(({ event, data }) => `${event} ${JSON.stringify(data)}`)).toEqual([
    "turn_start {}",
    'text_delta {"delta":"Hello "}',
    'text_delta {"delta":"there."}',
    'turn_stop {"stopReason":"end_turn"}',
  ]);
  expect(await turn).toEqual({
    stopReason: "end_turn",
    messages: [{ role: "assistant", content: [{ type: "text", text: "Hello there." }] }],
  });
});

test("a turn is over at its stop, also when the server forgets to end the stream", async () => {
  const server = await plainServer({ steps: [{ say: "Hello." }], neverEnds: true });
  const client = connect(server.url);
  const sessionId = await opened(client);
  expect(await client.turn(sessionId, { stream: "delta", messages: say("Go") })).toMatchObject({
    stopReason: "end_turn",
  });
});

test("sends a failure of a client tool to the model, and denies permissions that nobody is asked for", async () => {
  const server = await plainServer({ steps: FOUR });
  const client = connect(server.url);
  const broken = () => {
    throw new Error("no screen");
  };
  await runTurn(client, await opened(client), { messages: say("Go") }, { tools: { show: broken } });
  expect(server.requests.at(-1)?.body["messages"]).toEqual([
    { role: "tool", toolCallId: "c1", content: "Tool show failed: no screen" },
    { role: "tool_permission", toolCallId: "c3", granted: false, reason: "this app has nobody to ask" },
  ]);
});

test("submits nothing when stopped while a call is answered", async () => {
  const server = await plainServer({ steps: FOUR });
  const client = connect(server.url);
  const sessionId = await opened(client);
  const stop = new AbortController();
  const permit = () => {
    stop.abort(new Error("enough"));
    return { granted: true };
  };
  const options = { tools: { show: () => "shown" }, permit, signal: stop.signal };
  await expect(runTurn(client, sessionId, { messages: say("Go") }, options)).rejects.toThrow("enough");
  expect(server.requests.filter(({ path }) => path.endsWith("/turns"))).toHaveLength(1);
});

test("takes the app's tools from the session and not from this program", async () => {
  const server = await plainServer({ steps: [{ calls: [{ name: "send" }] }, { say: "Sent." }] });
  const client = connect(server.url);
  const sessionId = await opened(client);
  // The client has a runner of that name; the tool is the server's all the same.
  const tools = { send: () => "forged", show: () => "shown" };
  await runTurn(client, sessionId, { messages: say("Go") }, { tools, permit: () => ({ granted: true }) });
  expect(server.ran).toEqual(["send {}"]);
});

test("sessions are listed to the last page, read and deleted", async () => {
  const server = await plainServer();
  const client = connect(server.url);
  const ids = [await opened(client), await opened(client), await opened(client)];
  expect((await all(client.allSessions())).map(({ sessionId }) => sessionId)).toEqual(ids);
  expect(await client.sessions()).toMatchObject({ next: "2" });
  expect(await client.session(ids[0]!)).toEqual({ sessionId: "s/1", agent: SESSION.agent, tools: [SHOW] });
  await client.deleteSession(ids[0]!);
  expect(await failure(client.session(ids[0]!))).toMatchObject({
    code: "REFUSED",
    status: 404,
    message: "not found",
  });
});

describe("broken streams", () => {
  const HELLO = [{ say: "one two three four five" }];

  test("reports a broken stream, and does not repeat the request, when the server has no ids", async () => {
    for (const cuts of [[3], [0]]) {
      const server = await plainServer({ steps: HELLO, cuts });
      const client = connect(server.url);
      const sessionId = await opened(client);
      const error = await failure(client.turn(sessionId, { stream: "delta", messages: say("Go") }));
      expect(error.code).toBe(cuts[0] === 0 ? "UNREACHABLE" : "STREAM_CUT");
      expect(error.message).toMatch(/ The turn of session s\/1 may continue at the server; read the history/);
      expect(error.message).toMatch(/The request was not sent again: .* it might have run twice\.$/);
      expect(server.requests.filter(({ path }) => path.endsWith("/turns"))).toHaveLength(1);
    }
  });

  test.each([
    ["delta", "stop"],
    ["message", "stop"],
    ["message", "all but the first"],
  ] as const)(
    "completes a stream without its end from the history, in the mode %s (%s)",
    async (stream, forgetsStop) => {
      const steps = [
        { say: "I look.", calls: [{ name: "look" }, { name: "show" }, { name: "send" }] },
        { say: "All is done." },
      ];
      const server = await plainServer({ steps, forgetsStop, storesTwice: true });
      const client = connect(server.url);
      const agent = { name: "plain", tools: [{ name: "look", trust: true }, { name: "send" }] };
      const { sessionId } = await client.createSession({ agent, tools: [SHOW] });
      const events: TurnEvent[] = [];
      const { stopReason, messages } = await runTurn(
        client,
        sessionId,
        { stream, messages: say("Go") },
        {
          tools: { show: () => "shown" },
          permit: () => ({ granted: true }),
          onEvent: (event) => events.push(event),
        },
      );
      expect(stopReason).toBe("end_turn");
      expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "tool", "tool", "assistant"]);
      expect(server.ran).toEqual(["look {}", "send {}"]);
      const names = events.map(({ event }) => event.replace("text_delta", "text"));
      const once = names.filter((name, index) => name !== "text" || names[index - 1] !== "text");
      expect(once.join(" ")).toBe(
        "turn_start text tool_call tool_call tool_call tool_result turn_stop turn_start tool_result text turn_stop",
      );
      const text = events.map(({ event, data }) =>
        event === "text" ? data.text : event === "text_delta" ? data.delta : "",
      );
      expect(text.join("")).toBe("I look.All is done.");
    },
  );

  test("reports a stream without its end when the history does not have it either", async () => {
    const server = await plainServer({ steps: HELLO, forgetsStop: "stop", histories: [] });
    const client = connect(server.url);
    const sessionId = await opened(client);
    const error = await failure(client.turn(sessionId, { stream: "delta", messages: say("Go") }));
    expect(error).toMatchObject({ code: "STREAM_CUT" });
  });

  test.each([
    ["again and again", [1, 2, 0, 1, 0, 2], true],
    ["before the first event", [0], true],
    ["where nothing but ids is known", [2, 2], false],
    ["where it is sent from its start each time", [2, 3], true, true],
  ])(
    "resumes a broken stream without loss or double: %s",
    async (_name, cuts, isExtended, ignoresLastId = false) => {
      const server = await plainServer({ steps: HELLO, cuts, isExtended, hasIds: true, ignoresLastId });
      const client = connect(server.url);
      const sessionId = await opened(client);
      const events: TurnEvent[] = [];
      const result = await client.turn(
        sessionId,
        { stream: "delta", messages: say("Go") },
        { onEvent: (event) => events.push(event) },
      );
      expect(events.flatMap(({ event, data }) => (event === "text_delta" ? [data.delta] : []))).toEqual([
        "one ",
        "two ",
        "three ",
        "four ",
        "five",
      ]);
      expect(events.map(({ event }) => event).filter((name) => name.startsWith("turn_"))).toEqual([
        "turn_start",
        "turn_stop",
      ]);
      expect(result.messages).toEqual((await client.history(sessionId)).slice(1));
      const keys = server.requests.flatMap(({ path, headers }) =>
        path.endsWith("/turns") ? [headers["idempotency-key"]] : [],
      );
      expect(keys).toHaveLength(cuts.length + 1);
      expect(new Set(keys).size).toBe(1);
      // The events that were received before each request.
      const last = server.requests.flatMap(({ path, headers }) =>
        path.endsWith("/turns") ? [Number(headers["last-event-id"] ?? 0)] : [],
      );
      const sums = cuts.map((_cut, index) => cuts.slice(0, index + 1).reduce((sum, one) => sum + one, 0));
      expect(last).toEqual([0, ...(ignoresLastId ? [2, 3] : sums)]);
    },
  );

  test("sends a turn with the caller's key, and without one when that is wished", async () => {
    const server = await plainServer({ steps: [] });
    const request = { stream: "none", messages: say("Go") } as const;
    const client = connect(server.url);
    const sessionId = await opened(client);
    await client.turn(sessionId, request, { idempotencyKey: "mine" });
    await connect(server.url, undefined, { sendsKeys: false }).turn(sessionId, request);
    expect(server.requests.slice(-2).map(({ headers }) => headers["idempotency-key"])).toEqual([
      "mine",
      undefined,
    ]);
  });

  test("resumes a stream that falls silent when the server sends signs of life", async () => {
    const server = await plainServer({ steps: HELLO, cuts: [3, 1], isExtended: true, fallsSilent: true });
    const client = connect(server.url, undefined, { silence: 100 });
    const turn = client.turn(await opened(client), { stream: "delta", messages: say("Go") });
    expect(await all(turn)).toHaveLength(7);
  });

  test("runs a grant whose answer was lost once, in every mode", async () => {
    for (const stream of MODES) {
      const steps = [{ calls: [{ name: "send" }] }, { say: "Sent." }];
      const server = await plainServer({ steps, cuts: [99, 0], isExtended: true });
      const client = connect(server.url);
      const permit = () => ({ granted: true });
      const sessionId = await opened(client);
      expect(await runTurn(client, sessionId, { stream, messages: say("Go") }, { permit })).toMatchObject({
        stopReason: "end_turn",
      });
      expect(server.ran).toEqual(["send {}"]);
    }
  });

  test("ends a broken stream with the caller's own reason when the caller aborts", async () => {
    const server = await plainServer({
      steps: HELLO,
      cuts: Array.from({ length: 9 }, () => 0),
      isExtended: true,
    });
    const client = connect(server.url);
    const turn = client.turn(
      await opened(client),
      { stream: "delta", messages: say("Go") },
      { signal: AbortSignal.timeout(300) },
    );
    await expect(Promise.resolve(turn)).rejects.toThrow(/timeout/);
  });
});

test.each(["events", "turns"])(
  "a silent stream of a session's %s ends with its signal, however much garbage there was",
  async (what) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": here\n\n");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const client = connect(`http://127.0.0.1:${port}`, "key");
    const [one, other] = [new AbortController(), new AbortController()];
    const signal = () => AbortSignal.any([one.signal, other.signal]);
    const reading = async () => {
      if (what === "turns")
        await client.turn("s", { stream: "delta", messages: say("Go") }, { signal: signal() });
      else for await (const _ of client.sessionEvents("s", { signal: signal() }));
    };
    const ended = reading().then(
      () => "done",
      (error: unknown) => error,
    );
    setFlagsFromString("--expose-gc");
    for (let count = 0; count < 5; count += 1) {
      await new Promise((resolve) => void setTimeout(resolve, 50));
      runInNewContext("gc")();
    }
    one.abort(new Error("enough"));
    expect(await ended).toMatchObject({ message: "enough" });
  },
);

describe("errors", () => {
  test("an extension that the server does not have is said to be one", async () => {
    const client = connect((await plainServer()).url);
    const sessionId = await opened(client);
    const text = /^The server does not have this; it is an extension of AAP v3\./;
    for (const asked of [
      client.questions(),
      client.cancel(sessionId),
      client.answerQuestion("q", { granted: true }),
    ])
      expect(await failure(asked)).toMatchObject({ code: "REFUSED", status: 404, message: text });
    expect(await failure(all(client.sessionEvents(sessionId)))).toMatchObject({ status: 404 });
  });

  test("the key is in no error, whatever the server says of it", async () => {
    const { url } = await plainServer({ key: "the-right-one" });
    const error = await failure(connect(url, "s3cret-key").sessions());
    expect(error).toMatchObject({ status: 401, message: "the key Bearer *** is wrong" });
    const errors = [
      await failure(Promise.resolve().then(() => connect(url, "s3cret\nkey").sessions())),
      await failure(Promise.resolve().then(() => connect("http://me:s3cret@localhost/"))),
      await failure(Promise.resolve().then(() => connect("http://localhost/?token=s3cret"))),
      await failure(Promise.resolve().then(() => connect("localhost:s3cret"))),
      await failure(connect("http://127.0.0.1:9", "s3cret-key").meta()),
      error,
    ];
    for (const one of errors)
      expect(`${one.stack} ${JSON.stringify(one)} ${String(one.cause)}`).not.toContain("s3cret");
    expect(errors.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 4 }, () => "UNUSABLE"),
      "UNREACHABLE",
      "REFUSED",
    ]);
  });

  test("a redirect is not followed, so the key goes nowhere else", async () => {
    let elsewhere = 0;
    const other = await listening(
      createServer((_request, response) => void response.end(String((elsewhere += 1)))),
    );
    const { url } = await listeningUrl(
      (_request, response) => void response.writeHead(307, { location: other }).end(),
    );
    expect(await failure(connect(url, "s3cret-key").sessions())).toMatchObject({ code: "UNREACHABLE" });
    expect(elsewhere).toBe(0);
  });

  test.each([
    ["text/html", "<h1>Hello</h1>", /not JSON: <h1>Hello<\/h1>$/],
    ["application/json", '{"stopReason":"end_turn"}', /no messages or no stop reason/],
    ["text/event-stream", "event: tool_call\ndata: {}\n\n", /broken tool_call: "toolCallId" is missing/],
    ["text/event-stream", "event: text_delta\ndata: hm\n\n", /broken text_delta: its data is no JSON object/],
  ])("an answer of %s that breaks the protocol is an error: %s", async (type, body, message) => {
    const { url } = await listeningUrl(
      (_request, response) => void response.writeHead(200, { "content-type": type }).end(body),
    );
    const turn = connect(url).turn("s", { stream: "delta", messages: say("Go") });
    expect(await failure(turn)).toMatchObject({ code: "NOT_AAP", message });
  });

  test("events that only a newer server knows are handed on, and harm nothing", async () => {
    const frames = [
      'event: mood\ndata: {"good":true}',
      "event: noise\ndata: not JSON",
      'event: text_delta\ndata: {"delta":"Hi"}',
      'event: turn_stop\ndata: {"stopReason":"end_turn"}',
    ];
    const { url } = await listeningUrl(
      (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(frames.map((frame) => `${frame}\n\n`).join("")),
    );
    const turn = connect(url).turn("s", { stream: "delta", messages: say("Go") });
    expect((await all(turn)).map(({ event }) => event)).toEqual(["mood", "text_delta", "turn_stop"]);
  });

  test("refuses a server of another version", async () => {
    const { url } = await listeningUrl(
      (_request, response) => void response.end('{"version":2,"agents":[]}'),
    );
    expect(await failure(connect(url).meta())).toMatchObject({
      code: "WRONG_VERSION",
      message: "The server has AAP version 2, this client version 3.",
    });
  });

  test("names --allow-origin to a page whose requests the browser fails", async () => {
    vi.stubGlobal("location", { origin: "http://localhost:5173" });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { message } = await failure(connect("http://127.0.0.1:9").meta());
    expect(message).toContain("--allow-origin http://localhost:5173");
    vi.stubGlobal("location", { origin: "http://127.0.0.1:9" });
    expect((await failure(connect("http://127.0.0.1:9").meta())).message).not.toContain("--allow-origin");
  });

  test("something that is no HTTP server at all is not reached", async () => {
    const url = await listening(createSocketServer((socket) => void socket.end("hello\r\n\r\n")));
    expect(await failure(connect(url).meta())).toMatchObject({ code: "UNREACHABLE" });
  });
});

async function listeningUrl(answer: Parameters<typeof createServer>[1]): Promise<{ readonly url: string }> {
  return { url: await listening(createServer(answer)) };
}

async function listening(server: ReturnType<typeof createSocketServer>): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
