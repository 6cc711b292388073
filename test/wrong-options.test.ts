/** Wrong options, as callers in JavaScript write them: each is refused at once, by its name. */
import { describe, expect, test } from "vitest";
import { createAapServer, serveAap } from "../src/aap/index.js";
import { connect, runTurn } from "../src/aap/client/index.js";
import { AgentConnection, agentHost, serveAcp, serveWire, stdioWire, streamWire } from "../src/acp/index.js";
import { AgentSession, createAgent, LoopSession, taskTool, waitForTurn } from "../src/agent/index.js";
import { BadOption } from "../src/call/index.js";
import {
  exportSession,
  MemoryArchive,
  MemoryLedger,
  openArchive,
  openLedger,
  redact,
  redactEvent,
  redactingLedger,
  redactionPattern,
  redactJson,
  redactSession,
} from "../src/history/index.js";
import { mcpConfigFromAcp, McpServers } from "../src/mcp/index.js";
import { openModel, retrying, scriptedModel } from "../src/model/index.js";
import { SessionRecord } from "../src/record/index.js";
import { Gate, openGate } from "../src/run/index.js";
import {
  defineTool,
  fetchTool,
  jsonSchemaCheck,
  LocalWorkspace,
  openKeeper,
  openSandbox,
  Toolbox,
  webSearchTool,
} from "../src/tools/index.js";
import { folder } from "./agent-kit.js";

/** As JavaScript sees it. */
const js = (value: unknown) => value as never;
const model = scriptedModel({ steps: [{ say: "Hi." }] });
const ledger = new MemoryLedger();
const run = async () => "done";
const tool = { name: "t", description: "t", input: { type: "object" } as const, run };
const named = (name: string) => defineTool({ ...tool, name, kind: "other" });
const agent = { name: "a", model, tools: [] };
const approve = async () => true;
const loop = { name: "l", prompt: async () => undefined };
const wire = { send: () => undefined, listen: async () => undefined };
const place = { root: ".", roots: ["."], readText: async () => undefined };
const client = js({ turn: run });
const loopSession = { loop, ledger, workspace: place, sessionId: "s" };

