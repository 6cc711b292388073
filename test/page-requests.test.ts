/** The page's API as a program's author uses it: wrong words are refused, filters find what they name, rules are counted. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { ServeClient } from "../src/serve/client/index.js";
import { atHome, command } from "./cli-kit.js";
import type { Home } from "./cli-kit.js";
import { startPage, watch } from "./page-kit.js";
import { until } from "./until.js";

type Body = { readonly [name: string]: unknown };
type Reply = { readonly status: number; readonly body: Body };
type FoundPage = { readonly calls: readonly { title: string }[]; readonly messages: readonly unknown[] };

/** A server whose agent plays the steps, and a program with its token. */
async function program(steps: readonly ScriptStep[], home: Home, words: readonly string[] = []) {
  const script = join(home.home, "script.json");
  writeFileSync(script, JSON.stringify({ steps }));
  const server = await startPage(home, [
    "serve",
    "--port",
    "0",
    "--script",
    script,
    "--no-contain",
    ...words,
  ]);
  const token = readFileSync(join(home.home, "config", "toolgate", "token"), "utf8").trim();
  const send = async (method: string, path: string, body?: Body): Promise<Reply> => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Body) };
  };
  const stateOf = async (sessionId: string) =>
    (await send("GET", `/api/sessions/${sessionId}`)).body["state"];
  const start = async (text: string): Promise<string> => {
    const { body } = await send("POST", "/api/sessions", { prompt: [{ type: "text", text }] });
    return String(body["sessionId"]);
  };
  const run = async (text: string): Promise<string> => {
    const sessionId = await start(text);
    await until(async () => (await stateOf(sessionId)) === "idle");
    return sessionId;
  };
  const found = async (query: Readonly<Record<string, string>>): Promise<FoundPage> => {
    const { body } = await send("GET", `/api/history?${new URLSearchParams(query).toString()}`);
    return body as FoundPage; // The archive's own tests check its form.
  };
  return { send, start, stateOf, run, found, server, token };
}

test("refuses misspelled fields, filters and modes by their names, and does nothing", async () => {
  const home = await atHome();
  const { send, run } = await program([{ say: "Done." }], home);
  const sessionId = await run("Say it");
  const refused = async (method: string, path: string, body: Body | undefined, word: string) => {
    const reply = await send(method, path, body);
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([400, expect.stringContaining(word)]);
  };
  const session = `/api/sessions/${sessionId}`;
  // Each of them would have done more than its author wanted.
  await refused("POST", `${session}/undo`, { turnId: "turn_2", dryrun: true }, "dryrun");
  await refused("POST", `${session}/cancel`, { toolcallId: "call_1" }, "toolcallId");
  const rule = { allow: "execute", command: "make *" };
  await refused("POST", "/api/rules", { rule, expire: "hour" }, "expire");
  await refused("POST", "/api/rules/test", { command: "ls", cwd: "/" }, "cwd");
  await refused("POST", "/api/devices/pair", { roles: "watch" }, "roles");
  await refused("GET", "/api/history?statu=failed", undefined, "statu");
  await refused("GET", "/api/history?status=broken", undefined, "status");
  await refused("GET", "/api/sessions?states=waiting", undefined, "states");
  await refused("GET", "/api/questions?status=open", undefined, "status");
  await refused("GET", `${session}/events?form=1`, undefined, "form");
  await refused("POST", session, { modeId: "readonly" }, 'no mode \\"readonly\\", only ask');
  const prompt = [{ type: "text", text: "Say it again" }];
  await refused("POST", "/api/sessions", { prompt, modeId: "readonly" }, "no mode");
  expect((await send("GET", session)).body).toMatchObject({ modeId: "ask", state: "idle" });
  expect((await send("GET", "/api/sessions")).body["sessions"]).toHaveLength(1);
  expect((await send("GET", "/api/rules")).body["rules"]).not.toContainEqual(
    expect.objectContaining({ from: "grant" }),
  );
  expect((await send("POST", session, { modeId: "read-only" })).body).toMatchObject({ modeId: "read-only" });
});

