/** One letter of a stored event changed: each way to the session says that its log is damaged, and where to look. */
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { serveAap } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import { openArchive, openLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import { openGate } from "../src/run/index.js";
import { builtInTools } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";
import { atHome } from "./cli-kit.js";

const TOKEN = "a".repeat(20);
const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const WORDS = /is damaged: an event does not fit those before it\..*toolgate history verify/;

function damage(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("update events set event = replace(event, 'call-announced', 'call-Xnnounced')");
  database.close();
}

test("over HTTP it is LEDGER_DAMAGED, with the way to find the event", async () => {
  const file = join(await folder(), "ledger.db");
  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  const agent = createAgent({
    name: "a",
    model: scriptedModel({
      steps: [
        { calls: [{ tool: "read_file", input: { path: "no.txt" } }] },
        { say: "One." },
        { say: "Two." },
      ],
    }),
    tools: builtInTools,
    rules: [{ allow: "*" }],
  });
  const serve = async () => {
    const server = await serveAap(agent, { port: 0, token: TOKEN, ledger, onError: () => undefined });
    onTestFinished(() => server.close());
    const send = async (path: string, body?: object) => {
      const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
      const response = await fetch(`${server.url}${path}`, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    return { server, send };
  };
  const turn = { messages: [{ role: "user", content: "go" }] };
  const { server, send: first } = await serve();
  const tools = [{ name: "read_file", trust: true }];
  const { sessionId } = (await first("/sessions", { agent: { name: "a", tools } })).body;
  expect(await first(`/sessions/${String(sessionId)}/turns`, turn)).toMatchObject({ status: 200 });
  await server.close();
  damage(file);
  const { send } = await serve();
  const refused = {
    status: 500,
    body: { error: { code: "LEDGER_DAMAGED", message: expect.stringMatching(WORDS) } },
  };
  expect(await send(`/sessions/${String(sessionId)}/history?type=full`)).toMatchObject(refused);
  for (const stream of ["none", "delta", "message"])
    expect(await send(`/sessions/${String(sessionId)}/turns`, { stream, ...turn })).toMatchObject(refused);
});

test("the library and the commands say the same, and verify names the event", async () => {
  const { runHere: run, home, script, project } = await atHome();
  const file = join(home, "ledger.db");
  const steps = script([{ calls: [{ tool: "read_file", input: { path: "no.txt" } }] }, { say: "Done." }]);
  const words = ["--ledger", file, "--script", steps];
  expect(await run(["run", "go", "--mode", "allow-all", ...words])).toMatchObject({ status: 0 });
  damage(file);
  for (const command of [
    ["run", "more", "--resume", ...words],
    ["history", "show", "--ledger", file],
    ["history", "export", "--format", "ndjson", "--ledger", file],
    ["undo", "call_1", "--ledger", file],
  ])
    expect(await run(command)).toMatchObject({ status: 1, stderr: expect.stringMatching(WORDS) });
  const verified = await run(["history", "verify", "--ledger", file]);
  expect(verified).toMatchObject({ status: 1, stdout: expect.stringContaining('"problem":"changed"') });

  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  const sessionId = (await ledger.sessions())[0]?.sessionId ?? "";
  const damaged = { code: "LEDGER_DAMAGED", message: expect.stringMatching(WORDS) };
  await expect(
    openGate({ ledger, workspace: project, tools: builtInTools, sessionId }),
  ).rejects.toMatchObject(damaged);
  const archive = await openArchive(file);
  onTestFinished(() => archive.close());
  const all = async () => {
    for await (const _ of archive.export(sessionId, "ndjson"));
  };
  await expect(all()).rejects.toMatchObject(damaged);
});
