/** What apps rely on and found wrong: answers, trust, histories, names, keys. Over real sockets. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALL, deny, grant, refusal, say, SEND, TOKEN, World } from "./aap-kit.js";
import { answerTo, AUTHORIZED, head, serving, statusOf } from "./aap-http-kit.js";

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

/** A session that waits for a yes or no to `send`. */
async function asked() {
  const { app } = await world.remote({ steps: SEND });
  const sessionId = await app.createSession(ALL);
  expect(await app.turn(sessionId, say("Go"))).toMatchObject({ stopReason: "tool_use" });
  const { questions } = await app.ask<{ questions: { questionId: string }[] }>("GET", "/questions");
  return { app, sessionId, questionId: questions[0]?.questionId ?? "" };
}

describe("an answer", () => {
  test("with a field that the server does not know is refused, and nothing happens", async () => {
    const { app, sessionId, questionId } = await asked();
    const before = await world.ledger.read(sessionId);
    const permission = { ...grant("call_1"), arguments: { to: "Bob" } };
    expect(await refusal(app.turn(sessionId, { messages: [permission] }))).toMatch(
      /^400 BAD_REQUEST: [^]*"arguments"[^]*Nothing was done/,
    );
    const answer = { granted: true, arguments: { to: "Bob" } };
    expect(await refusal(app.ask("POST", `/questions/${questionId}`, answer))).toMatch(
      /^400 BAD_REQUEST: [^]*"arguments"/,
    );
    expect(await world.ledger.read(sessionId)).toEqual(before);
    expect(world.done).toEqual([]);
    // Elsewhere it is ignored.
    expect(await app.turn(sessionId, { messages: [grant("call_1")], color: "red" })).toMatchObject({
      stopReason: "end_turn",
    });
  });

  test.each(["in a turn", "to the question"])("may change the input and say who answers, %s", async (way) => {
    const { app, sessionId, questionId } = await asked();
    const yes = { granted: true, input: { to: "Bob" }, who: "ann" };
    if (way === "in a turn") await app.turn(sessionId, { messages: [{ ...grant("call_1"), ...yes }] });
    else {
      const answered = await app.ask("POST", `/questions/${questionId}`, yes);
      expect(answered).toMatchObject({ counted: true, answer: { input: { to: "Bob" }, who: "ann" } });
      await expect.poll(async () => (await app.history(sessionId)).at(-1)?.role).toBe("assistant");
    }
    expect(world.done).toEqual(["send Bob"]);
    const log = (await world.ledger.read(sessionId)).map(({ event }) => event);
    expect(log).toContainEqual(
      expect.objectContaining({
        type: "call-cleared",
        rawInput: { to: "Bob" },
        decision: expect.objectContaining({ who: "ann", originalInput: { to: "Ada" } }),
      }),
    );
  });

  test("with a changed input that the tool does not take runs nothing", async () => {
    const { app, sessionId } = await asked();
    const { messages } = await app.turn(sessionId, {
      messages: [{ ...grant("call_1"), input: { to: 7 } }],
    });
    expect(JSON.stringify(messages[0])).toContain("the changed input cannot be used");
    expect(world.done).toEqual([]);
  });

  test("with a changed input and a no is refused", async () => {
    const { app, sessionId, questionId } = await asked();
    const no = { ...deny("call_1"), input: { to: "Bob" } };
    expect(await refusal(app.turn(sessionId, { messages: [no] }))).toContain("400 BAD_REQUEST");
    for (const answer of [
      { granted: false, input: {} },
      { granted: true, input: {}, alike: true },
    ])
      expect(await refusal(app.ask("POST", `/questions/${questionId}`, answer))).toContain("400 BAD_REQUEST");
    expect(world.done).toEqual([]);
  });
});

describe("a request", () => {
  test("whose text is not UTF-8 is refused, and nothing is stored", async () => {
    const { port, ledger } = await serving();
    const body = Buffer.concat([
      Buffer.from('{"agent":{"name":"tester"},"messages":[{"role":"user","content":"a'),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from('"}]}'),
    ]);
    const headers = {
      Host: `127.0.0.1:${port}`,
      ...AUTHORIZED,
      "Content-Type": "application/json",
      Connection: "close",
    };
    const sized = head("POST /sessions HTTP/1.1", { ...headers, "Content-Length": String(body.length) });
    const chunked = head("POST /sessions HTTP/1.1", { ...headers, "Transfer-Encoding": "chunked" });
    for (const parts of [
      [sized, body],
      [chunked, `${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"],
    ]) {
      const answer = await answerTo(port, ...parts);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain("The body is not UTF-8. Nothing was done.");
    }
    expect(await ledger.sessions()).toEqual([]);
  });

  test.each([
    ["DELETE /sessions", "GET, POST"],
    ["POST /meta", "GET"],
    ["POST /sessions/x", "GET, DELETE"],
    ["DELETE /sessions/x/turns", "POST, GET"],
    ["GET /sessions/x/cancel", "POST"],
    ["POST /questions", "GET"],
    ["DELETE /questions/a/b", "GET, POST"],
    ["POST /metrics", "GET"],
    ["DELETE /openapi.json", "GET"],
  ])("%s has a wrong method", async (line, allowed) => {
    const { serving: served } = await world.remote();
    const [method = "", path = ""] = line.split(" ");
    const response = await fetch(served.url + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, connection: "close" },
    });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED" } });
  });

  test("for an unknown path is still not found", async () => {
    const { app } = await world.remote();
    expect(await refusal(app.ask("GET", "/nothing"))).toContain("404 NOT_FOUND");
    expect(await refusal(app.ask("GET", "/sessions//history"))).toContain("404 NOT_FOUND");
  });
});
