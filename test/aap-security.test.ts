/**
 * Hostile requests to `toolgate serve`: those of test/fixtures/adversarial, byte for byte, over real sockets, and
 * more of their kind.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  answerTo,
  AUTHORIZED,
  head,
  readToEnd,
  newSession,
  send,
  serving,
  socketTo,
  statusOf,
  TOKEN,
  turn,
  say,
} from "./aap-http-kit.js";

type Generated = {
  readonly concat: readonly (string | { readonly repeat: string; readonly times: number })[];
};
type Case = {
  readonly id: string;
  readonly why: string;
  readonly input: {
    readonly request?: string;
    readonly request_gen?: Generated;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly body_gen?: Generated;
  };
};

const cases = JSON.parse(
  readFileSync(new URL("fixtures/adversarial/http.json", import.meta.url), "utf8"),
) as readonly Case[];

const generated = ({ concat }: Generated): string =>
  concat.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("");

/** The response that each must get, written out by hand; session `s1` exists. */
const ANSWERS: Readonly<Record<string, readonly number[]>> = {
  "HT-001": [200],
  "HT-004": [200],
  "HT-006": [401],
  "HT-007": [401],
  "HT-009": [421],
  "HT-010": [421],
  "HT-014": [403],
  "HT-016": [403],
  "HT-017": [403],
  "HT-020": [405],
  "HT-028": [400],
  "HT-034": [404],
  "HT-036": [404],
  // A space in the middle of a request's first line: no request at all.
  "HT-037": [400],
  "HT-038": [404],
  "HT-039": [401],
  "HT-041": [401],
  "HT-044": [200],
  "HT-045": [400],
};
/** The requests whose bodies are made below. */
const BIG = ["HT-024", "HT-025", "HT-026"];

describe("each recorded request", () => {
  test("each has its answer here", () => {
    expect(cases.map(({ id }) => id).toSorted()).toEqual([...Object.keys(ANSWERS), ...BIG].toSorted());
  });

  test.each(cases.filter(({ id }) => id in ANSWERS).map((one) => [one.why, one] as const))(
    "%s",
    async (_why, { id, input }) => {
      const { url, port, ledger } = await serving();
      const s1 = await newSession(url);
      const placed = (text: string) =>
        text.replaceAll("PORT", String(port)).replaceAll("TOKEN", TOKEN).replaceAll("s1", s1);
      const { request = "", request_gen, headers = {}, body, body_gen } = input;
      const text = body_gen
        ? generated(body_gen)
        : typeof body === "string"
          ? body
          : body && JSON.stringify(body);
      const all = {
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, placed(value)])),
        ...(typeof text === "string" && { "Content-Length": String(Buffer.byteLength(text)) }),
        Connection: "close",
      };
      const first = request_gen ? generated(request_gen) : placed(request);
      const answer = await answerTo(port, head(first, all) + (typeof text === "string" ? text : ""));
      expect(ANSWERS[id]).toContain(statusOf(answer));
      expect(answer).not.toContain(TOKEN);
      expect(answer).not.toMatch(/node_modules|\.ts:|\.js:|root:x:|\/tmp\//);
      expect(answer.toLowerCase()).not.toContain("access-control-allow");
      expect(answer.toLowerCase()).not.toMatch(/^location:/m);
      if (id === "HT-044") expect(answer.toLowerCase()).toContain("cache-control: no-store\r\n");
      // Nothing was made and nothing was taken away.
      expect((await ledger.sessions()).map(({ sessionId }) => sessionId)).toEqual([s1]);
    },
  );

  test("an address that others reach is refused, token or not", async () => {
    await expect(serving(undefined, { host: "0.0.0.0" })).rejects.toMatchObject({
      code: "NOT_GUARDED",
      message: expect.stringContaining("Nothing was started"),
    });
  });

  test("answers before it reads the body of a request without a token", async () => {
    const { port } = await serving();
    const socket = socketTo(port);
    const framing = { Host: `127.0.0.1:${port}`, "Transfer-Encoding": "chunked" };
    socket.write(head("POST /sessions HTTP/1.1", framing));
    const before = process.memoryUsage().rss;
    const piece = Buffer.alloc(1 << 20, "x");
    for (let sent = 0; sent < 64; sent += 1) {
      socket.write("100000\r\n");
      socket.write(piece);
      socket.write("\r\n");
    }
    // The client is still sending when the response comes, and reads it later.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(socket.writableLength).toBeGreaterThan(32 << 20);
    expect(statusOf(await readToEnd(socket))).toBe(401);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  });

  test.each([
    ["that says so", (size: number) => ({ "Content-Length": String(size) })],
    ["that does not", () => ({ "Transfer-Encoding": "chunked" })],
  ])("a body of 33 MiB %s is too large", async (_, framing) => {
    const { url, port } = await serving();
    const s1 = await newSession(url);
    const size = 33 << 20;
    const framed = framing(size);
    const socket = socketTo(port);
    const answer = readToEnd(socket);
    const { Authorization } = AUTHORIZED;
    const line = `POST /sessions/${s1}/turns HTTP/1.1`;
    socket.write(
      head(line, { Host: "localhost", Authorization, "Content-Type": "application/json", ...framed }),
    );
    const before = process.memoryUsage().rss;
    const piece = Buffer.alloc(1 << 20, " ");
    for (let sent = 0; sent < size && !socket.destroyed; sent += piece.length) {
      if ("Transfer-Encoding" in framed) socket.write("100000\r\n");
      const isFull = !socket.write(piece);
      if ("Transfer-Encoding" in framed) socket.write("\r\n");
      if (isFull) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), answer]);
    }
    expect(statusOf(await answer)).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  });

  test("compressed bodies are not taken", async () => {
    const { url } = await serving();
    const bomb = gzipSync(Buffer.alloc(10 << 20)).toString("latin1");
    const headers = { ...AUTHORIZED, "content-encoding": "gzip" };
    const sent = await send(url, { method: "POST", path: "/sessions", headers, body: bomb });
    expect(sent.status).toBe(415);
  });
});

