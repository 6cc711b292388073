/** Signed thoughts go back to the provider that signed them, also after a restart, and to no one else. */
import { expect, test } from "vitest";
import { AgentSession, createAgent } from "../src/agent/index.js";
import { MemoryLedger, redactingLedger } from "../src/history/index.js";
import { openModel } from "../src/model/index.js";
import { counting, never, text, workspace } from "./agent-kit.js";
import { anthropic } from "./fakes/anthropic.js";
import { KEY, startFake } from "./fakes/fake-provider.js";
import type { Dialect } from "./fakes/dialect.js";
import type { FakeStep } from "./fakes/fake-provider.js";
import { google } from "./fakes/google.js";
import { openAiResponses } from "./fakes/openai-responses.js";

const calls = [{ id: "toolu_1", tool: "counted", input: {} }];
const answers = [{ think: "Hm.", calls }, { say: "done" }];

type Vendor = readonly [name: string, dialect: Dialect, version: string, signature: string];

const VENDORS = [
  ["anthropic/claude-opus-5-5", anthropic, "/v1", "c2lnbmF0dXJl"],
  ["openai/gpt-5", openAiResponses, "/v1", "ZW5jcnlwdGVk"],
  ["google/gemini-3-pro-preview", google, "/v1beta", "c2lnbmF0dXJl"],
] as const satisfies readonly Vendor[];

async function agentOf([name, dialect, version]: Vendor, steps: readonly FakeStep[]) {
  const fake = await startFake(dialect, steps);
  const { model } = await openModel(name, { baseUrl: fake.url + version, apiKey: KEY });
  const tools = [counting("counted").tool];
  const agent = createAgent({ name: "t", model, tools, rules: [{ allow: "counted" }] });
  return { agent, sent: (index: number) => JSON.stringify(fake.requests[index]?.body) };
}

const stopped = { status: "stopped", stopReason: "end_turn" };

test.each(VENDORS)("%s gets its signed thoughts back with the results", async (...vendor) => {
  const { agent, sent } = await agentOf(vendor, answers);
  const session = await AgentSession.open({
    agent,
    ledger: new MemoryLedger(),
    workspace: await workspace(),
  });
  expect(await session.prompt(text("go"), never())).toEqual(stopped);
  expect(sent(1)).toContain(vendor[3]);
  expect(sent(1)).toContain("toolu_1");
});

test.each(VENDORS)("%s gets them back when the session is opened again", async (...vendor) => {
  const ledger = new MemoryLedger();
  const ws = await workspace();
  const { agent, sent } = await agentOf(vendor, [...answers, { say: "again" }]);
  const first = await AgentSession.open({ agent, ledger, workspace: ws });
  await first.prompt(text("go"), never());
  await first.close();
  const { sessionId } = first;
  const second = await AgentSession.open({ agent, ledger, workspace: ws, sessionId });
  expect(await second.prompt(text("go on"), never())).toEqual(stopped);
  expect(sent(2)).toContain(vendor[3]);
  expect(sent(2)).toContain("toolu_1");
});

test.each(VENDORS)("sends the signatures of %s to no other model", async (...vendor) => {
  const ledger = new MemoryLedger();
  const ws = await workspace();
  const { agent } = await agentOf(vendor, answers);
  const first = await AgentSession.open({ agent, ledger, workspace: ws });
  await first.prompt(text("go"), never());
  await first.close();
  const { sessionId } = first;
  for (const other of VENDORS.filter(([name]) => name !== vendor[0])) {
    const { agent: another, sent } = await agentOf(other, [{ say: "again" }]);
    const session = await AgentSession.open({ agent: another, ledger, workspace: ws, sessionId });
    expect(await session.prompt(text("go on"), never())).toEqual(stopped);
    await session.close();
    expect(sent(0)).toContain("counted ran 1 time(s)");
    expect(sent(0)).not.toContain(vendor[3]);
    expect(sent(0)).not.toContain("toolu_1");
  }
});

test("sends a redacted thought without its signature, which no longer matches", async () => {
  // A fake secret, in a shape that the ledger redacts.
  const secret = `sk-ant-${"x1".repeat(12)}`;
  const ledger = redactingLedger(new MemoryLedger());
  const ws = await workspace();
  const steps = [{ think: `The key is ${secret} here.`, calls }, { say: "done" }, { say: "again" }];
  const { agent, sent } = await agentOf(VENDORS[0], steps);
  const first = await AgentSession.open({ agent, ledger, workspace: ws });
  await first.prompt(text("go"), never());
  await first.close();
  const { sessionId } = first;
  const second = await AgentSession.open({ agent, ledger, workspace: ws, sessionId });
  expect(await second.prompt(text("go on"), never())).toEqual(stopped);
  expect(sent(2)).toContain("counted ran 1 time(s)");
  expect(sent(2)).not.toContain(VENDORS[0][3]);
  expect(sent(2)).not.toContain(secret);
});
