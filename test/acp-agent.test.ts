/** ACP v1, the agent's side: every method, as a foreign client uses it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { agentHost } from "../src/acp/index.js";
import type { AgentHostOptions } from "../src/acp/index.js";
import { taskTool } from "../src/agent/index.js";
import type { AgentOptions } from "../src/agent/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";
import { inMode, isMode } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import { choose, editor, lastOf, says } from "./acp-kit.js";
import { until } from "./until.js";
import type { EditorOptions } from "./acp-kit.js";
import { folder, scripted } from "./agent-kit.js";

const RUNS: readonly ScriptStep[] = [
  { say: "Now.", calls: [{ tool: "terminal", input: { command: "echo ran >> log.txt" } }] },
  { say: "Done." },
];

const MODES = [
  { value: "ask", name: "Ask" },
  { value: "allow-all", name: "Allow all" },
];

type Given = Pick<Partial<AgentOptions>, "tools" | "model" | "contextWindow"> & {
  readonly steps?: readonly ScriptStep[];
  readonly files?: Record<string, string>;
};

async function opened(given: Given & Partial<AgentHostOptions> = {}, options: EditorOptions = {}) {
  const {
    steps = RUNS,
    files = {},
    ledger = new MemoryLedger(),
    tools,
    model,
    contextWindow,
    ...host
  } = given;
  const cwd = await folder(files);
  const agent = scripted(steps, {
    policy: ({ modeId }) => (isMode(modeId) ? inMode(modeId, []) : { rules: [] }),
    remember: async () => undefined,
    ...(tools && { tools }),
    ...(model && { model }),
    ...(contextWindow !== undefined && { contextWindow }),
  });
  const served = agentHost({
    agent,
    ledger,
    openWorkspace: (path, roots) => LocalWorkspace.open(path, { roots }),
    modes: { options: MODES, usual: () => "ask" },
    ...host,
  });
  const connect = () => editor(served, options);
  return { cwd, ledger, served, connect, ...(await connect()) };
}

const { session, initialize } = acp.methods.agent;
const logOf = (cwd: string) => readFile(join(cwd, "log.txt"), "utf8").catch(() => "");

describe("the handshake with an editor", () => {
  test("sends an editor the capabilities of this agent", async () => {
    const { hello } = await opened();
    expect(hello).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      },
      agentInfo: { name: "tester", version: "1.0.0" },
      authMethods: [{ id: "keys" }],
    });
  });

  test("refuses a second handshake, with a version that does not exist yet", async () => {
    const { agent } = await opened();
    // Once a connection is initialized it stays as it is.
    await expect(agent.request(initialize, { protocolVersion: 65535 })).rejects.toMatchObject({
      code: -32600,
    });
  });

  test("authenticates an editor in the way that is offered, and in no other", async () => {
    const { agent } = await opened();
    expect(await agent.request(acp.methods.agent.authenticate, { methodId: "keys" })).toEqual({});
    await expect(agent.request(acp.methods.agent.authenticate, { methodId: "magic" })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("names the missing key when an editor opens a session", async () => {
    const { agent, cwd } = await opened(
      {},
      {
        serve: {
          openHost: async () => {
            throw Object.assign(new Error("There is no key for Anthropic: set ANTHROPIC_API_KEY."), {
              code: "KEY_MISSING",
            });
          },
        },
      },
    );
    await expect(agent.request(session.new, { cwd, mcpServers: [] })).rejects.toMatchObject({
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
  });
});

describe("sessions of an editor", () => {
  test("lists sessions with their title and folder, newest first, and by folder", async () => {
    const { agent, cwd } = await opened({ steps: [{ say: "Hello." }] });
    const other = await folder();
    const first = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId: first.sessionId, prompt: says("Say hello") });
    const second = await agent.request(session.new, { cwd: other, mcpServers: [] });
    const { sessions } = await agent.request(session.list, {});
    expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(
      [first.sessionId, second.sessionId].toSorted(),
    );
    const here = await agent.request(session.list, { cwd });
    expect(here.sessions).toMatchObject([
      { sessionId: first.sessionId, cwd, title: "Say hello", updatedAt: expect.stringMatching(/^\d{4}-/) },
    ]);
    await expect(agent.request(session.list, { cursor: "mine" })).rejects.toMatchObject({ code: -32602 });
  });

  test("lists sessions page by page, each once", async () => {
    const { agent, cwd } = await opened();
    for (let count = 0; count < 53; count++) await agent.request(session.new, { cwd, mcpServers: [] });
    const first = await agent.request(session.list, {});
    const second = await agent.request(session.list, { cursor: first.nextCursor ?? "" });
    expect(first.sessions).toHaveLength(50);
    expect(second.sessions).toHaveLength(3);
    expect(second.nextCursor).toBeUndefined();
    expect(new Set([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)).size).toBe(53);
  });

  test("resumes a session without a replay, and keeps its history", async () => {
    const { agent, cwd, updates, leave, connect } = await opened();
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Run it") });
    expect(updates.length).toBeGreaterThan(3);
    await leave();
    const again = await connect();
    await again.agent.request(session.resume, { sessionId, cwd, mcpServers: [] });
    expect(again.updates).toEqual([]);
    expect(await again.agent.request(session.prompt, { sessionId, prompt: says("And now?") })).toEqual({
      stopReason: "end_turn",
    });
  });

  test("replays a loaded session as it was live: the same calls, kinds, diffs, times and plan", async () => {
    const steps: readonly ScriptStep[] = [
      {
        say: "I plan.",
        calls: [{ tool: "todo_write", input: { todos: [{ content: "Edit", status: "in_progress" }] } }],
      },
      { calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "two" } }] },
      { say: "Done." },
    ];
    const { agent, cwd, updates, leave, connect } = await opened({ steps, files: { "a.txt": "one" } });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Go") });
    const live = folded(updates);
    await leave();
    const again = await connect();
    await again.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
    // The loaded plan comes once, after the calls, so it names those of its entries.
    const _meta = { toolgate: { toolCallIds: ["call_2"] } };
    expect(folded(again.updates)).toEqual({
      ...live,
      plan: [{ content: "Edit", priority: "medium", status: "in_progress", _meta }],
    });
    expect(lastOf(again.updates, "session_info_update")).toMatchObject({ title: "Go" });
  });

  test("shows a long question page by page before the yes, and takes its text back after", async () => {
    const words = Array.from({ length: 9_000 }, (_, number) => `word${number}`).join(" ");
    const steps: readonly ScriptStep[] = [
      { calls: [{ tool: "terminal", input: { command: `echo ran > log.txt # \`\`\` ${words}` } }] },
      { say: "Done." },
    ];
    const more = (request: acp.RequestPermissionRequest) =>
      request.options.find(({ optionId }) => optionId === "toolgate_show_more");
    const { agent, cwd, questions, updates } = await opened(
      { steps },
      {
        answer: (request) => ({
          outcome: { outcome: "selected", optionId: more(request)?.optionId ?? "allow_once" },
        }),
      },
    );
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Go") });
    expect(questions.map((request) => more(request)?.name)).toEqual([
      expect.stringMatching(/^Show all of it \(\d+ characters more\), and ask again$/),
      "Show page 2 of 2, and ask again",
      undefined,
    ]);
    const shown = questions.map((request) => JSON.stringify(request.toolCall.content));
    expect(shown[0]).toContain("characters more than shown here");
    expect(shown[0]).not.toContain("word8999");
    expect(shown[1]).toContain("````text\\nPage 1 of 2");
    expect(shown[2]).toContain("word8999");
    expect(await logOf(cwd)).toBe("ran\n");
    const contents = updates.flatMap((update) =>
      "content" in update ? [JSON.stringify(update.content)] : [],
    );
    expect(contents.filter((content) => content.includes("shown here"))).toEqual([]);
    expect(contents).toContain("[]");
  });

  test("refuses prompts to a closed session, and loads it again", async () => {
    const { agent, cwd } = await opened({ steps: [{ say: "Hello." }] });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    expect(await agent.request(session.close, { sessionId })).toEqual({});
    await expect(agent.request(session.prompt, { sessionId, prompt: says("Hi") })).rejects.toMatchObject({
      code: -32002,
    });
    expect(await agent.request(session.load, { sessionId, cwd, mcpServers: [] })).toBeTypeOf("object");
    expect(await agent.request(session.prompt, { sessionId, prompt: says("Hi") })).toEqual({
      stopReason: "end_turn",
    });
  });

  test("ends a turn first when its session is closed, and answers its prompt as cancelled", async () => {
    const { agent, cwd, questions } = await opened({}, { answer: () => new Promise(() => undefined) });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    const turn = agent.request(session.prompt, { sessionId, prompt: says("Run it") });
    await until(() => questions.length === 1);
    await agent.request(session.close, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(await logOf(cwd)).toBe("");
  });

  test("deletes a session, and accepts to delete it again", async () => {
    const { agent, cwd } = await opened({ steps: [{ say: "Hello." }] });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Hi") });
    await agent.request(session.delete, { sessionId });
    await agent.request(session.delete, { sessionId });
    expect((await agent.request(session.list, {})).sessions).toEqual([]);
    await expect(agent.request(session.load, { sessionId, cwd, mcpServers: [] })).rejects.toMatchObject({
      code: -32002,
    });
  });

  test("gives a session the further folders that the client names, and refuses relative ones", async () => {
    const also = await folder({ "b.txt": "beside" });
    const steps: readonly ScriptStep[] = [
      { calls: [{ tool: "read_file", input: { path: join(also, "b.txt") } }] },
      { say: "Read." },
    ];
    const { agent, cwd, questions, updates } = await opened({ steps });
    const { sessionId } = await agent.request(session.new, {
      cwd,
      mcpServers: [],
      additionalDirectories: [also],
    });
    await agent.request(session.setMode, { sessionId, modeId: "ask" });
    await agent.request(session.prompt, { sessionId, prompt: says("Read it") });
    expect(questions).toEqual([]);
    expect(JSON.stringify(updates)).toContain("beside");
    await expect(
      agent.request(session.new, { cwd, mcpServers: [], additionalDirectories: ["x"] }),
    ).rejects.toMatchObject({ code: -32602 });
    await expect(agent.request(session.new, { cwd: "src", mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe("choices", () => {
  test("the mode can be seen and changed, as a mode and as a config option, and holds from then on", async () => {
    const { agent, cwd, questions, updates } = await opened();
    const made = await agent.request(session.new, { cwd, mcpServers: [] });
    const { sessionId } = made;
    expect(made).toMatchObject({
      modes: { currentModeId: "ask", availableModes: [{ id: "ask" }, { id: "allow-all" }] },
      configOptions: [{ id: "mode", category: "mode", currentValue: "ask" }],
    });
    const after = await agent.request(session.setConfigOption, {
      sessionId,
      configId: "mode",
      value: "allow-all",
    });
    expect(after.configOptions).toMatchObject([{ id: "mode", currentValue: "allow-all" }]);
    expect(lastOf(updates, "current_mode_update")).toMatchObject({ currentModeId: "allow-all" });
    await agent.request(session.prompt, { sessionId, prompt: says("Run it") });
    expect(questions).toEqual([]);
    expect(await logOf(cwd)).toBe("ran\n");
    await agent.request(session.setMode, { sessionId, modeId: "ask" });
    expect(lastOf(updates, "config_option_update")).toMatchObject({
      configOptions: [{ currentValue: "ask" }],
    });
    for (const modeId of ["yolo", ""])
      await expect(agent.request(session.setMode, { sessionId, modeId })).rejects.toMatchObject({
        code: -32602,
      });
    await expect(
      agent.request(session.setConfigOption, { sessionId, configId: "speed", value: "fast" }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test("another model answers from then on, also when the session is loaded later", async () => {
    const other = scriptedModel(parseScript({ steps: [{ say: "I am the other." }] }));
    const models = [
      { name: "first", open: () => Promise.reject(new Error("it is open already")) },
      { name: "other", open: async () => ({ model: other, contextWindow: 1000 }) },
    ];
    const { agent, cwd, updates, leave, connect } = await opened({
      steps: [{ say: "I am the first." }],
      models,
    });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.setConfigOption, { sessionId, configId: "model", value: "other" });
    await agent.request(session.prompt, { sessionId, prompt: says("Who?") });
    expect(folded(updates).texts).toMatchObject([[expect.any(String), "I am the other."]]);
    await leave();
    const again = await connect();
    const loaded = await again.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
    expect(loaded.configOptions).toMatchObject([{ id: "mode" }, { id: "model", currentValue: "other" }]);
  });
});

describe("commands of the host", () => {
  const commands: AgentHostOptions["commands"] = () => [
    { name: "rules", description: "What is allowed", run: async () => "Nothing is." },
    {
      name: "break",
      description: "Breaks",
      hint: "how",
      run: (words) => Promise.reject(new Error(`no ${words}`)),
    },
  ];

  test("lists commands when the session opens, answers them without the model, and replays them on load", async () => {
    const { agent, cwd, updates, leave, connect } = await opened({ commands });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await until(() => lastOf(updates, "available_commands_update") !== undefined);
    expect(lastOf(updates, "available_commands_update")?.availableCommands).toEqual([
      { name: "rules", description: "What is allowed" },
      { name: "break", description: "Breaks", input: { hint: "how" } },
    ]);
    for (const [typed, answer] of [
      ["/rules", "Nothing is."],
      ["/break it all", "no it all"],
    ] as const) {
      expect(await agent.request(session.prompt, { sessionId, prompt: says(typed) })).toEqual({
        stopReason: "end_turn",
      });
      expect(lastOf(updates, "agent_message_chunk")).toMatchObject({ content: { text: answer } });
    }
    expect(updates.some(({ sessionUpdate }) => sessionUpdate === "tool_call")).toBe(false);
    await leave();
    const again = await connect();
    await again.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
    expect(JSON.stringify(again.updates)).toContain("Nothing is.");
  });

  test("sends an unknown command to the model", async () => {
    const { agent, cwd, updates } = await opened({ commands, steps: [{ say: "A model." }] });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("/ruleset") });
    expect(folded(updates).texts).toMatchObject([[expect.any(String), "A model."]]);
  });
});

describe("questions to an editor", () => {
  test("shows in a question what is about to be done and what always would store, for people and for programs", async () => {
    const { agent, cwd, questions } = await opened();
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Run it") });
    expect(questions).toMatchObject([
      {
        toolCall: { toolCallId: "call_1", kind: "execute", rawInput: { command: "echo ran >> log.txt" } },
        _meta: { toolgate: { questionId: expect.any(String), about: expect.any(Array) } },
      },
    ]);
    const always = questions[0]?.options.find(({ kind }) => kind === "allow_always");
    if (always) {
      const toolgate = questions[0]?._meta?.["toolgate"] as { grants: Record<string, { sentence: string }> };
      expect(always.name).toContain(toolgate.grants[always.optionId]?.sentence);
    }
  });

  test("offers always for the project, for the session and for the very call in a question", async () => {
    const steps = [{ calls: [{ tool: "terminal", input: { command: "make test" } }] }, { say: "Done." }];
    const { agent, cwd, questions } = await opened({ steps }, { answer: choose("reject_once") });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Run it") });
    const subject =
      "Always allow builds, tests, linters, formatters and local git work here, with harmless flags and workspace paths (runs project code)";
    expect(questions[0]?.options.map(({ name }) => name)).toEqual([
      "Allow once",
      `${subject} in this project`,
      `${subject} in this session`,
      "Always allow `make test` (whatever code it then runs) in this project",
      "Reject",
      "Always refuse `make test` in this project",
      "More answers: for a time, for all alike",
    ]);
    expect(JSON.stringify(questions[0]?.toolCall.content)).toContain("also lets through: make build");
    expect(questions[0]?._meta).toMatchObject({
      toolgate: {
        widths: [
          { width: "family", examples: expect.any(Array) },
          { width: "subcommand", examples: expect.any(Array) },
          { width: "exact" },
          {},
          {},
        ],
      },
    });
  });

  test("withdraws waiting questions that an answer covers", async () => {
    const granted: Rule[] = [];
    const write = (path: string) => ({ tool: "write_file", input: { path, content: "x" } });
    const steps = [{ calls: ["src/a", "src/b", "src/c"].map(write) }, { say: "Done." }];
    const asked: string[] = [];
    const { cwd, agent, ledger } = await opened(
      {
        agent: scripted(steps, {
          policy: () => inMode("ask", granted),
          remember: async ({ rules }) => void granted.push(...rules),
        }),
      },
      {
        answer: (request) => {
          asked.push(request.toolCall.toolCallId);
          // Nobody answers the others.
          return asked.length === 1 ? choose("allow_always")(request) : new Promise(() => undefined);
        },
      },
    );
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    const ended = await agent.request(session.prompt, { sessionId, prompt: says("Write") });
    expect(ended).toEqual({ stopReason: "end_turn" });
    const answers = (await ledger.read(sessionId)).flatMap(({ event }) =>
      event.type === "question-answered" ? [event.answer] : [],
    );
    expect(answers).toMatchObject([
      { by: "person" },
      { by: "rule", rule: expect.stringMatching(/^allow edit .*\/src\/\*\*$/) },
      { by: "rule" },
    ]);
    expect(await readFile(join(cwd, "src/c"), "utf8")).toBe("x");
  });

  test("passes the reason of a no to the model", async () => {
    const { agent, cwd, ledger } = await opened(
      {},
      { answer: choose("reject_once", { toolgate: { reason: "use make" } }) },
    );
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Run it") });
    const events = await ledger.read(sessionId);
    expect(events.find(({ event }) => event.type === "call-refused")).toMatchObject({
      event: { decision: { by: "person", who: "The Editor", reason: "use make" } },
    });
    expect(await logOf(cwd)).toBe("");
  });

  test.each([
    ["an option that was not offered", { outcome: { outcome: "selected", optionId: "NOT-OFFERED" } }],
    ["nothing", {}],
    ["null", null],
    ["an outcome of another world", { outcome: { outcome: "granted" } }],
    ["a dismissal", { outcome: { outcome: "cancelled" } }],
    ["an array", [{ outcome: "selected" }]],
  ])("does not take %s for a yes", async (_name, result) => {
    const { agent, cwd } = await opened({}, { answer: () => result as never });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    expect(await agent.request(session.prompt, { sessionId, prompt: says("Run it") })).toEqual({
      stopReason: "end_turn",
    });
    expect(await logOf(cwd)).toBe("");
  });

  test("asks about several calls at once, and takes each answer for its own call", async () => {
    const command = (name: string) => ({
      tool: "terminal",
      input: { command: `echo ${name} > ${name}.txt` },
    });
    const steps: readonly ScriptStep[] = [
      { calls: [command("a"), command("b"), command("c")] },
      { say: "Done." },
    ];
    const waiting: (() => void)[] = [];
    const { agent, cwd, questions } = await opened(
      { steps },
      {
        answer: (request) =>
          new Promise((resolve) => {
            const kind = JSON.stringify(request.toolCall.rawInput).includes("b.txt")
              ? "reject_once"
              : "allow_once";
            waiting.push(() => resolve(choose(kind)(request)));
          }),
      },
    );
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    const turn = agent.request(session.prompt, { sessionId, prompt: says("All") });
    await until(() => questions.length === 3);
    for (const answer of waiting.toReversed()) answer();
    await turn;
    const there = (name: string) => readFile(join(cwd, `${name}.txt`), "utf8").catch(() => undefined);
    expect(await Promise.all(["a", "b", "c"].map(there))).toEqual(["a\n", undefined, "c\n"]);
  });

  test("withdraws a question from the editor when it is answered elsewhere, and goes on with the turn", async () => {
    let withdrawn = false;
    const { agent, cwd, ledger, questions } = await opened(
      {},
      {
        answer: () => new Promise(() => undefined),
        serves: (app) =>
          app.onNotification(
            "$/cancel_request",
            (value) => value,
            () => void (withdrawn = true),
          ),
      },
    );
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    const turn = agent.request(session.prompt, { sessionId, prompt: says("Run it") });
    await until(() => questions.length === 1);
    const [question] = await ledger.openQuestions();
    if (!question) throw new Error("no question is open");
    const optionId = question.options.find(({ kind }) => kind === "allow_once")?.optionId ?? "";
    const { questionId, intentHash } = question;
    await ledger.answer(questionId, {
      outcome: { type: "selected", optionId },
      intentHash,
      by: "person",
      at: Date.now(),
    });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(await logOf(cwd)).toBe("ran\n");
    expect(withdrawn).toBe(true);
  });
});

describe("a question by a running tool", () => {
  const asking = defineTool({
    name: "book_table",
    description: "Books a table.",
    kind: "other",
    input: z.object({}),
    run: async (_input, { ask }) => {
      const form = { type: "object", properties: { seats: { type: "integer" } }, required: ["seats"] };
      return JSON.stringify(await ask({ message: "For how many?", schema: form }));
    },
  });
  const steps: readonly ScriptStep[] = [{ calls: [{ tool: "book_table", input: {} }] }, { say: "Booked." }];
  const outputOf = (updates: readonly acp.SessionUpdate[]) =>
    updates.flatMap((update) =>
      update.sessionUpdate === "tool_call_update" && update.rawOutput !== undefined ? [update.rawOutput] : [],
    );

  test("goes to the client as a form when it supports forms, and returns the answer", async () => {
    const asked: acp.CreateElicitationRequest[] = [];
    const { agent, cwd, updates } = await opened(
      { steps, tools: [asking] },
      {
        capabilities: { elicitation: { form: {} } },
        serves: (app) =>
          app.onRequest(acp.methods.client.elicitation.create, ({ params }) => {
            asked.push(params);
            return { action: "accept", content: { seats: 4 } };
          }),
      },
    );
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Book") });
    expect(asked).toMatchObject([
      {
        sessionId,
        toolCallId: "call_1",
        mode: "form",
        message: "For how many?",
        requestedSchema: { properties: { seats: { type: "integer" } } },
      },
    ]);
    expect(outputOf(updates)).toEqual([{ output: '{"action":"accept","content":{"seats":4}}' }]);
  });

  test("has no answer when the client does not support forms, which is never asked", async () => {
    const { agent, cwd, updates } = await opened({ steps, tools: [asking] });
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: says("Book") });
    expect(outputOf(updates)).toEqual([{ output: '{"action":"cancel"}' }]);
  });
});

test("sends usage and cost with each response, and again after a load", async () => {
  const usage = {
    inputTokens: { total: 900, noCache: 900, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 100, text: 100, reasoning: 0 },
  };
  const model: AgentOptions["model"] = {
    ...scripted([{ say: "-" }]).model,
    doStream: async () => ({
      stream: ReadableStream.from<LanguageModelV3StreamPart>([
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "Hello." },
        { type: "text-end", id: "t" },
        { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
      ]),
    }),
  };
  const { agent, cwd, updates, leave, connect } = await opened({
    model,
    contextWindow: 4000,
    costOf: ({ inputTokens = 0 }) => inputTokens / 1000,
  });
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  for (const word of ["One", "Two"]) await agent.request(session.prompt, { sessionId, prompt: says(word) });
  const usageUpdate = {
    sessionUpdate: "usage_update",
    used: 1000,
    size: 4000,
    cost: { amount: 1.8, currency: "USD" },
  };
  expect(lastOf(updates, "usage_update")).toEqual(usageUpdate);
  await leave();
  const again = await connect();
  await again.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
  await until(() => lastOf(again.updates, "usage_update") !== undefined);
  expect(lastOf(again.updates, "usage_update")).toEqual(usageUpdate);
});

test("counts the responses of a sub-agent in the cost, also after a load", async () => {
  const task = {
    tool: "task",
    input: { description: "Look", prompt: "Look around" },
    subAgent: [{ say: "Seen." }],
  };
  const { model } = scripted([{ calls: [task] }, { say: "Done." }]);
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
  const counted: AgentOptions["model"] = {
    ...model,
    doStream: async (how) => {
      const { stream } = await model.doStream(how);
      return { stream: stream.pipeThrough(withUsage(usage)) };
    },
  };
  const { agent, cwd, updates, leave, connect } = await opened({
    model: counted,
    tools: [taskTool()],
    modes: { options: MODES, usual: () => "allow-all" },
    contextWindow: 4000,
    costOf: () => 1,
  });
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  await agent.request(session.prompt, { sessionId, prompt: says("Help") });
  expect(lastOf(updates, "usage_update")).toMatchObject({ cost: { amount: 3 } });
  await leave();
  const again = await connect();
  await again.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
  await until(() => lastOf(again.updates, "usage_update") !== undefined);
  expect(lastOf(again.updates, "usage_update")).toMatchObject({ cost: { amount: 3 } });
});

function withUsage(usage: never) {
  return new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
    transform: (part, stream) => stream.enqueue(part.type === "finish" ? { ...part, usage } : part),
  });
}

test("images, embedded files and links in a prompt reach the model", async () => {
  const prompts: unknown[] = [];
  const { model } = scripted([{ say: "Seen." }]);
  const watching: AgentOptions["model"] = {
    ...model,
    doStream: (options) => {
      prompts.push(options.prompt);
      return model.doStream(options);
    },
  };
  const { agent, cwd } = await opened({ model: watching });
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  await agent.request(session.prompt, {
    sessionId,
    prompt: [
      { type: "text", text: "Look" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///a.txt", text: "inside a" } },
      { type: "resource_link", uri: "file:///b.txt", name: "b.txt" },
    ],
  });
  const sent = JSON.stringify(prompts);
  for (const part of ["Look", "image/png", "inside a", "file:///b.txt"]) expect(sent).toContain(part);
});

describe("a client that leaves", () => {
  test("leaves a question open when its client leaves, and asks the next client", async () => {
    let isSilent = true;
    const { agent, cwd, questions, leave, connect, ledger } = await opened(
      {},
      {
        answer: (...asked) => (isSilent ? new Promise(() => undefined) : choose("allow_once")(...asked)),
      },
    );
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    agent.request(session.prompt, { sessionId, prompt: says("Run it") }).catch(() => undefined);
    await until(() => questions.length === 1);
    await leave();
    expect(await ledger.openQuestions()).toHaveLength(1);
    expect(await logOf(cwd)).toBe("");
    isSilent = false;
    const again = await connect();
    await again.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
    await until(async () => (await logOf(cwd)) !== "");
    expect(await ledger.openQuestions()).toEqual([]);
  });
});

test("two prompts at once are answered one after the other, each with its own turn", async () => {
  const { agent, cwd, updates } = await opened({ steps: [{ say: "One." }] });
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  const prompts = ["a", "b", "c"].map((word) =>
    agent.request(session.prompt, { sessionId, prompt: says(word) }),
  );
  expect(await Promise.all(prompts)).toEqual(Array.from({ length: 3 }, () => ({ stopReason: "end_turn" })));
  const ids = updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" ? [update.messageId] : [],
  );
  expect(new Set(ids).size).toBe(3);
});

test("a prompt that cannot be read starts no turn", async () => {
  const { agent, cwd, updates } = await opened();
  const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
  for (const prompt of [[], [{ type: "text" }], [{ type: "resource", resource: { uri: "file:///a" } }]])
    await expect(agent.request(session.prompt, { sessionId, prompt: prompt as never })).rejects.toMatchObject(
      {
        code: -32602,
      },
    );
  expect(updates).toEqual([]);
});

/** The client's final state: each message's text, each call as it is by now, the plan. */
function folded(updates: readonly acp.SessionUpdate[]) {
  const texts = new Map<string, string>();
  const calls = new Map<string, object>();
  let plan: unknown;
  for (const update of updates) {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      const id = update.messageId ?? "";
      texts.set(id, (texts.get(id) ?? "") + update.content.text);
    }
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const { sessionUpdate: _, ...fields } = update;
      // No content and none yet are the same.
      calls.set(update.toolCallId, { content: [], ...calls.get(update.toolCallId), ...fields });
    }
    if (update.sessionUpdate === "plan") plan = update.entries;
  }
  return { texts: [...texts], calls: [...calls], plan };
}