test("finds calls by the paths that they name, and not by texts that have the same words", async () => {
  const home = await atHome();
  mkdirSync(join(home.project, "src", "deep"), { recursive: true });
  for (const file of ["notes.md", "src/total.js", "src/deep/tax.ts"])
    writeFileSync(join(home.project, file), "see src/total.js and tax.ts\n");
  const read = (path: string) => ({ tool: "read_file", input: { path } });
  const { run, found } = await program(
    [
      { calls: [read("notes.md"), read("src/total.js"), read("src/deep/tax.ts")] },
      { calls: [command("wc -l src/total.js")] },
      { say: "All of src is read." },
    ],
    home,
  );
  await run("Read src/total.js");
  const titles = async (path: string) => (await found({ path })).calls.map(({ title }) => title).sort();
  const [notes, total, tax, count] = [
    "Read notes.md",
    "Read src/total.js",
    "Read src/deep/tax.ts",
    "Run wc -l src/total.js",
  ];
  expect(await titles("src/total.js")).toEqual([total, count]);
  for (const path of ["src", "src/", "src/**", join(home.project, "src")])
    expect(await titles(path)).toEqual([tax, total, count]);
  expect(await titles("*.ts")).toEqual([tax]);
  expect(await titles("src/tot*")).toEqual([total, count]);
  expect(await titles("**/deep/*")).toEqual([tax]);
  expect(await titles("notes.md")).toEqual([notes]);
  expect(await titles("deep/total.js")).toEqual([]);
  // A message has no path and was decided on by nobody.
  expect((await found({ text: "src" })).messages).toHaveLength(2);
  for (const filter of [{ path: "src" }, { decidedBy: "rule" }, { status: "done" }, { agent: "another" }])
    expect((await found({ text: "src", ...filter })).messages).toEqual([]);
});

test("counts a rule for each call that it let through, also together with others", async () => {
  const home = await atHome();
  writeFileSync(join(home.project, "Makefile"), "lint:\n\ttrue\ncheck:\n\ttrue\n");
  mkdirSync(join(home.home, "config", "toolgate"), { recursive: true });
  const rules = ["make lint", "make check"].map((name) => ({ allow: "execute", command: name }));
  writeFileSync(join(home.home, "config", "toolgate", "rules.json"), JSON.stringify({ rules }));
  const { run, send } = await program(
    [{ calls: [command("make lint")] }, { calls: [command("make lint && make check")] }, { say: "Done." }],
    home,
  );
  await run("Lint");
  const listed = (await send("GET", "/api/rules")).body["rules"];
  expect(listed).toMatchObject([
    { text: 'allow execute "make lint"', uses: 2 },
    { text: 'allow execute "make check"', uses: 1 },
    {},
    {},
    {},
  ]);
  expect((await send("GET", "/api/statistics")).body["byRule"]).toMatchObject([
    { key: 'allow execute "make lint"', calls: 2, ranMs: { p50: expect.any(Number) } },
    { key: 'allow execute "make check"', calls: 1, ranMs: { p50: expect.any(Number) } },
  ]);
});

test("pushes that a question expired, goes on with its turn, and does so after a restart too", async () => {
  const home = await atHome();
  const steps = [{ calls: [command("touch made")] }, { say: "Done." }];
  const first = await program(steps, home, ["--question-lifetime", "3"]);
  const client = new ServeClient({ baseUrl: first.server.url, apiKey: first.token });
  const { frames, stop } = watch(client);
  const changes = () =>
    frames.flatMap((frame) =>
      frame.type === "question" ? [[frame.change, frame.question.isAnswerable]] : [],
    );
  const sessionId = await first.run("Touch it");
  await until(() => changes().length === 3);
  expect(changes()).toEqual([
    ["asked", true],
    ["aged", false],
    ["withdrawn", false],
  ]);
  const { body } = await first.send("GET", `/api/history?sessionId=${sessionId}`);
  expect(body["calls"]).toMatchObject([{ status: "refused", rule: "questions expire" }]);
  stop();

  const left = await first.start("Touch it again");
  await until(async () => (await client.questions({ state: "open" })).questions.length > 0);
  const { expiresAt = 0 } = (await client.questions({ state: "open" })).questions[0] ?? {};
  await first.server.stop("SIGKILL");
  await until(() => Date.now() > expiresAt);
  const second = await program(steps, home);
  await until(async () => (await second.stateOf(left)) === "idle");
});
