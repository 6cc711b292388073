import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/agent/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { Intent } from "../src/policy/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import type { Tool } from "../src/tools/index.js";
import { newConfig } from "../src/aap/sessions/session-config.js";
import { sessionJudge } from "../src/aap/turns/session-judge.js";

const reading = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name,
    description: name,
    kind: "read",
    input: z.looseObject({}),
    run: () => Promise.resolve({ output: "" }),
  }),
  ...more,
});

const intent = (tool: string, server?: string): Intent => ({
  tool,
  kind: "read",
  input: {},
  cwd: "/ws",
  paths: [],
  hosts: [],
  baseHashes: {},
  ...(server !== undefined && { server, isKindGuessed: true }),
});

/** A judge for an app that trusts these names. */
async function judge(...trusted: readonly string[]) {
  const tools = [
    reading("read_file"),
    reading("docs__read_file", { origin: { server: "docs", tool: "read_file" } }),
  ];
  const model = scriptedModel({ steps: [] });
  const plain = newConfig("a");
  return sessionJudge({
    config: {
      ...plain,
      agent: { ...plain.agent, tools: tools.map(({ name }) => ({ name, trust: trusted.includes(name) })) },
    },
    agent: createAgent({ name: "a", model, tools }),
    tools: () => tools,
    trustable: () => true,
    isExposed: () => true,
    workspace: await LocalWorkspace.open("/"),
    sessionId: "s",
    now: () => 0,
  });
}

test("asks about a server's tool that is called like a trusted tool of ours", async () => {
  const decide = await judge("read_file");
  expect(decide(intent("read_file")).effect).toBe("allow");
  expect(decide(intent("read_file", "docs")).effect).toBe("ask");
});

test("trusts a server's tool by the name that the app calls it", async () => {
  const decide = await judge("docs__read_file");
  expect(decide(intent("read_file", "docs"))).toMatchObject({
    effect: "allow",
    rule: "the app trusts docs__read_file",
  });
  expect(decide(intent("read_file")).effect).toBe("ask");
});
