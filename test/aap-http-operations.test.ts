/** The operator's routes of `toolgate serve`: health, metrics, description. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { AUTHORIZED, newSession, say, send, serving, TOKEN, turn } from "./aap-http-kit.js";
import { counting, workspace } from "./agent-kit.js";
import { until } from "./until.js";

describe("the figures", () => {
  const steps = [
    {
      calls: [
        { tool: "look", input: {} },
        { tool: "write", input: {} },
      ],
    },
    { say: "Done." },
  ];
  const tools = () => [counting("look", "read").tool, counting("write", "edit").tool];
  const wanted = [{ name: "look", trust: true }, { name: "write" }];

  async function figuresOf(url: string): Promise<ReadonlyMap<string, number>> {
    const { status, headers, text } = await send(url, { path: "/metrics" });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    return read(text);
  }

  /** As Prometheus reads it: every line is a comment or a figure, and every figure was introduced. */
  function read(text: string): ReadonlyMap<string, number> {
    const types = new Map<string, string>();
    const figures = new Map<string, number>();
    expect(text.endsWith("\n")).toBe(true);
    for (const line of text.trimEnd().split("\n")) {
      const [, name = "", type] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? [];
      if (type !== undefined) types.set(name, type);
      if (line.startsWith("#")) {
        expect(line).toMatch(/^# (?:HELP|TYPE) [a-z_]+ \S/);
        continue;
      }
      const [, labelled = "", value] =
        /^([a-z_]+(?:\{(?:[a-z_]+="[^"\n]*",?)+\})?) (-?[\d.e+-]+)$/.exec(line) ?? [];
      expect(value, line).toBeDefined();
      const [figure = ""] = labelled.split("{");
      expect([...types.keys()], line).toContain(
        types.has(figure) ? figure : figure.replace(/_(?:bucket|sum|count)$/, ""),
      );
      expect(figures.has(labelled), line).toBe(false);
      figures.set(labelled, Number(value));
    }
    return figures;
  }

  test("count sessions, turns, calls, questions and requests as they happen", async () => {
    const { url } = await serving(steps, {}, { tools: tools() });
    const s1 = await newSession(url, wanted);
    await newSession(url, wanted);
    await turn(url, s1, say("Go"));
    const before = await figuresOf(url);
    expect(Object.fromEntries(before)).toMatchObject({
      toolgate_sessions_created_total: 2,
      'toolgate_turns_total{stop_reason="parked"}': 1,
      'toolgate_calls_total{kind="read",end="done"}': 1,
      'toolgate_call_seconds_bucket{kind="read",le="+Inf"}': 1,
      'toolgate_call_seconds_count{kind="read"}': 1,
      toolgate_turn_seconds_count: 1,
      toolgate_turns_running: 0,
      toolgate_open_questions: 1,
      toolgate_streams: 0,
      'toolgate_http_requests_total{method="POST",status="201"}': 2,
    });
    expect(before.get("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
    const denied = [{ role: "tool_permission", toolCallId: "call_2", granted: false }];
    await turn(url, s1, { messages: denied });
    expect(Object.fromEntries(await figuresOf(url))).toMatchObject({
      'toolgate_turns_total{stop_reason="end_turn"}': 1,
      'toolgate_calls_total{kind="edit",end="refused"}': 1,
      toolgate_open_questions: 0,
      toolgate_turn_seconds_count: 2,
    });
  });

  test("know the kind of a call that an earlier process has asked about", async () => {
    const place = await workspace();
    const first = await serving(steps, { workspace: place }, { tools: tools() });
    const s1 = await newSession(first.url, wanted);
    await turn(first.url, s1, say("Go"));
    await first.close();
    const { url } = await serving(steps, { ledger: first.ledger, workspace: place }, { tools: tools() });
    await turn(url, s1, { messages: [{ role: "tool_permission", toolCallId: "call_2", granted: true }] });
    const figures = await figuresOf(url);
    expect(figures.get('toolgate_calls_total{kind="edit",end="done"}')).toBe(1);
    expect(figures.get('toolgate_call_seconds_count{kind="edit"}')).toBe(1);
    expect(figures.get("toolgate_sessions_created_total")).toBe(0);
  });

  test("count the streams that are open, and no longer those that are gone", async () => {
    const { url } = await serving();
    const s1 = await newSession(url);
    const listening = new AbortController();
    const stream = await fetch(`${url}/sessions/${s1}/events`, {
      headers: AUTHORIZED,
      signal: listening.signal,
    });
    expect(stream.status).toBe(200);
    expect((await figuresOf(url)).get("toolgate_streams")).toBe(1);
    listening.abort();
    await until(async () => (await figuresOf(url)).get("toolgate_streams") === 0);
  });

  test("hold nothing that anyone wrote", async () => {
    const { url } = await serving([{ say: "a-secret-word" }]);
    const s1 = await newSession(url);
    await turn(url, s1, say("another-secret-word"));
    await send(url, { path: "/a-third-secret-word" });
    const { text } = await send(url, { path: "/metrics" });
    expect(text).not.toMatch(/secret-word/);
    expect(text).not.toContain(s1);
    expect(text).not.toContain(TOKEN);
  });
});

type Described = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
type DescribedResponse = {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
};
type Operation = {
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: object } } };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
};

describe("the description", () => {
  async function described(url: string): Promise<Described> {
    const { status, text } = await send(url, { path: "/openapi.json" });
    expect(status).toBe(200);
    return JSON.parse(text) as Described;
  }
  const operations = ({ paths }: Described) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  /** The contract, written out by hand. */
  const ROUTES = [
    "delete /sessions/{id}",
    "get /healthz",
    "get /meta",
    "get /metrics",
    "get /openapi.json",
    "get /questions",
    "get /questions/{id}",
    "get /readyz",
    "get /sessions",
    "get /sessions/{id}",
    "get /sessions/{id}/events",
    "get /sessions/{id}/history",
    "get /sessions/{id}/turns",
    "post /questions/{id}",
    "post /sessions",
    "post /sessions/{id}/cancel",
    "post /sessions/{id}/turns",
  ];

  test("names every route, what its path needs, and which three need no token", async () => {
    const { url } = await serving();
    const document = await described(url);
    expect(document.openapi).toBe("3.1.0");
    const all = operations(document);
    expect(all.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(ROUTES);
    expect(all.filter(({ operation }) => operation.security).map(({ path }) => path)).toEqual([
      "/meta",
      "/healthz",
      "/readyz",
    ]);
    for (const { path, operation } of all) {
      const named = (operation.parameters ?? []).filter((one) => one.in === "path").map(({ name }) => name);
      expect(named, path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(Object.keys(operation.responses), path).toContain("default");
    }
  });

  test("names no route that is not there", async () => {
    const { url } = await serving();
    for (const { path, method, operation } of operations(await described(url))) {
      const place = path.replace("{id}", "nobody");
      const body = operation.requestBody ? {} : undefined;
      const { text } = await send(url, { method: method.toUpperCase(), path: place, body });
      expect(text, `${method} ${path}`).not.toContain(`There is no ${method.toUpperCase()} `);
    }
  });

  test("describes bodies as they are taken: what it calls valid is, and what it does not is not", async () => {
    const { url } = await serving();
    const document = await described(url);
    const ajv = new Ajv2020({ strict: false });
    const schemaOf = (path: string) => {
      const schema = document.paths[path]?.["post"]?.requestBody?.content["application/json"].schema;
      expect(schema, path).toBeDefined();
      return ajv.compile(schema ?? {});
    };
    const s1 = await newSession(url);
    const samples: readonly (readonly [string, string, unknown])[] = [
      ["/sessions", "/sessions", { agent: { name: "tester" } }],
      ["/sessions", "/sessions", { agent: {} }],
      ["/sessions", "/sessions", { agent: { name: "tester", tools: [{ name: "read_file", trust: "yes" }] } }],
      ["/sessions", "/sessions", []],
      ["/sessions/{id}/turns", `/sessions/${s1}/turns`, say("Hello")],
      ["/sessions/{id}/turns", `/sessions/${s1}/turns`, { messages: [] }],
      ["/sessions/{id}/turns", `/sessions/${s1}/turns`, { messages: [{ role: "system", content: "x" }] }],
      ["/sessions/{id}/turns", `/sessions/${s1}/turns`, { messages: 5 }],
      ["/sessions/{id}/cancel", `/sessions/${s1}/cancel`, {}],
      ["/sessions/{id}/cancel", `/sessions/${s1}/cancel`, { toolCallId: 5 }],
    ];
    for (const [path, place, body] of samples) {
      const { status } = await send(url, { method: "POST", path: place, body: JSON.stringify(body) });
      expect(status === 400, JSON.stringify(body)).toBe(!schemaOf(path)(body));
    }
  });

  /** Every schema in it, by where it stands. References lead into the document. */
  function checkers(document: Described): Ajv2020 {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    ajv
      .addKeyword("components")
      .addKeyword("paths")
      .addKeyword("openapi")
      .addKeyword("info")
      .addKeyword("security");
    ajv.addSchema({ $id: "openapi", ...document });
    return ajv;
  }
  const pointer = (...parts: readonly string[]) =>
    `openapi#/${parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;

  test("holds only schemas that are schemas, and references that lead somewhere", async () => {
    const { url } = await serving();
    const document = await described(url);
    const ajv = checkers(document);
    const schemas = operations(document).flatMap(({ path, method, operation }) => [
      ...(operation.requestBody
        ? [pointer("paths", path, method, "requestBody", "content", "application/json", "schema")]
        : []),
      ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.keys(content).map((type) =>
          pointer("paths", path, method, "responses", status, "content", type, "schema"),
        ),
      ),
    ]);
    schemas.push(
      ...Object.keys(document.components.schemas).map((name) => pointer("components", "schemas", name)),
    );
    expect(schemas.length).toBeGreaterThan(40);
    for (const schema of schemas) expect(ajv.getSchema(schema), schema).toBeTypeOf("function");
  });

  test("describes what is answered: each route's answer is as its schema says", async () => {
    const steps = [
      { think: "Hm.", say: "One moment.", calls: [{ tool: "write", input: {} }] },
      { say: "Done." },
      { calls: [{ tool: "write", input: {} }] },
    ];
    const { url } = await serving(steps, {}, { tools: [counting("write", "edit").tool] });
    const document = await described(url);
    const ajv = checkers(document);
    const seen = new Set<string>();
    const check = (
      path: string,
      method: string,
      { status, headers, text }: Awaited<ReturnType<typeof send>>,
    ) => {
      const type = (headers["content-type"] ?? "").split(";")[0] ?? "";
      const key = document.paths[path]?.[method]?.responses[status] ? String(status) : "default";
      seen.add(`${method} ${path} ${key}`);
      if (status === 204) return expect(text).toBe("");
      const schema = pointer("paths", path, method, "responses", key, "content", type, "schema");
      const isRight = ajv.getSchema(schema);
      expect(isRight, schema).toBeTypeOf("function");
      const body: unknown = type === "application/json" ? JSON.parse(text) : text;
      expect(isRight?.(body), `${schema} ${text} ${JSON.stringify(isRight?.errors)}`).toBe(true);
    };
    const ask = async (method: string, path: string, place = path, body?: object) => {
      const sent = await send(url, { method: method.toUpperCase(), path: place, ...(body && { body }) });
      check(path, method, sent);
      return sent;
    };
    await ask("get", "/meta");
    const s1 = await newSession(url, [{ name: "write" }]);
    const at = (rest: string) => `/sessions/${s1}${rest}`;
    await ask("post", "/sessions", "/sessions", { agent: { name: "tester" } });
    await ask("post", "/sessions", "/sessions", { agent: {} });
    await ask("get", "/sessions");
    await ask("get", "/sessions/{id}", at(""));
    await ask("get", "/sessions/{id}", "/sessions/nobody");
    const streamed = await ask("post", "/sessions/{id}/turns", at("/turns"), say("Go", "delta"));
    await ask("get", "/sessions/{id}/turns", at("/turns?stream=none"));
    const inFrames = streamed.text
      .trimEnd()
      .split("\n\n")
      .map((frame) => frame.split("\n"));
    const isTurnEvent = ajv.getSchema(pointer("components", "schemas", "TurnEvent"));
    for (const [, event = "", data = ""] of inFrames)
      expect(isTurnEvent?.({ event: event.slice(7), data: JSON.parse(data.slice(6)) }), event).toBe(true);
    const { questions } = JSON.parse((await ask("get", "/questions")).text);
    expect(questions).toHaveLength(1);
    const unanswered = { messages: [{ role: "tool_permission", toolCallId: "call_9", granted: true }] };
    await ask("post", "/sessions/{id}/turns", at("/turns"), unanswered);
    const place = `/questions/${encodeURIComponent(questions[0].questionId)}`;
    await ask("get", "/questions/{id}", place);
    await ask("post", "/questions/{id}", place, { granted: false });
    await ask("post", "/questions/{id}", place, { granted: true });
    await until(async () => (await send(url, { path: at("/history?type=full") })).text.includes("Done."));
    for (const type of ["full", "compacted"])
      await ask("get", "/sessions/{id}/history", at(`/history?type=${type}`));
    await ask("post", "/sessions/{id}/turns", at("/turns"), say("Again"));
    await ask("post", "/sessions/{id}/turns", at("/turns"), {
      messages: [{ role: "tool_permission", toolCallId: "call_1", granted: true }],
    });
    await ask("post", "/sessions/{id}/cancel", at("/cancel"), {});
    await ask("get", "/healthz");
    await ask("get", "/readyz");
    await ask("get", "/metrics");
    await ask("get", "/openapi.json");
    await ask("delete", "/sessions/{id}", at(""));
    const good = operations(document).flatMap(({ path, method, operation }) =>
      Object.keys(operation.responses)
        .filter((status) => status !== "default")
        .map((status) => `${method} ${path} ${status}`),
    );
    // That one never ends.
    expect(good.filter((one) => !seen.has(one))).toEqual(["get /sessions/{id}/events 200"]);
  });

  test("describes the responses to refused requests", async () => {
    const { url } = await serving();
    const { components } = await described(url);
    const check = new Ajv2020({ strict: false }).compile(components.schemas["Problem"] ?? {});
    const refused = [
      await send(url, { path: "/sessions", headers: {} }),
      await send(url, { path: "/nothing" }),
      await send(url, { path: "/sessions/nobody" }),
      await send(url, { method: "POST", path: "/sessions", body: {} }),
      await send(url, { method: "PUT", path: "/sessions" }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 404, 404, 400, 405]);
    for (const { text } of refused) expect(check(JSON.parse(text)), text).toBe(true);
  });
});

test("answers a health check without a token or a query", async () => {
  const { url } = await serving();
  expect(await send(url, { path: "/healthz", headers: {} })).toMatchObject({ status: 200, text: "ok\n" });
});
