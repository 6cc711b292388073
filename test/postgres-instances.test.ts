/** Two and more `toolgate serve` processes on one database: who goes on with a session, and what a killed one leaves. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { postgresAddress } from "../src/history/postgres/postgres-address.js";
import { newAddress } from "../src/history/postgres/postgres-server.samples.js";
import { SqlConnections } from "../src/history/postgres/sql-connections.js";
import { say, send, TOKEN } from "./aap-http-kit.js";
import { folder } from "./agent-kit.js";
import { startServing } from "./start-serving.js";
import type { Serving } from "./start-serving.js";
import { until } from "./until.js";

let ledger: string;
beforeAll(async () => {
  ledger = await newAddress();
});

/** The server names by it the connections of each process that this file starts. */
const APPLICATION = `instances ${process.pid}`;
const command = (text: string): ScriptStep => ({ calls: [{ tool: "terminal", input: { command: text } }] });
const DONE: ScriptStep = { say: "Done." };

type Instance = Omit<Serving, "output"> & { readonly output: () => string };

async function serve(cwd: string, place: string, name = place): Promise<Instance> {
  const words = ["serve", "--port", "0", "--cwd", cwd, "--place", place];
  const env = {
    TOOLGATE_CONFIG: join(cwd, `settings-${place}`),
    TOOLGATE_TOKEN: TOKEN,
    INSTANCE_NAME: name,
    PGAPPNAME: `${APPLICATION} ${name}`,
  };
  const serving = await startServing(cwd, words, { ledger, env });
  const output = () => serving.output.stdout + serving.output.stderr;
  expect(serving.url, output()).not.toBe("");
  return { ...serving, output };
}

const post = async (at: Instance, path: string, body: object) => {
  const { status, text } = await send(at.url, { method: "POST", path, body });
  return { status, body: JSON.parse(text) as Record<string, unknown>, text };
};
const get = async (at: Instance, path: string): Promise<string> => (await send(at.url, { path })).text;

async function newSession(at: Instance, agent: object, more: object = {}): Promise<string> {
  const made = await post(at, "/sessions", { agent: { name: "toolgate", ...agent }, ...more });
  expect(made.status, made.text).toBe(201);
  return String(made.body["sessionId"]);
}

type Listed = { readonly questions: readonly { readonly questionId: string; readonly sessionId: string }[] };

async function answer(at: Instance, sessionId: string): Promise<void> {
  const { questions } = JSON.parse(await get(at, "/questions")) as Listed;
  const question = questions.find((one) => one.sessionId === sessionId);
  const answered = await post(at, `/questions/${question?.questionId}`, { optionId: "allow_once" });
  expect(answered.status, answered.text).toBe(200);
}

const TERMINAL = { tools: [{ name: "terminal" }] };
const linesOf = async (file: string) =>
  (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean);
const events = (at: Instance, sessionId: string) => get(at, `/sessions/${sessionId}/history?type=full`);

test("an answer on one instance goes on where the workspace is, and a killed one is taken over", async () => {
  const steps = [
    command("echo one >> runs"),
    command("echo two $INSTANCE_NAME >> runs; exec sleep 1000"),
    DONE,
  ];
  const cwd = await folder({ "script.json": JSON.stringify({ steps }) });
  const [first, second, far] = await Promise.all([
    serve(cwd, "here", "first"),
    serve(cwd, "here", "second"),
    serve(cwd, "far"),
  ]);
  const runs = join(cwd, "runs");
  const sessionId = await newSession(first, TERMINAL);
  const asked = await post(first, `/sessions/${sessionId}/turns`, say("Go"));
  expect(asked.text).toContain("tool_use");

  // The third instance has another place: it stores the answer, and one of the others goes on.
  await answer(far, sessionId);
  await until(async () => (await linesOf(runs)).length === 1);
  // While the other instance runs the turn, the session is busy.
  await until(async () => {
    const { status, text } = await post(far, `/sessions/${sessionId}/turns`, say("Go on"));
    expect(status, text).toBe(409);
    return text.includes("is at here");
  });

  // The second call asks too; the instance that runs it is killed in the middle of it.
  await until(async () => (await get(first, "/questions")).includes(sessionId));
  await answer(second, sessionId);
  await until(async () => (await linesOf(runs)).length === 2);
  const [, running = ""] = await linesOf(runs);
  const [killed, other] = running === "two first" ? [first, second] : [second, first];
  await killed.stop("SIGKILL");
  await until(
    async () => (await events(other, sessionId)).includes("Done."),
    () => other.output() + far.output(),
  );
  expect(await linesOf(runs)).toEqual(["one", running]);
  expect(await events(other, sessionId)).toContain("The call will not be run again by itself.");
  // A turn that goes on with an answer seen here is not counted, and one that is taken over a moment after its end.
  expect(await get(other, "/metrics")).toMatch(/^toolgate_take_overs_total [012]$/m);
  expect(await get(other, "/readyz")).toBe("ready\n");

  // A server whose turns are parked ends at once.
  const last = await newSession(other, TERMINAL);
  expect((await post(other, `/sessions/${last}/turns`, say("Go"))).text).toContain("tool_use");
  expect(await other.stop("SIGTERM")).toBe(143);
  for (const at of [other, far]) expect(at.output()).not.toMatch(/\n\s+at /);
});

test("a session whose tools live in its app goes on anywhere", async () => {
  const steps: readonly ScriptStep[] = [{ calls: [{ tool: "look_up", input: {} }] }, DONE];
  const cwd = await folder({ "script.json": JSON.stringify({ steps }) });
  const [here, far] = await Promise.all([serve(cwd, "here"), serve(cwd, "far")]);
  const tool = { name: "look_up", description: "Looks up.", parameters: { type: "object" } };
  const sessionId = await newSession(here, {}, { tools: [tool] });
  const asked = await post(here, `/sessions/${sessionId}/turns`, say("Go"));
  expect(asked.text).toContain("tool_use");
  await here.stop("SIGKILL");
  const messages = [{ role: "tool", toolCallId: "call_1", content: "found" }];
  const over = await post(far, `/sessions/${sessionId}/turns`, { stream: "none", messages });
  expect([over.status, over.text]).toEqual([200, expect.stringContaining("Done.")]);
});

test("an instance has at most four connections, with many sessions, followers, searches and lists at once", async () => {
  const cwd = await folder({ "script.json": JSON.stringify({ steps: [DONE] }) });
  const at = await serve(cwd, "connections");
  const sql = await SqlConnections.open(postgresAddress(ledger));
  onTestFinished(() => sql.close());
  const counts: number[] = [];
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      const rows = await sql.run<[name: string], { count: number }>(
        { sql: "select count(*) as count from pg_stat_activity where application_name = $1" },
        `${APPLICATION} connections`,
      );
      counts.push(rows[0]?.count ?? 0);
    }
  })();
  const use = async () => {
    const sessionId = await newSession(at, {});
    expect((await post(at, `/sessions/${sessionId}/turns`, say("Go"))).text).toContain("Done.");
    await events(at, sessionId);
  };
  const pages = [
    "/sessions",
    "/api/sessions",
    "/api/history?text=done",
    "/api/statistics",
    "/questions",
    "/readyz",
    "/metrics",
  ];
  await Promise.all([
    ...Array.from({ length: 20 }, use),
    ...pages.flatMap((path) => [get(at, path), get(at, path)]),
  ]);
  over.abort();
  await looking;
  expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  expect(Math.max(...counts)).toBeGreaterThan(1);
});
