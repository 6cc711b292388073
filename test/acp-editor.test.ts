/** An editor that offers its files and terminals, played by the SDK's own client app, and our agent behind the door. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentHost } from "../src/acp/agent/agent-host.js";
import { FakeEditor } from "../src/acp/agent/fake-editor.samples.js";
import { serveWire } from "../src/acp/agent/serve-wire.js";
import { schemaCheck, VERSIONS } from "../src/acp/codec.samples.js";
import { streamWire } from "../src/acp/connection/stream-wire.js";
import { MemoryLedger } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import type { Rule } from "../src/policy/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { folder, scripted } from "./agent-kit.js";

const isValid = schemaCheck(VERSIONS[0]);
const ALL: acp.ClientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

async function session(
  steps: readonly ScriptStep[],
  files: Record<string, string>,
  capabilities: acp.ClientCapabilities,
) {
  const cwd = await folder(files);
  const rules: readonly Rule[] = [{ allow: "*", anyFlags: true }, { allow: "edit" }];
  const agent = scripted(steps, { rules });
  const host = agentHost({
    agent,
    ledger: new MemoryLedger(),
    openWorkspace: (path) => LocalWorkspace.open(path),
  });
  const [there, back] = [new TransformStream<acp.AnyMessage>(), new TransformStream<acp.AnyMessage>()];
  const wire = streamWire({ readable: there.readable, writable: back.writable });
  const serving = serveWire(wire, {
    name: "tester",
    version: "1",
    openHost: async () => host,
  });
  const editor = new FakeEditor();
  const updates: acp.SessionUpdate[] = [];
  const { fs, terminal, session: shown } = acp.methods.client;
  const serve =
    <Result>(method: string) =>
    (asked: { readonly params: unknown }) =>
      editor.request(method, asked.params) as Promise<Result>;
  const app = acp
    .client({ name: "an editor" })
    .onNotification(shown.update, ({ params }) => void updates.push(params.update))
    .onRequest(fs.readTextFile, serve<acp.ReadTextFileResponse>("fs/read_text_file"))
    .onRequest(fs.writeTextFile, serve<acp.WriteTextFileResponse>("fs/write_text_file"))
    .onRequest(terminal.create, serve<acp.CreateTerminalResponse>("terminal/create"))
    .onRequest(terminal.output, serve<acp.TerminalOutputResponse>("terminal/output"))
    .onRequest(terminal.waitForExit, serve<acp.WaitForTerminalExitResponse>("terminal/wait_for_exit"))
    .onRequest(terminal.kill, serve<acp.KillTerminalResponse>("terminal/kill"))
    .onRequest(terminal.release, serve<acp.ReleaseTerminalResponse>("terminal/release"));
  const connection = app.connect({ readable: back.readable, writable: there.writable });
  onTestFinished(async () => {
    editor.endAll();
    await Promise.all([wire.close(), serving]);
    connection.close();
  });
  const client = connection.agent;
  await client.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  });
  const { sessionId } = await client.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
  const prompt = () =>
    client.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] });
  const load = async () => {
    updates.length = 0;
    await client.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    return updates;
  };
  return { cwd, editor, updates, prompt, load, client, sessionId };
}

const contents = (updates: readonly acp.SessionUpdate[]) =>
  updates.flatMap((update) =>
    (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") && update.content
      ? [update.content]
      : [],
  );

const run = (command: string): ScriptStep => ({ calls: [{ tool: "terminal", input: { command } }] });

describe("editors with all capabilities", () => {
  test("edits an editor's unsaved text through the editor", async () => {
    const edit = { tool: "edit_file", input: { path: "a.txt", oldText: "typed", newText: "edited" } };
    const { cwd, editor, prompt, updates } = await session(
      [{ calls: [edit] }, { say: "done" }],
      { "a.txt": "saved" },
      ALL,
    );
    const path = join(cwd, "a.txt");
    editor.buffers.set(path, "saved and typed");
    expect(await prompt()).toMatchObject({ stopReason: "end_turn" });
    expect(await readFile(path, "utf8")).toBe("saved and edited");
    expect(contents(updates)).toContainEqual([
      { type: "diff", path, oldText: "saved and typed", newText: "saved and edited" },
    ]);
    expect(editor.times("fs/write_text_file")).toBe(1);
  });

  test("runs commands in the editor's terminal, shows and releases it, and loads its output as text", async () => {
    const { editor, prompt, updates, load } = await session([run("echo hello"), { say: "done" }], {}, ALL);
    await prompt();
    expect(contents(updates)).toContainEqual([{ type: "terminal", terminalId: "window-1" }]);
    expect(editor.released).toEqual(["window-1"]);
    for (const update of updates) expect(isValid(update)).toBeNull();
    expect(contents(await load())).toEqual([
      [{ type: "content", content: { type: "text", text: "hello\n" } }],
    ]);
  });

  test("kills the command in the editor's terminal before a cancelled turn is over", async () => {
    const { editor, prompt, client, sessionId } = await session([run("sleep 60")], {}, ALL);
    const turn = prompt();
    while (editor.terminals.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await client.notify(acp.methods.agent.session.cancel, { sessionId });
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(editor.released).toEqual(["window-1"]);
    expect(editor.terminals.get("window-1")?.child.signalCode).toBe("SIGKILL");
  });
});

test("requests nothing from an editor without capabilities", async () => {
  const edit = { tool: "edit_file", input: { path: "a.txt", oldText: "saved", newText: "edited" } };
  const { editor, prompt, updates } = await session(
    [{ calls: [edit] }, run("echo hello"), { say: "done" }],
    { "a.txt": "saved" },
    {},
  );
  await prompt();
  expect(editor.asked).toEqual([]);
  expect(contents(updates)).toContainEqual([{ type: "content", content: { type: "text", text: "hello\n" } }]);
});

test("sends our terminals in _meta to an editor that asks for it, live and on load", async () => {
  const asks = { _meta: { terminal_output: true } };
  const { prompt, updates, load } = await session([run("echo hello; exit 3"), { say: "done" }], {}, asks);
  await prompt();
  const terminalMeta = (all: readonly acp.SessionUpdate[]) =>
    all.flatMap((update) => {
      const { toolgate: _, ...meta } = update._meta ?? {};
      return Object.keys(meta).length > 0 ? [{ on: update.sessionUpdate, ...meta }] : [];
    });
  const { terminal_info: info } = terminalMeta(updates)[0] as { terminal_info?: { terminal_id: string } };
  const of = { terminal_id: info?.terminal_id };
  expect(terminalMeta(updates)).toEqual([
    { on: "tool_call", terminal_info: of },
    { on: "tool_call_update", terminal_output: { ...of, data: "hello\n" } },
    { on: "tool_call_update", terminal_exit: { ...of, exit_code: 3, signal: null } },
  ]);
  for (const update of updates) expect(isValid(update)).toBeNull();
  expect(terminalMeta(await load())).toEqual([
    { on: "tool_call", terminal_info: of },
    {
      on: "tool_call_update",
      terminal_output: { ...of, data: "hello\n" },
      terminal_exit: { ...of, exit_code: 3, signal: null },
    },
  ]);
});
