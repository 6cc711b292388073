/** Shared by the comparisons with fast-agent: a gate or a session as an ACP v1 client sees it, and a model that a test feeds. */
import { onTestFinished, vi } from "vitest";
import { z } from "zod";
import { encodeV1Permission, readV1Outcome, V1Encoder } from "../../src/acp/index.js";
import type { V1PermissionRequest, V1ToolCall, V1ToolCallUpdate } from "../../src/acp/index.js";
import { AgentSession, createAgent } from "../../src/agent/index.js";
import type { AgentOptions } from "../../src/agent/index.js";
import type { Ledger, SessionBook, SessionEvent } from "../../src/call/index.js";
import { MemoryLedger } from "../../src/history/index.js";
import type { LanguageModelV3 } from "../../src/model/index.js";
import { openGate } from "../../src/run/index.js";
import type { Ask, Gate, OpenGateOptions } from "../../src/run/index.js";
import { builtInTools, defineTool, LocalWorkspace } from "../../src/tools/index.js";
import type { Tool, ToolContext, ToolReturn } from "../../src/tools/index.js";
import { folder } from "../agent-kit.js";

/** A message about a call; the first is a whole call, the others have the changes. */
export type CallUpdate = ({ readonly sessionUpdate: "tool_call" } & V1ToolCall) | V1CallChange;
type V1CallChange = { readonly sessionUpdate: "tool_call_update" } & V1ToolCallUpdate;

type Recorded = {
  readonly book: SessionBook;
  onRecorded(listener: (events: readonly SessionEvent[]) => void): unknown;
};

/** The updates about calls that a v1 client gets, as they happen. */
function sentOf(source: Recorded): CallUpdate[] {
  const encoder = new V1Encoder();
  const sent: CallUpdate[] = [];
  source.onRecorded((events) => {
    for (const event of events) {
      const call = "toolCallId" in event ? source.book.call(event.toolCallId) : undefined;
      for (const update of call ? encoder.encode(call) : [])
        if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
          sent.push(update);
    }
  });
  return sent;
}

/** Waits until the check holds; long, since a busy machine is no failure. */
export const soon = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 120_000, interval: 10 });

/** "call_1 pending", "call_1 in_progress", …: one for each message with a status. */
export const statuses = (sent: readonly CallUpdate[]): readonly string[] =>
  sent.flatMap((update) => {
    const status = update.status ?? (update.sessionUpdate === "tool_call" ? "pending" : undefined);
    return status ? `${update.toolCallId} ${status}` : [];
  });

/** A client's view of one call after all updates: each message's fields over the ones before. */
export function shown(sent: readonly CallUpdate[], toolCallId = "call_1"): Partial<CallUpdate> {
  return Object.assign({}, ...sent.filter((update) => update.toolCallId === toolCallId));
}

export async function gateIn({
  files,
  ...options
}: Partial<OpenGateOptions> & { files?: Record<string, string> } = {}) {
  const root = await folder(files);
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace: root,
    tools: builtInTools,
    ...options,
  });
  onTestFinished(() => gate.close());
  return { gate, root, sent: sentOf(gate) };
}

/** An ACP client that answers every permission request with this result; `requests` has the requests. */
export function aClient(answer: (request: V1PermissionRequest) => unknown) {
  const requests: V1PermissionRequest[] = [];
  const gates: Gate[] = [];
  const ask: Ask = async (question) => {
    const call = gates[0]?.book.call(question.toolCallId);
    if (!call) throw new Error("the call is not known");
    const request = encodeV1Permission(question, call);
    requests.push(request);
    const outcome = readV1Outcome(await answer(request), question);
    return { outcome: outcome === "cancelled" ? { type: "refused" } : outcome, by: "person", who: "editor" };
  };
  return { ask, requests, seenBy: (gate: Gate) => void gates.push(gate) };
}

export const select = (optionId: string) => () => ({ outcome: { outcome: "selected", optionId } });

/** A tool that takes anything and does this. */
export function aTool(
  name: string,
  run: (call: ToolContext) => ToolReturn | Promise<ToolReturn> = () => "ok",
  more: Partial<Tool> = {},
): Tool {
  const tool = defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    run: async (_, call) => run(call),
  });
  return { ...tool, ...more };
}

type Stream = Awaited<ReturnType<LanguageModelV3["doStream"]>>["stream"];
type Part = Stream extends ReadableStream<infer One> ? One : never;
export type Prompt = Parameters<LanguageModelV3["doStream"]>[0]["prompt"];

const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

const finish = (unified: "stop" | "tool-calls"): Part => ({
  type: "finish",
  finishReason: { unified, raw: undefined },
  usage,
});

/** A model whose first response is what the test pushes; its second one ends the turn. */
export function fedModel() {
  const prompts: Prompt[] = [];
  const offered: string[][] = [];
  let feed: ReadableStreamDefaultController<Part> | undefined;
  const first: Stream = new ReadableStream({ start: (controller) => void (feed = controller) });
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "test",
    modelId: "fed",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("It only streams.")),
    doStream: ({ prompt, tools = [] }) => {
      prompts.push(prompt);
      offered.push(tools.map(({ name }) => name));
      const stream: Stream =
        prompts.length === 1
          ? first
          : new ReadableStream({
              start(controller) {
                controller.enqueue(finish("stop"));
                controller.close();
              },
            });
      return Promise.resolve({ stream });
    },
  };
  return {
    model,
    prompts,
    /** The names of the offered tools, for each request. */
    offered,
    push: (...parts: readonly Part[]) => parts.forEach((part) => feed?.enqueue(part)),
    end: () => {
      feed?.enqueue(finish("tool-calls"));
      feed?.close();
    },
  };
}

export const start = (id: string, toolName: string): Part => ({ type: "tool-input-start", id, toolName });
export const delta = (id: string, text: string): Part => ({ type: "tool-input-delta", id, delta: text });
export const whole = (id: string, toolName: string, input: object): Part => ({
  type: "tool-call",
  toolCallId: id,
  toolName,
  input: JSON.stringify(input),
});

export async function sessionOf(
  options: Partial<AgentOptions> & Pick<AgentOptions, "model">,
  { ledger = new MemoryLedger(), files = {} }: { ledger?: Ledger; files?: Record<string, string> } = {},
) {
  const root = await folder(files);
  const agent = createAgent({ name: "tester", tools: builtInTools, rules: [{ allow: "*" }], ...options });
  const session = await AgentSession.open({ agent, ledger, workspace: await LocalWorkspace.open(root) });
  onTestFinished(() => session.close());
  return { session, root, sent: sentOf(session) };
}