describe("the token", () => {
  const routes = [
    ["GET", "/sessions"],
    ["POST", "/sessions"],
    ["GET", "/sessions/s1"],
    ["DELETE", "/sessions/s1"],
    ["GET", "/sessions/s1/history?type=full"],
    ["POST", "/sessions/s1/turns"],
    ["GET", "/sessions/s1/turns"],
    ["GET", "/sessions/s1/events"],
    ["POST", "/sessions/s1/cancel"],
    ["GET", "/questions"],
    ["POST", "/questions/q1"],
    ["GET", "/metrics"],
    ["GET", "/openapi.json"],
    ["GET", "/nothing"],
    ["PUT", "/meta"],
    ["POST", "/meta"],
    ["GET", "/meta/"],
    ["GET", "//meta"],
    ["GET", "/meta/../sessions"],
    ["GET", "/healthz/x"],
  ] as const;

  test.each(routes)("%s %s needs it", async (method, path) => {
    const { url, port } = await serving();
    // As it is written: a client would put the dots right.
    const answer = await answerTo(port, head(`${method} ${path} HTTP/1.1`, { Host: new URL(url).host }));
    expect(statusOf(answer)).toBe(401);
    expect(answer.toLowerCase()).toContain("www-authenticate: bearer");
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({
      error: { code: "UNAUTHORIZED", message: expect.stringContaining("Nothing was done.") },
    });
  });

  test.each(["GET", "HEAD"])("%s /meta, /healthz and /readyz do not", async (method) => {
    const { url } = await serving();
    for (const path of ["/meta", "/healthz", "/readyz", "/meta?x=1"])
      expect((await send(url, { method, path, headers: {} })).status).toBe(200);
  });

  test.each([
    ["in the address", "/sessions?token=", {}],
    ["in a cookie", "/sessions", { Cookie: `token=${TOKEN}` }],
    [
      "as a password",
      "/sessions",
      { Authorization: `Basic ${Buffer.from(`x:${TOKEN}`).toString("base64")}` },
    ],
    ["with more behind it", "/sessions", { Authorization: `Bearer ${TOKEN} x` }],
    ["with less", "/sessions", { Authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["with nothing", "/sessions", { Authorization: "Bearer " }],
  ])("%s is not taken", async (_, path, headers) => {
    const { url } = await serving();
    const address = path.endsWith("=") ? path + TOKEN : path;
    const sent = await send(url, { path: address, headers });
    expect(sent.status).toBe(401);
    expect(sent.text).not.toContain(TOKEN);
  });

  test("given twice is given to nobody", async () => {
    const { port } = await serving();
    const twice = `GET /sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    expect(statusOf(await answerTo(port, twice))).toBe(401);
  });

  test.each(["", "short", "a token with blanks in it", "x".repeat(513)])(
    "%j is none to serve with",
    async (token) => {
      await expect(serving(undefined, { token })).rejects.toMatchObject({ code: "TOKEN_UNUSABLE" });
    },
  );

  test("is asked for before a body that waits to be asked for", async () => {
    const { port } = await serving();
    const headers = {
      Host: "localhost",
      Expect: "100-continue",
      "Content-Length": "5",
      "Content-Type": "application/json",
    };
    expect(statusOf(await answerTo(port, head("POST /sessions HTTP/1.1", headers)))).toBe(401);
    const asked = socketTo(port);
    asked.write(head("POST /sessions HTTP/1.1", { ...headers, ...AUTHORIZED, Connection: "close" }));
    await new Promise((resolve) => asked.once("data", resolve));
    const answer = readToEnd(asked);
    asked.write("[1,2]");
    expect(statusOf(await answer)).toBe(400);
  });
});

describe("hostile requests", () => {
  const raw = (lines: readonly string[]) => `${lines.join("\r\n")}\r\n\r\n`;
  const bearer = `Authorization: Bearer ${TOKEN}`;

  test.each<[string, number, readonly string[]]>([
    ["without a Host", 400, ["GET /meta HTTP/1.1"]],
    ["with two Hosts", 421, ["GET /meta HTTP/1.1", "Host: localhost", "Host: evil.example"]],
    ["for a name with a dot behind it", 421, ["GET /meta HTTP/1.1", "Host: localhost."]],
    [
      "with two Origins",
      403,
      [
        "GET /meta HTTP/1.1",
        "Host: localhost",
        "Origin: https://app.example",
        "Origin: https://evil.example",
      ],
    ],
    [
      "with two lengths",
      400,
      ["POST /sessions HTTP/1.1", "Host: localhost", bearer, "Content-Length: 1", "Content-Length: 2"],
    ],
    [
      "with a length and chunks",
      400,
      [
        "POST /sessions HTTP/1.1",
        "Host: localhost",
        bearer,
        "Content-Length: 1",
        "Transfer-Encoding: chunked",
      ],
    ],
    [
      "with two content types",
      415,
      [
        "POST /sessions HTTP/1.1",
        "Host: localhost",
        bearer,
        "Content-Length: 2",
        "Content-Type: application/json",
        "Content-Type: text/plain",
      ],
    ],
    [
      "of a form",
      415,
      [
        "POST /sessions HTTP/1.1",
        "Host: localhost",
        bearer,
        "Content-Length: 2",
        "Content-Type: application/x-www-form-urlencoded",
      ],
    ],
    [
      "with a header that is too long",
      431,
      ["GET /meta HTTP/1.1", "Host: localhost", `X: ${"x".repeat(20_000)}`],
    ],
    [
      "with too many headers' worth",
      431,
      [
        "GET /meta HTTP/1.1",
        "Host: localhost",
        ...Array.from({ length: 1000 }, (_, index) => `X-${index}: ${"x".repeat(20)}`),
      ],
    ],
    ["by a method that we do not have", 405, ["PATCH /sessions HTTP/1.1", "Host: localhost", bearer]],
    ["to trace", 405, ["TRACE /sessions HTTP/1.1", "Host: localhost", bearer]],
    ["that is no HTTP", 400, ["\u0000\u0001\u0002"]],
    [
      "through a backslash",
      400,
      ["GET /sessions\\..\\meta HTTP/1.1", "Host: localhost", bearer, "Connection: close"],
    ],
    ["for another server", 421, ["GET http://evil.example/sessions HTTP/1.1", "Host: evil.example", bearer]],
    [
      "that another server should be asked",
      404,
      ["GET http://evil.example/nothing HTTP/1.1", "Host: localhost", bearer, "Connection: close"],
    ],
  ])("answers a request %s with %i", async (_, status, lines) => {
    const { port } = await serving();
    expect(statusOf(await answerTo(port, raw(lines)))).toBe(status);
  });

  test("refuses a request to be connected elsewhere", async () => {
    const { port } = await serving();
    expect(await answerTo(port, raw(["CONNECT evil.example:443 HTTP/1.1", "Host: localhost", bearer]))).toBe(
      "",
    );
  });

  test.each([
    "constructor",
    "__proto__",
    "..",
    "%00",
    "%2e%2e%2f",
    "%ff",
    "💣",
    "A".repeat(10_000),
    "session_x%0d%0aX:1",
  ])("finds no session %j", async (id) => {
    const { url } = await serving();
    const sent = await send(url, { path: `/sessions/${encodeURI(id).replaceAll("%25", "%")}` });
    expect([404, 400]).toContain(sent.status);
    expect(sent.headers["x"]).toBeUndefined();
  });

  test("refuses a body that is nested too deep, wherever anything may stand in it", async () => {
    const { url, ledger } = await serving();
    const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
    const body = `{"agent":{"name":"tester"},"tools":[{"name":"t","description":"","parameters":${deep}}]}`;
    const sent = await send(url, { method: "POST", path: "/sessions", body });
    expect([sent.status, JSON.parse(sent.text).error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(await ledger.sessions()).toEqual([]);
  });

  test("answers a HEAD request for a stream with the head alone, and keeps no stream open", async () => {
    const { url } = await serving();
    const s1 = await newSession(url);
    for (const path of [`/sessions/${s1}`, `/sessions/${s1}/events`]) {
      const sent = await send(url, { method: "HEAD", path });
      expect([sent.status, sent.text]).toEqual([200, ""]);
    }
    expect((await send(url, { path: "/metrics" })).text).toContain("toolgate_streams 0");
  });

  test("forbids caching and content sniffing in each response", async () => {
    const { url } = await serving();
    const s1 = await newSession(url);
    const sent = [
      await send(url, { path: "/meta", headers: {} }),
      await send(url, { path: "/healthz", headers: {} }),
      await send(url, { path: "/sessions", headers: {} }),
      await send(url, { path: "/nothing" }),
      await send(url, { path: `/sessions/${s1}/history?type=full` }),
      await turn(url, s1, say("Hello", "delta")),
    ];
    for (const { headers } of sent)
      expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  });

  test("hides the details of an internal error from the client", async () => {
    const errors: unknown[] = [];
    const { url, ledger } = await serving(undefined, { onError: (error) => errors.push(error) });
    ledger.sessions = () => Promise.reject(new Error(`EIO: ${import.meta.filename}`));
    const sent = await send(url, { path: "/sessions" });
    expect(sent.status).toBe(500);
    expect(JSON.parse(sent.text)).toEqual({
      error: {
        code: "BROKEN",
        message: "The server failed at this request. Everything that was recorded before is kept.",
      },
    });
    expect(errors).toHaveLength(1);
  });
});

async function testTls() {
  const pem = (name: string) => readFile(new URL(`fixtures/listen-tls.${name}.pem`, import.meta.url), "utf8");
  return { cert: await pem("cert"), key: await pem("key") };
}

describe("pages of browsers", () => {
  const origin = { Origin: "https://app.example" };
  const preflight = {
    method: "OPTIONS",
    path: "/sessions",
    headers: { ...origin, "Access-Control-Request-Method": "POST" },
  };

  test("lets a page of an allowed site send requests and read the responses", async () => {
    const { url } = await serving(undefined, { allowedOrigins: ["https://app.example"] });
    const first = await send(url, preflight);
    expect(first.status).toBe(204);
    expect(first.headers).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": "GET, HEAD, POST, DELETE",
      "access-control-allow-headers": "authorization, content-type, idempotency-key, last-event-id",
      vary: "origin",
    });
    expect(first.headers["access-control-allow-credentials"]).toBeUndefined();
    for (const headers of [origin, { ...origin, ...AUTHORIZED }]) {
      const sent = await send(url, { path: "/sessions", headers });
      expect(sent.headers["access-control-allow-origin"]).toBe("https://app.example");
    }
  });

  test("lets a page of the server's own address send every request", async () => {
    const { url, port } = await serving();
    for (const name of ["127.0.0.1", "localhost"]) {
      const page = { Host: `${name}:${port}`, Origin: `http://${name}:${port}` };
      const body = { agent: { name: "tester" } };
      const made = await send(url, {
        method: "POST",
        path: "/sessions",
        body,
        headers: { ...AUTHORIZED, ...page },
      });
      expect(made.status).toBe(201);
      const { sessionId } = JSON.parse(made.text);
      const path = `/sessions/${sessionId}`;
      expect((await send(url, { method: "DELETE", path, headers: { ...AUTHORIZED, ...page } })).status).toBe(
        204,
      );
      // The page still needs the token.
      expect((await send(url, { path: "/sessions", headers: page })).status).toBe(401);
    }
  });

  test("treats a page of another port or name of this machine as another site's", async () => {
    const { url, port } = await serving();
    const others = [`http://127.0.0.1:${port + 1}`, "http://127.0.0.1", `http://localhost:${port}`, "null"];
    for (const Origin of others) {
      const headers = { ...AUTHORIZED, Host: `127.0.0.1:${port}`, Origin };
      const sent = await send(url, {
        method: "POST",
        path: "/sessions",
        body: { agent: { name: "tester" } },
        headers,
      });
      expect(sent.status, Origin).toBe(403);
      expect(JSON.parse(sent.text).error.message).toContain("--allow-origin");
    }
  });

  test("takes an https page behind a proxy for its own, and refuses a plain page when it serves TLS itself", async () => {
    const proxied = await serving(undefined, { allowedHosts: ["agent.example"] });
    const own = (Origin: string) => ({ ...AUTHORIZED, Host: "agent.example", Origin });
    expect(
      (await send(proxied.url, { path: "/sessions", headers: own("https://agent.example") })).status,
    ).toBe(200);
    const secure = await serving(undefined, { tls: await testTls(), allowedHosts: ["agent.example"] });
    expect(
      (await send(secure.url, { path: "/sessions", headers: own("https://agent.example") })).status,
    ).toBe(200);
    expect((await send(secure.url, { path: "/sessions", headers: own("http://agent.example") })).status).toBe(
      403,
    );
  });

  test.each([
    "https://evil.example",
    "http://app.example",
    "https://app.example:444",
    "https://app.example.evil.example",
    "null",
    "",
  ])("refuses a page of %j, whatever it knows", async (other) => {
    const { url } = await serving(undefined, { allowedOrigins: ["https://app.example"] });
    for (const sending of [
      { ...preflight, headers: { ...preflight.headers, Origin: other } },
      { path: "/sessions", headers: { ...AUTHORIZED, Origin: other } },
      { path: "/meta", headers: { Origin: other } },
    ]) {
      const sent = await send(url, sending);
      expect(sent.status).toBe(403);
      expect(sent.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });
});

test("beyond this machine it serves through TLS, by the names it was given", async () => {
  const tls = await testTls();
  const { url } = await serving(undefined, { host: "0.0.0.0", tls, allowedHosts: ["agent.example"] });
  expect(url).toMatch(/^https:/);
  const meta = (Host: string) =>
    send(url.replace("0.0.0.0", "127.0.0.1"), { path: "/meta", headers: { Host } });
  expect((await meta("agent.example")).status).toBe(200);
  expect((await meta("evil.example")).status).toBe(421);
});
