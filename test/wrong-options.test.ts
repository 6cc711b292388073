/** Wrong options, as callers in JavaScript write them: each is refused at once, by its name. */
import { describe, expect, test } from "vitest";
import { createAapServer, serveAap } from "../src/aap/index.js";
import { connect, messagesFromEvents, pendingCalls, runTurn } from "../src/aap/client/index.js";
import {
  AgentConnection,
  agentHost,
  commandWords,
  serveAcp,
  serveWire,
  stdioWire,
  streamWire,
  V1Reader,
} from "../src/acp/index.js";
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
  replaySession,
} from "../src/history/index.js";
import { mcpConfigFromAcp, McpServers } from "../src/mcp/index.js";
import { costOf, knownPrice, openModel, retrying, scriptedModel } from "../src/model/index.js";
import {
  allowsCommand,
  decide,
  hostReach,
  inMode,
  namesCommand,
  proposeDenials,
  proposeGrants,
  readShell,
  userPrograms,
} from "../src/policy/index.js";
import { SessionRecord } from "../src/record/index.js";
import {
  Gate,
  mustBeRules,
  openGate,
  openQuestions,
  recoveryEvents,
  undoCall,
  waitForAnswers,
} from "../src/run/index.js";
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
import { callCard, callText, sessionMarkdown, sessionText } from "../src/view/index.js";
import { ServeClient } from "../src/serve/client/index.js";
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
const archive = new MemoryArchive(ledger);
const intent = js({
  tool: "edit_file",
  kind: "edit",
  input: {},
  cwd: "/ws",
  paths: [],
  hosts: [],
  baseHashes: {},
});
const policy = { rules: [], roots: ["/ws"], home: "/" };
const loopSession = { loop, ledger, workspace: place, sessionId: "s" };