const WRONG: readonly (readonly [string, () => unknown, string])[] = [
  [
    "createAgent without options",
    () => createAgent(js(undefined)),
    "the options must be an object, and are undefined",
  ],
  ["createAgent without a name", () => createAgent(js({ model, tools: [] })), '"name" is missing'],
  ["createAgent without a model", () => createAgent(js({ name: "a", tools: [] })), '"model" is missing'],
  [
    "a model by its name",
    () => createAgent(js({ ...agent, model: "gpt" })),
    '"model" must be a model (openModel,',
  ],
  [
    "tools that are no tools",
    () => createAgent(js({ ...agent, tools: [tool] })),
    "each item a tool (defineTool)",
  ],
  [
    "two tools of one name",
    () => createAgent(js({ ...agent, tools: [named("a"), named("b"), named("a")] })),
    'createAgent: "tools" has two tools named "a"',
  ],
  ["a field that is misspelt", () => createAgent(js({ ...agent, rule: [] })), 'there is no option "rule"'],
  [
    "rules that are no list",
    () => createAgent(js({ ...agent, rules: "allow" })),
    '"rules" must be a list, and is a text',
  ],
  [
    "a limit as a text",
    () => createAgent(js({ ...agent, limits: { timeLimit: "1s" } })),
    '"timeLimit" must be a number',
  ],
  ["an unknown limit", () => createAgent(js({ ...agent, limits: { timeout: 1 } })), 'no option "timeout"'],
  [
    "a tool without run",
    () => defineTool(js({ ...tool, run: undefined })),
    '"run" is missing; it must be a function',
  ],
  ["a tool without input", () => defineTool(js({ ...tool, input: undefined })), '"input" is missing'],
  [
    "a tool of no kind",
    () => defineTool(js({ ...tool, kind: "reading" })),
    '"kind" must be one of read, edit',
  ],
  ["a tool with execute", () => defineTool(js({ ...tool, execute: run })), 'no option "execute"'],
  ["a script without steps", () => scriptedModel(js({ step: [] })), 'no option "step"'],
  [
    "openLedger",
    () => openLedger("memory:", js({ readonly: true })),
    'no option "readonly". There are: now, readOnly',
  ],
  ["openArchive", () => openArchive("x.sqlite", js({ index: "y" })), 'no option "index"'],
  ["openGate without a ledger", () => openGate(js({ workspace: "." })), '"ledger" is missing'],
  [
    "openGate with a path for a ledger",
    () => openGate(js({ workspace: ".", ledger: "x" })),
    '"ledger" must be a ledger',
  ],
  [
    "openGate with a bad limit",
    () => openGate(js({ workspace: ".", ledger, loopLimit: -1 })),
    '"loopLimit" must be',
  ],
  ["serveAcp", () => serveAcp(createAgent(agent), js({})), '"ledger" is missing'],
  ["createAapServer", () => createAapServer(js({ agents: [], ledger })), '"workspace" is missing'],
  ["serveAap", () => serveAap([], js({ token: "t" })), '"port" is missing'],
  ["connect", () => connect("http://127.0.0.1:1", undefined, js({ timeout: 1 })), 'no option "timeout"'],
  ["McpServers without servers", () => McpServers.start(js(undefined), { approve }), '"configs" is missing'],
  ["McpServers without approve", () => McpServers.start({}, js({})), '"approve" is missing'],
  [
    "McpServers with a timeout of another name",
    () => McpServers.start({}, js({ approve, timeout: 1 })),
    'no option "timeout"',
  ],
  ["McpServers with a bad signal", () => McpServers.start({}, js({ approve, signal: 9 })), "an AbortSignal"],
  ["AgentConnection without an agent", () => AgentConnection.open(js({})), '"agent" is missing'],
  [
    "AgentConnection with a command line",
    () => AgentConnection.open(js({ agent: "gemini --acp" })),
    '"agent" must be a command ({ argv, cwd }) or a wire, and is a text',
  ],
  [
    "AgentConnection with an unknown version",
    () => AgentConnection.open(js({ agent: wire, protocol: 3 })),
    '"protocol" must be one of 1, 2, and is the number 3',
  ],
  ["LocalWorkspace without a folder", () => LocalWorkspace.open(js(undefined)), '"root" is missing'],
  [
    "LocalWorkspace with one root as a text",
    () => LocalWorkspace.open(".", js({ roots: "/tmp" })),
    '"roots" must be a list, each item a text',
  ],
  [
    "LocalWorkspace with a flag for a sandbox",
    () => LocalWorkspace.open(".", js({ sandbox: true })),
    '"sandbox" must be a sandbox (openSandbox)',
  ],
  ["openModel without a name", () => openModel(js({ apiKey: "k" })), '"name" must be a text'],
  ["openModel with a misspelt key", () => openModel("openai/x", js({ apikey: "k" })), 'no option "apikey"'],
  ["retrying", () => retrying(model, js({ retries: 3 })), 'no option "retries"'],
  [
    "openModel with a wrong retry",
    () => openModel("openai/x", js({ apiKey: "k", retry: { attempts: "3" } })),
    '"attempts" must be a number from 0, and is a text',
  ],
  [
    "LoopSession without a loop",
    () => LoopSession.open(js({ ...loopSession, loop: undefined })),
    '"loop" is missing',
  ],
  [
    "LoopSession with a loop without prompt",
    () => LoopSession.open(js({ ...loopSession, loop: { name: "l" } })),
    'loop: "prompt" is missing',
  ],
  [
    "LoopSession with a path for a workspace",
    () => LoopSession.open(js({ ...loopSession, workspace: "." })),
    '"workspace" must be a workspace',
  ],
  ["agentHost", () => agentHost(js({ agent: createAgent(agent), ledger })), '"openWorkspace" is missing'],
  ["serveWire", () => serveWire(js(wire), js({ name: "a", version: "1" })), '"openHost" is missing'],
  ["serveWire without a wire", () => serveWire(js({}), js({})), '"wire" must be a wire'],
  ["MemoryLedger", () => new MemoryLedger(js({ now: 5 })), '"now" must be a function, and is the number 5'],
  ["MemoryArchive", () => new MemoryArchive(ledger, js({ pattern: [] })), 'no option "pattern"'],
  ["redactingLedger", () => redactingLedger(ledger, js({ patterns: "a" })), '"patterns" must be a list'],
  ["exportSession", () => exportSession(js({}), "csv", js({ redact: false })), 'no option "redact"'],
  ["SessionRecord", () => SessionRecord.open(ledger, "s", js({})), '"owner" is missing'],
  ["Gate", () => new Gate(js({ workspace: place })), '"record" is missing'],
  ["taskTool", () => taskTool(js({ steps: 3 })), 'no option "steps"'],
  ["fetchTool", () => fetchTool(js({ maxBytes: "1 MB" })), '"maxBytes" must be a number'],
  ["openSandbox", () => openSandbox(js({ network: "off" })), '"network" must be true or false'],
  ["webSearchTool", () => webSearchTool(js({ type: "bing", key: "k" })), '"type" must be one of searxng'],
  ["webSearchTool without a key", () => webSearchTool(js({ type: "brave" })), '"key" is missing'],
  ["redactingLedger without a ledger", () => redactingLedger(js(undefined)), '"ledger" is missing'],
  ["redactionPattern", () => redactionPattern(js(/abc/)), '"source" must be a text'],
  [
    "redact with an expression",
    () => redact("corp-1", js([/corp-1/])),
    '"patterns" must be a list, each item a pattern',
  ],
  ["redact without a text", () => redact(js(undefined)), '"text" is missing'],
  [
    "redactJson with a text as pattern",
    () => redactJson({}, js(["corp-1"])),
    "each item a pattern (redactionPattern)",
  ],
  [
    "redactEvent with a misspelt option",
    () => redactEvent(js({}), js({ pattern: [] })),
    'no option "pattern"',
  ],
  [
    "redactSession with an expression",
    () => redactSession(js({}), js({ patterns: [/a/] })),
    '"patterns" must be',
  ],
  [
    "openArchive with a text as pattern",
    () => openArchive("x", js({ patterns: ["corp-1"] })),
    "each item a pattern",
  ],
  ["openArchive without an address", () => openArchive(js(undefined)), '"address" is missing'],
  ["openLedger without an address", () => openLedger(js(undefined)), '"address" is missing'],
  ["openLedger with options alone", () => openLedger(js({ readOnly: true })), '"address" must be a text'],
  [
    "MemoryArchive with an expression",
    () => new MemoryArchive(ledger, js({ patterns: [/a/] })),
    "each item a pattern",
  ],
  ["retrying without a model", () => retrying(js(undefined)), '"model" is missing'],
  [
    "waitForTurn without an ask",
    () => waitForTurn(js({ afterOthers: run }), js(undefined), AbortSignal.timeout(1), js(run)),
    '"ask" is missing',
  ],
  [
    "waitForTurn with a controller as its signal",
    () => waitForTurn(js({ afterOthers: run }), js(run), js(new AbortController()), js(run)),
    '"signal" must be an AbortSignal',
  ],
  ["Toolbox", () => new Toolbox(js(undefined)), '"tools" is missing'],
  ["Toolbox with one tool", () => new Toolbox(js(tool)), '"tools" must be a list'],
  ["openKeeper", () => openKeeper(js({ dir: "x" })), 'no option "dir"'],
  ["jsonSchemaCheck", () => jsonSchemaCheck(js("{}")), '"schema" must be an object'],
  ["mcpConfigFromAcp", () => mcpConfigFromAcp(js({})), '"servers" must be a list'],
  ["stdioWire", () => stdioWire(js(undefined), process.stdout), '"input" is missing'],
  ["streamWire", () => streamWire(js({ readable: 1 })), '"readable" must be a ReadableStream'],
  ["runTurn", () => runTurn(js({}), "s", {}), '"client" must be a client (connect)'],
  ["runTurn without a request", () => runTurn(client, "s", js(undefined)), '"request" is missing'],
  ["runTurn with a misspelt option", () => runTurn(client, "s", {}, js({ allow: run })), 'no option "allow"'],
  ["connect without an address", () => connect(js(undefined)), '"baseUrl" is missing'],
];

describe("a wrong option is refused at once", () => {
  test.each(WRONG)("%s", async (_, call, message) => {
    const error = await (async () => call())().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BadOption);
    expect(error).toMatchObject({ code: "BAD_OPTION", message: expect.stringContaining(message) });
    expect(error).toMatchObject({ message: expect.stringContaining("Nothing was done;") });
  });

  test("by sessions and gates that are open", async () => {
    const workspace = await LocalWorkspace.open(await folder());
    const wrong = AgentSession.open(js({ agent: createAgent(agent), ledger, workspace: "." }));
    await expect(wrong).rejects.toThrow('"workspace" must be a workspace (LocalWorkspace.open)');
    const gate = await openGate({ ledger, workspace });
    expect(() => gate.wrapTools(js([run]))).toThrow("wrapTools: the tools must be an object");
    await gate.close();
  });
});
