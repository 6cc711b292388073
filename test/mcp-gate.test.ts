/** Tools of MCP servers through the whole agent: rules by server, questions, progress, a server that dies in mid-call. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AgentSession, waitForTurn } from "../src/agent/index.js";
import { endSentence } from "../src/call/index.js";
import type { Question } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { McpServers } from "../src/mcp/index.js";
import type { Rule } from "../src/policy/index.js";
import type { Ask, Elicit } from "../src/run/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { folder, never, scripted, text } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";

const server = childProgram("mcp-tools.mjs");

async function agentWith(
  calls: readonly { tool: string; input: object }[],
  rules: readonly Rule[],
  options: { ask?: Ask; elicit?: Elicit } = {},
) {
  const root = await folder();
  const servers = await McpServers.start(
    { tools: { command: process.execPath, args: [server, join(root, "notes")] } },
    { approve: () => Promise.resolve(true) },
  );
  onTestFinished(() => servers.close());
  const agent = scripted([{ calls: [...calls] }, { say: "Done." }], {
    tools: [],
    toolSources: [servers],
    rules,
  });
  const workspace = await LocalWorkspace.open(root);
  const { elicit } = options;
  const session = await AgentSession.open({
    agent,
    ledger: new MemoryLedger(),
    workspace,
    ...(elicit && { elicit }),
  });
  onTestFinished(() => session.close());
  const ask = options.ask ?? (() => Promise.reject(new Error("nobody is there")));
  await waitForTurn(session, ask, never(), () => session.prompt(text("go"), never()));
  return { session, calls: [...session.book.calls()] };
}

test("a rule on a server's tool lets it run, and its result, kind and title are on the call", async () => {
  const { calls } = await agentWith(
    [{ tool: "tools__echo", input: { words: "hello" } }],
    [{ allow: "echo", server: "tools" }],
  );
  expect(calls[0]).toMatchObject({ name: "tools__echo", title: "tools/echo", state: { status: "done" } });
  expect(JSON.stringify(calls[0]?.content)).toContain("hello");
});

test("does not allow a server's tool by a rule on its kind, and offers an always for that tool only", async () => {
  const asked: Question[] = [];
  const { calls } = await agentWith(
    [{ tool: "tools__echo", input: { words: "hello" } }],
    [{ allow: "read" }, { allow: "other" }],
    {
      ask: (question) => {
        asked.push(question);
        return Promise.resolve({ outcome: { type: "refused" }, by: "person", who: "ann" });
      },
    },
  );
  expect(calls[0]?.state.status).toBe("refused");
  expect(asked).toHaveLength(1);
});

test("a tool that asks while it runs reaches the person through the session", async () => {
  const seen: string[] = [];
  const { calls } = await agentWith([{ tool: "tools__ask", input: {} }], [{ allow: "*", server: "tools" }], {
    elicit: ({ message }) => {
      seen.push(message);
      return Promise.resolve({ action: "decline" });
    },
  });
  expect(seen).toHaveLength(1);
  expect(calls[0]?.state.status).toBe("done");
});

test("a server that dies in mid-call fails that call in words, and the turn goes on", async () => {
  const { session, calls } = await agentWith(
    [
      { tool: "tools__die", input: { code: 3 } },
      { tool: "tools__nothing", input: {} },
    ],
    [{ allow: "*", server: "tools" }],
  );
  expect(calls.map(({ state }) => state.status)).toEqual(["failed", "failed"]);
  expect(calls[0] && endSentence(calls[0])).toMatch(/exit|code 3/);
  expect(calls[1] && endSentence(calls[1])).toContain('There is no tool named "tools__nothing"');
  expect(session.book.turn?.state).toMatchObject({ status: "stopped", stopReason: "end_turn" });
});