const WRONG: readonly (readonly [string, () => unknown, string])[] = [
  [
    "createAgent without options",
    () => createAgent(js(undefined)),
    "the options must be an object, and are undefined",
  ],
  [
    "a window of no tokens",
    () => createAgent(js({ ...agent, contextWindow: 0 })),
    "must be a number above 0",
  ],
  [
    "a step of a script that is misspelt",
    () => scriptedModel(js({ steps: [{ say: "Hi." }, { sy: "Hi." }] })),
    '"steps" is no script',
  ],
  [
    "a call of a script without its tool",
    () => scriptedModel(js({ steps: [{ calls: [{ tol: "x" }] }] })),
    '"steps" is no script',
  ],
  [
    "an input that is no schema",
    () => defineTool(js({ ...tool, input: { type: "objekt" } })),
    '"input" is no usable schema',
  ],
  [
    "a session of an agent that createAgent did not make",
    () => AgentSession.open(js({ agent: {}, ledger, workspace: place })),
    '"agent" must be an agent (createAgent)',
  ],
  ["a server without agents", () => serveAap([], { port: 0, token: "a".repeat(20) }), '"agents" is empty'],
  [
    "an agent with a title that is misspelt",
    () => serveAap(js({ agent: createAgent(agent), titel: "A" }), { port: 0, token: "a".repeat(20) }),
    'there is no option "titel"',
  ],
  [
    "an option of an agent without a type",
    () =>
      serveAap(js({ agent: createAgent(agent), options: [{ typ: "text" }] }), {
        port: 0,
        token: "a".repeat(20),
      }),
    "each item an option with a name and a type",
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
  [
    "a tool with a line end in its name",
    () => named("act\nAllow this?"),
    '"name" must be a name of up to 128',
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
  [
    "exportSession",
    () => exportSession(js({ timeline: [] }), "csv", js({ redact: false })),
    'no option "redact"',
  ],
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
    () => redactSession(js({ timeline: [] }), js({ patterns: [/a/] })),
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
  [
    "waitForAnswers with a promise of a ledger",
    () => waitForAnswers(js({ ledger: Promise.resolve(ledger), question: {}, ask: run })),
    '"ledger" must be a ledger',
  ],
  ["waitForAnswers without options", () => waitForAnswers(js(undefined)), "the options must be an object"],
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
  [
    "forgetting with a misspelt keepLast",
    () => archive.forget(js({ olderThanMs: 0, keeplast: 5 })),
    'archive.forget: there is no option "keeplast"',
  ],
  ["forgetting older than nothing", () => archive.forget(js({ olderThanMs: null })), '"olderThanMs" must be'],
  [
    "forgetting one id as a text",
    () => archive.forget(js({ sessionIds: "ab" })),
    '"sessionIds" must be a list',
  ],
  ["verifying with misspelt heads", () => archive.verify(js({ head: [] })), 'no option "head"'],
  ["verifying with heads that are none", () => archive.verify(js({ heads: [{}] })), "each item a head"],
  ["a search without a text", () => archive.search(js({})), '"text" is missing'],
  ["sessions with a misspelt limit", () => archive.sessions(js({ limt: 1 })), 'no option "limt"'],
  ["calls since a date", () => archive.calls(js({ since: new Date() })), '"since" must be a number'],
  ["statistics by nothing", () => archive.statistics(js({})), '"by" is missing'],
  ["usage of a folder of another type", () => archive.modelUsage(js({ cwd: 5 })), '"cwd" must be a text'],
  [
    "an export with secrets by a misspelt option",
    () => archive.export("s", "csv", js({ redact: false })),
    'no option "redact"',
  ],
  ["watch", () => ledger.watch(js("x")), '"onChange" must be a function, and is a text'],
  ["exportSession without a session", () => exportSession(js({}), "csv"), '"session" must be a session'],
  ["exportSession in no format", () => exportSession(js({ timeline: [] }), js("pdf")), "one of ndjson, csv"],
  ["replaySession", () => replaySession("s", js(undefined)), '"events" is missing'],
  ["a mode that is misspelt", () => inMode(js("readonly"), []), '"mode" must be one of ask, accept-edits'],
  ["a verdict without rules", () => decide(intent, js({ roots: [], home: "/" })), '"rules" is missing'],
  [
    "a verdict with a default that is misspelt",
    () => decide(intent, js({ ...policy, default: "alow" })),
    '"default" must be one of allow, ask, deny',
  ],
  [
    "a verdict by a denial whose host is no text",
    () => decide(intent, js({ ...policy, rules: [{ deny: "edit", host: ["a.com"] }] })),
    '"host" of the rule {"deny":"edit","host":["a.com"]} must be a text',
  ],
  [
    "a verdict by a denial that is misspelt",
    () => decide(intent, js({ ...policy, rules: [{ den: "edit" }] })),
    "must have just one of allow, ask and deny",
  ],
  ["allowsCommand", () => allowsCommand("ls", js(undefined)), '"argv" is missing'],
  ["namesCommand", () => namesCommand(js(5), []), '"pattern" must be a text or a list'],
  ["readShell", () => readShell(js(undefined)), '"text" is missing'],
  ["hostReach", () => hostReach(js(5)), '"host" must be a text'],
  ["userPrograms", () => userPrograms(js("x")), '"files" must be a list'],
  ["proposeGrants", () => proposeGrants(js({}), js({})), '"paths" is missing'],
  ["proposeDenials", () => proposeDenials(intent, js({ roots: "/" })), '"roots" must be a list'],
  ["openQuestions", () => openQuestions(js(undefined)), '"book" is missing'],
  ["recoveryEvents", () => recoveryEvents(js({}), Date.now), '"record" must be a record'],
  ["rules that are none", () => mustBeRules(js(undefined)), '"rules" is missing'],
  ["undoCall", () => undoCall(js({}), js(place), "call_1"), '"record" must be a record'],
  ["knownPrice", () => knownPrice(js(undefined)), '"name" is missing'],
  ["costOf", () => costOf(js(undefined), undefined), '"usage" is missing'],
  ["commandWords", () => commandWords(js(undefined)), '"text" is missing'],
  [
    "V1Reader",
    () => new V1Reader(js({ session: {}, cwd: "/", mode: "lax" })),
    '"mode" must be one of strict',
  ],
  ["ServeClient", () => new ServeClient(js({ url: "http://a" })), 'no option "url"'],
  ["pendingCalls", () => pendingCalls(js(undefined), []), '"history" is missing'],
  ["messagesFromEvents", () => messagesFromEvents(js(undefined)), '"events" is missing'],
  ["sessionText", () => sessionText(js({})), '"session" must be a session (replaySession)'],
  ["sessionMarkdown", () => sessionMarkdown(js(undefined)), '"session" is missing'],
  ["callCard", () => callCard(js({ maxLines: 5 })), '"call" must be a tool call'],
  [
    "callText with a misspelt width",
    () => callText(js({ content: [] }), js({ widht: 40 })),
    'no option "widht"',
  ],
];

// Such a denial would deny nothing, and nobody would notice.
test.each([
  [{ deny: "edit", path: ["/ws/**"] }, '"path" of the rule {"deny":"edit","path":["/ws/**"]} must be a text'],
  [{ deny: "execute", command: ["rm", 5] }, '"command" of the rule'],
  [{ deny: "edit", host: "https://a.com/x" }, '"host" is "https://a.com/x", which is not a host'],
  [{ deny: "execute", command: "git pu*h" }, "a * counts only at the end of a word"],
  [{ allow: "edit", path: "src/**" }, '"path" is "src/**", which matches nothing'],
  [
    { allow: "execute", command: "git log *", examples: { match: ["git push"] } },
    'does not match "git push"',
  ],
  ["deny edit", "a rule must be an object"],
  [null, "a rule must be an object"],
])("the rule %j is refused", async (rule, message) => {
  const refused = { code: "BAD_RULE", message: expect.stringContaining(message) };
  expect(() => createAgent(js({ ...agent, rules: [rule] }))).toThrow(expect.objectContaining(refused));
  await expect(openGate(js({ ledger, workspace: place, rules: [rule] }))).rejects.toMatchObject(refused);
});

describe("wrong options", () => {
  test.each(WRONG)("refuses a wrong option: %s", async (_, call, message) => {
    const error = await (async () => call())().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BadOption);
    expect(error).toMatchObject({ code: "BAD_OPTION", message: expect.stringContaining(message) });
    expect(error).toMatchObject({ message: expect.stringContaining("Nothing was done;") });
  });

  test("refuses wrong options of open sessions and gates", async () => {
    const workspace = await LocalWorkspace.open(await folder());
    const opened = AgentSession.open(js({ agent: createAgent(agent), ledger, workspace: "." }));
    await expect(opened).rejects.toThrow('"workspace" must be a workspace (LocalWorkspace.open)');
    const gate = await openGate({ ledger, workspace });
    expect(() => gate.wrapTools(js([run]))).toThrow("wrapTools: the tools must be an object");
    expect(() => gate.wrapTools(js({ look: 5 }))).toThrow('"look" must be a function or a tool');
    for (const call of [undefined, { nam: "t" }, { name: 5 }])
      await expect(gate.call(js(call))).rejects.toThrow('each call must be an object with a "name"');
    await expect(gate.submit(js(5))).rejects.toBeInstanceOf(BadOption);
    for (const call of [
      gate.proceed(js(undefined)),
      gate.finish(js(undefined)),
      gate.finish("call_1", js(5)),
      gate.undo("call_1", js({ hunk: [1] })),
      gate.undo("call_1", js({ hunks: "1" })),
      gate.call({ name: "t", input: {} }, js({ aborted: false })),
    ])
      await expect(call).rejects.toBeInstanceOf(BadOption);
    expect(() => gate.announce(js(undefined))).toThrow('"name" is missing');
    expect(() => gate.wrapCallTool(js({}))).toThrow('"agent" must be an agent with a method callTool');
    expect([...gate.book.calls()]).toEqual([]);
    await gate.close();
    const session = await AgentSession.open({ agent: createAgent(agent), ledger, workspace });
    for (const blocks of ["Hi", [{ typ: "text" }]])
      await expect(session.prompt(js(blocks), new AbortController().signal)).rejects.toThrow(
        "the message must be a list of content blocks",
      );
    const hi = [{ type: "text" as const, text: "Hi" }];
    for (const call of [
      session.prompt(hi, js(undefined)),
      session.prompt(hi, js(new AbortController())),
      session.advance(js(undefined)),
      session.compact(js(undefined)),
      session.setMode(js(5)),
      session.setMode(""),
      session.describe(js(undefined)),
      session.begin(js(undefined)),
      session.aside(js(undefined), "x"),
      session.aside(hi, js(undefined)),
    ])
      await expect(call).rejects.toBeInstanceOf(BadOption);
    expect(() => session.onRecorded(js("x"))).toThrow('"subscriber" must be a function');
    expect((await ledger.read(session.sessionId)).map(({ event }) => event.type)).toEqual(["info-changed"]);
    await session.close();
  });
});

test("limits, host names and an archive's ledger are refused by their names", async () => {
  const made = createAgent({ name: "a", model: scriptedModel({ steps: [{ say: "x" }] }), tools: [] });
  const served = (more: object) => serveAap(made, { port: 0, token: "a".repeat(20), ...more });
  for (const [more, name] of [
    [{ limits: { sokets: 1 } }, "sokets"],
    [{ limits: { sockets: "x" } }, "sockets"],
    [{ limits: { sockets: Number.NaN } }, "sockets"],
    [{ limits: { requestsPerSecond: "a" } }, "requestsPerSecond"],
    [{ limits: { headTimeoutMs: "10s" } }, "headTimeoutMs"],
    [{ allowedHosts: [5] }, "allowedHosts"],
    [{ redactPatterns: ["corp-"] }, "redactPatterns"],
    [{ tls: {} }, '"cert" is missing'],
    [{ tls: { cert: "x", key: "y" } }, '"tls" is no certificate with its key'],
  ] as const) {
    const refused: unknown = await served(more).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BadOption);
    expect(String(refused)).toContain(name);
  }
  // @ts-expect-error: as JavaScript calls it
  expect(() => new MemoryArchive({})).toThrow(/ledger/);
});
