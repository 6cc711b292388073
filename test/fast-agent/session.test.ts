/** fast-agent's tests of prompts, content, workflows and its ACP integration, where they concern calls. See test/fast-agent/README.md. */
import { expect, test } from "vitest";
import { encodeV1Event } from "../../src/acp/index.js";
import { readCallResult } from "../../src/mcp/call-result.js";
import type { ContentBlock } from "../../src/call/index.js";
import { MemoryLedger } from "../../src/history/index.js";
import { parseScript, scriptedModel } from "../../src/model/index.js";
import type { ScriptStep } from "../../src/model/index.js";
import { schemaCheck, VERSIONS } from "../../src/acp/codec.samples.js";
import { never, text } from "../agent-kit.js";
import { aClient, aTool, fedModel, gateIn, select, sessionOf, shown, soon, statuses } from "./kit.js";
import type { Prompt } from "./kit.js";

const ALLOWED = { rules: [{ allow: "*" }] } as const;
const scripted = (...steps: ScriptStep[]) => scriptedModel(parseScript({ steps }));

test("prompts: overlapping_prompts_serialised: a session runs one turn at a time", async () => {
  const model = fedModel();
  const { session } = await sessionOf({ model: model.model });
  const first = session.prompt(text("one"), never());
  await expect(session.prompt(text("two"), never())).rejects.toMatchObject({ code: "TURN_RUNNING" });
  model.end();
  expect(await first).toMatchObject({ stopReason: "end_turn" });
  expect(await session.prompt(text("two"), never())).toMatchObject({ stopReason: "end_turn" });
});

test("prompts: cancelled_prompt_does_not_poison_next: the next turn runs normally after a cancel", async () => {
  const model = fedModel();
  const { session } = await sessionOf({ model: model.model });
  const stop = new AbortController();
  const first = session.prompt(text("one"), stop.signal);
  await soon(() => expect(model.prompts).toHaveLength(1));
  stop.abort();
  expect(await first).toMatchObject({ stopReason: "cancelled" });
  expect(await session.prompt(text("two"), never())).toMatchObject({ stopReason: "end_turn" });
});

test("prompts: history_isolated_per_session: a session's model gets nothing of another session", async () => {
  const ledger = new MemoryLedger();
  const [one, other] = [fedModel(), fedModel()];
  for (const [model, words] of [
    [one, "apples"],
    [other, "pears"],
  ] as const) {
    const { session } = await sessionOf({ model: model.model }, { ledger });
    model.end();
    await session.prompt(text(words), never());
  }
  expect(JSON.stringify(one.prompts)).not.toContain("pears");
  expect(JSON.stringify(other.prompts)).not.toContain("apples");
});

test("prompts: interim_status_update_on_tool_use: the client sees each call before the turn is over", async () => {
  const model = scripted({ calls: [{ tool: "t", input: {} }] }, { say: "Done." });
  const { session, sent } = await sessionOf({ model, tools: [aTool("t")] });
  let seenBefore = 0;
  session.onRecorded((events) => {
    if (events.some(({ type }) => type === "turn-stopped")) seenBefore = sent.length;
  });
  await session.prompt(text("go"), never());
  expect(seenBefore).toBe(sent.length);
  expect(statuses(sent)).toEqual(["call_1 pending", "call_1 in_progress", "call_1 completed"]);
});

const link = { type: "resource_link", name: "r", uri: "file:///r", mimeType: "text/plain", size: 3 } as const;
const BLOCKS = {
  text: { type: "text", text: "words" },
  image: { type: "image", data: "AA==", mimeType: "image/png" },
  audio: { type: "audio", data: "AA==", mimeType: "audio/wav" },
  link,
  embeddedText: { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "inside" } },
  embeddedBlob: { type: "resource", resource: { uri: "file:///b", mimeType: "x/y", blob: "AA==" } },
} as const satisfies Record<string, ContentBlock>;

const isValid = schemaCheck(VERSIONS[0]);

/** An MCP server's block, as an ACP client gets it. */
async function throughTheGate(block: ContentBlock): Promise<unknown> {
  const tool = aTool("t", () => readCallResult({ content: [block] }, undefined));
  const { gate, sent } = await gateIn({ tools: [tool], ...ALLOWED });
  await gate.call({ name: "t", input: {} });
  for (const update of sent) expect(isValid(update)).toBeNull();
  return shown(sent).content;
}

const item = (content: ContentBlock) => [{ type: "content", content }];

test("content: text_from_mcp: a text reaches the client unchanged", async () => {
  expect(await throughTheGate(BLOCKS.text)).toEqual(item(BLOCKS.text));
});

test("content: image_from_mcp: an image reaches the client unchanged", async () => {
  expect(await throughTheGate(BLOCKS.image)).toEqual(item(BLOCKS.image));
});

test("content: audio_from_mcp: sound reaches the client unchanged", async () => {
  expect(await throughTheGate(BLOCKS.audio)).toEqual(item(BLOCKS.audio));
});

