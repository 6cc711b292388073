/** Wrong options, as callers in JavaScript write them: each is refused at once, by its name. */
import { describe, expect, test } from "vitest";
import { createAapServer, serveAap } from "../src/aap/index.js";
import { connect } from "../src/aap/client/index.js";
import { serveAcp } from "../src/acp/index.js";
import { AgentSession, createAgent } from "../src/agent/index.js";
import { BadOption } from "../src/call/index.js";
import { MemoryLedger, openArchive, openLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import { openGate } from "../src/run/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";

/** As JavaScript sees it. */
const js = (value: unknown) => value as never;
const model = scriptedModel({ steps: [{ say: "Hi." }] });
const ledger = new MemoryLedger();
const run = async () => "done";
const tool = { name: "t", description: "t", input: { type: "object" }, run };
const agent = { name: "a", model, tools: [] };

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
    '"run" is missing. It must be a function',
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
