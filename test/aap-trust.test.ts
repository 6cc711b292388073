import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/agent/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { Intent, Rule } from "../src/policy/index.js";
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
const judge = (...trusted: readonly string[]) => judgeWith({ trusted });

async function judgeWith({
  trusted,
  rules = [],
  isTrustable = true,
}: {
  readonly trusted: readonly string[];
  readonly rules?: readonly Rule[];
  readonly isTrustable?: boolean;
}) {
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
    agent: createAgent({ name: "a", model, tools, policy: () => ({ rules, default: "ask" }) }),
    tools: () => tools,
    trustable: () => isTrustable,
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

test("runs what an app trusts where a rule of the owner's allows the very call, and asks otherwise", async () => {
  const rules: readonly Rule[] = [{ allow: "read_file" }];
  const [app, other] = await Promise.all([
    judgeWith({ trusted: ["read_file"], rules, isTrustable: false }),
    judgeWith({ trusted: [], rules, isTrustable: false }),
  ]);
  expect(app(intent("read_file"))).toMatchObject({ effect: "allow", rule: "allow read_file" });
  expect(app(intent("read_file", "docs")).effect).toBe("ask");
  // Without the wish the app is asked, whatever the rules allow.
  expect(other(intent("read_file")).effect).toBe("ask");
});