test("content: resource_link_from_mcp: a link reaches the client with all of its fields", async () => {
  expect(await throughTheGate(BLOCKS.link)).toEqual(item(BLOCKS.link));
});

test("content: embedded_text_from_mcp: an embedded text reaches the client unchanged", async () => {
  expect(await throughTheGate(BLOCKS.embeddedText)).toEqual(item(BLOCKS.embeddedText));
});

test("content: embedded_blob_from_mcp: an embedded file reaches the client unchanged", async () => {
  expect(await throughTheGate(BLOCKS.embeddedBlob)).toEqual(item(BLOCKS.embeddedBlob));
});

test("content: unsupported_from_mcp_skipped: an unknown block is reported and left out, and the rest is kept", () => {
  const { content } = readCallResult({ content: [{ type: "hologram" }, BLOCKS.text] }, undefined);
  expect(content).toEqual([
    ...item({ type: "text", text: '[a block of the type "hologram" cannot be read here and was left out]' }),
    ...item(BLOCKS.text),
  ]);
});

type Part = Extract<Prompt[number], { role: "user" }>["content"][number];

function partText(part: Part): string {
  if (part.type === "text") return part.text;
  return `${part.mediaType} ${typeof part.data === "string" ? part.data : "(bytes)"}`;
}

/** The model's view of a prompt with this block. */
async function promptText(block: ContentBlock): Promise<string> {
  const model = fedModel();
  const { session } = await sessionOf({ model: model.model });
  model.end();
  await session.prompt([block], never());
  const said = session.book.snapshot().timeline[0];
  expect(said).toMatchObject({ type: "message", message: { role: "user", blocks: [block] } });
  const [message]: Prompt = model.prompts[0] ?? [];
  if (message?.role !== "user") throw new Error("nobody spoke");
  return message.content.map(partText).join("");
}

test("content: text_from_client: the model gets the user's text", async () => {
  expect(await promptText(BLOCKS.text)).toBe("words");
});

test("content: embedded_text_from_client: the model gets an embedded text", async () => {
  expect(await promptText(BLOCKS.embeddedText)).toContain("inside");
});

test("content: resource_link_from_client: the model gets a link as its name and address", async () => {
  expect(await promptText(BLOCKS.link)).toBe("[r](file:///r)");
});

test("content: image_from_client: the model gets an image", async () => {
  expect(await promptText(BLOCKS.image)).toBe("image/png AA==");
});

test("content: audio_from_client: sound is recorded, and the model gets its name", async () => {
  expect(await promptText(BLOCKS.audio)).toBe("[audio]");
});

test("content: embedded_blob_from_client: an embedded file is recorded, and the model gets its name", async () => {
  expect(await promptText(BLOCKS.embeddedBlob)).toBe("[resource]");
});

test("workflow: step_start_progress_complete: a tool that reports its steps is one call from start to end", async () => {
  const tool = aTool("workflow", (call) => {
    for (const step of [1, 2, 3]) call.progress(step, 3, `step ${step}`);
    return "ok";
  });
  const { gate, sent } = await gateIn({ tools: [tool], ...ALLOWED });
  await gate.call({ name: "workflow", input: {} });
  expect(statuses(sent)).toEqual(["call_1 pending", "call_1 in_progress", "call_1 completed"]);
  expect(sent.map(({ title }) => title)).toContain("Workflow [3/3] - step 3");
});

test("workflow: auto_finish_on_exception: a tool that throws ends as failed, with the error", async () => {
  const tool = aTool("workflow", () => Promise.reject(new Error("lost it")));
  const { gate, sent } = await gateIn({ tools: [tool], ...ALLOWED });
  await gate.call({ name: "workflow", input: {} });
  expect(shown(sent)).toMatchObject({
    status: "failed",
    content: [{ content: { text: "workflow broke: lost it" } }],
  });
});

test("workflow: child_agent_progress: a call inside another is linked to it, and both are reported", async () => {
  const gates: Awaited<ReturnType<typeof gateIn>>["gate"][] = [];
  const parent = aTool("agent_x", async (call) => {
    await gates[0]?.call({ name: "child", input: {}, parentToolCallId: call.toolCallId });
    call.progress(1, 1);
    return "ok";
  });
  const { gate, sent } = await gateIn({ tools: [parent, aTool("child")], ...ALLOWED });
  gates.push(gate);
  await gate.call({ name: "agent_x", input: {} });
  expect(shown(sent, "call_2")).toMatchObject({
    status: "completed",
    _meta: { toolgate: { parentToolCallId: "call_1" } },
  });
  expect(statuses(sent).at(-1)).toBe("call_1 completed");
});

test("workflow: no_handler_without_a_client: refuses a call that no rule allows when nobody can be asked", async () => {
  const { gate } = await gateIn({ tools: [aTool("t")] });
  expect(await gate.call({ name: "t", input: {} })).toMatchObject({
    state: { status: "refused" },
    decision: { reason: "there is nobody to ask" },
  });
});

test("workflow: explicit_handler_wins: asks the given handler", async () => {
  const client = aClient(select("allow_once"));
  const { gate } = await gateIn({ tools: [aTool("t")], ask: client.ask });
  client.seenBy(gate);
  await gate.call({ name: "t", input: {} });
  expect(client.requests).toHaveLength(1);
});

test("integration: tool_call_then_updates_then_final: every call starts with tool_call and ends as completed or failed", async () => {
  const steps: ScriptStep[] = [
    { calls: ["ok", "bad", "missing"].map((tool) => ({ tool, input: {} })) },
    { calls: [{ tool: "ok", input: { again: true } }] },
    { say: "Done." },
  ];
  const tools = [aTool("ok"), aTool("bad", () => ({ output: "no", isError: true }))];
  const { session, sent } = await sessionOf({ model: scripted(...steps), tools });
  await session.prompt(text("go"), never());
  for (const { toolCallId } of session.book.calls()) {
    const own = sent.filter((update) => update.toolCallId === toolCallId);
    expect(own.map(({ sessionUpdate }) => sessionUpdate).indexOf("tool_call")).toBe(0);
    expect(own.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(1);
    expect(own.at(-1)?.status).toMatch(/^(completed|failed)$/);
    for (const update of own) expect(isValid(update)).toBeNull();
  }
  expect(session.book.callCount).toBe(4);
});

test("integration: kind_other: a tool with a neutral name has no kind, and v1 omits the field", async () => {
  const { gate, sent } = await gateIn({ tools: [aTool("zap")], ...ALLOWED });
  expect((await gate.call({ name: "zap", input: {} })).kind).toBe("other");
  expect(sent[0]).not.toHaveProperty("kind");
});

test("integration: execute_read_write_telemetry: a command, a read and a write are each a call that ends", async () => {
  const { gate, sent } = await gateIn({ rules: [{ allow: "*" }], files: { "a.txt": "a" } });
  await gate.call({ name: "terminal", input: { command: "date -u" } });
  await gate.call({ name: "read_file", input: { path: "a.txt" } });
  await gate.call({ name: "write_file", input: { path: "b.txt", content: "b" } });
  for (const [toolCallId, kind] of [
    ["call_1", "execute"],
    ["call_2", "read"],
    ["call_3", "edit"],
  ] as const)
    expect(shown(sent, toolCallId)).toMatchObject({ kind, status: "completed" });
});

test("integration: session_info_updates: the client gets a session's title", () => {
  const event = { type: "info-changed", at: 0, info: { title: "Tidy up" } } as const;
  expect(encodeV1Event(event)).toEqual({ sessionUpdate: "session_info_update", title: "Tidy up" });
});

test("beyond: in_progress_without_streaming: a call without streamed input is reported as in progress too", async () => {
  const { gate, sent } = await gateIn({ tools: [aTool("t")], ...ALLOWED });
  await gate.call({ name: "t", input: {} });
  expect(statuses(sent)).toEqual(["call_1 pending", "call_1 in_progress", "call_1 completed"]);
});

test("beyond: cancel_during_a_tool: closes a call that is stopped while it runs before its turn ends", async () => {
  const stop = new AbortController();
  const tool = aTool("t", async ({ signal }) => {
    stop.abort();
    signal.throwIfAborted();
    return "ok";
  });
  const { session, sent } = await sessionOf({
    model: scripted({ calls: [{ tool: "t", input: {} }] }),
    tools: [tool],
  });
  expect(await session.prompt(text("go"), stop.signal)).toMatchObject({ stopReason: "cancelled" });
  expect(statuses(sent).at(-1)).toBe("call_1 failed");
  expect(session.book.openCalls()).toEqual([]);
});

test("beyond: parallel_permission_requests: two questions are open at once, each for its own call", async () => {
  let release: () => void = () => undefined;
  const both = new Promise<void>((resolve) => (release = resolve));
  const client = aClient(async ({ toolCall }) => {
    if (client.requests.length === 2) release();
    await both;
    return select(toolCall.toolCallId === "call_1" ? "allow_once" : "reject_once")();
  });
  const { gate } = await gateIn({ tools: [aTool("t")], ask: client.ask });
  client.seenBy(gate);
  const calls = await Promise.all([1, 2].map((n) => gate.call({ name: "t", input: { n } })));
  expect(calls.map(({ toolCallId, state }) => `${toolCallId} ${state.status}`).sort()).toEqual([
    "call_1 done",
    "call_2 refused",
  ]);
});

test("beyond: locations_are_sent: the client gets the file and the line of a call", async () => {
  const { gate, root, sent } = await gateIn({ rules: [{ allow: "read" }], files: { "a.txt": "a\nb\n" } });
  await gate.call({ name: "read_file", input: { path: "a.txt", line: 2 } });
  expect(shown(sent).locations).toEqual([{ path: `${root}/a.txt`, line: 2 }]);
});
