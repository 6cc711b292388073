/** fast-agent's test_tool_progress.py: how a call is announced, streamed, reported and ended. See test/fast-agent/README.md. */
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Ledger } from "../../src/call/index.js";
import { MemoryLedger } from "../../src/history/index.js";
import { foreignTool } from "../../src/mcp/foreign-tool.js";
import type { Tool, ToolContext } from "../../src/tools/index.js";
import { never, text } from "../agent-kit.js";
import { aTool, delta, fedModel, gateIn, sessionOf, shown, soon, start, statuses, whole } from "./kit.js";
import type { CallUpdate } from "./kit.js";

const ALLOWED = { rules: [{ allow: "*" }] } as const;

/** A tool of an MCP server, as we list it, that does this when it is called. */
function ofServer(server: string, name: string, run: (call: ToolContext) => void = () => undefined): Tool {
  const read = foreignTool(
    { name, inputSchema: { type: "object" } },
    {
      server,
      fingerprint: "0".repeat(64),
      call: async ({ context }) => {
        run(context);
        return { output: "ok" };
      },
    },
  );
  if (!read.ok) throw new Error(read.problem);
  return read.tool;
}

/** A turn whose model is fed by hand, until it is ended. */
async function fed(tools: readonly Tool[] = [aTool("search_it"), aTool("read_it")], ledger?: Ledger) {
  const model = fedModel();
  const opened = await sessionOf({ model: model.model, tools }, ledger && { ledger });
  const stop = new AbortController();
  const turn = opened.session.prompt(text("go"), stop.signal);
  return { ...opened, ...model, stop, turn };
}

const inputsOf = (sent: readonly CallUpdate[]) => sent.map(({ rawInput }) => rawInput);

test("tracker: start_event_sends_notification: a call is announced as pending while the model still writes its input", async () => {
  const { push, end, sent, turn } = await fed();
  push(start("toolu_1", "read_it"));
  await soon(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toEqual({
    sessionUpdate: "tool_call",
    toolCallId: "call_1",
    status: "pending",
    title: "Read it",
    name: "read_it",
    kind: "read",
    _meta: expect.anything(),
  });
  push(whole("toolu_1", "read_it", {}));
  end();
  await turn;
});

test("tracker: on_tool_start_keeps_args_in_raw_input_not_title: a server tool's title has no arguments; rawInput has all", async () => {
  const tool = ofServer("files", "write_it");
  const { gate, sent } = await gateIn({ tools: [tool], ...ALLOWED });
  await gate.call({ name: tool.name, input: { path: "secret.txt", content: "x" } });
  expect(shown(sent)).toMatchObject({
    title: "files/write_it",
    rawInput: { path: "secret.txt", content: "x" },
  });
});

test("tracker: on_tool_start_omits_builtin_server_name: a built-in tool's title names its action, without a server", async () => {
  const { gate, sent } = await gateIn(ALLOWED);
  await gate.call({ name: "terminal", input: { command: "true" } });
  expect(shown(sent).title).toBe("Run true");
});

test("tracker: on_tool_start_does_not_emit_empty_meta: _meta is never an empty object", async () => {
  const { gate, sent } = await gateIn({ tools: [aTool("t")], ...ALLOWED });
  await gate.call({ name: "t", input: {} });
  for (const { _meta } of sent) expect(_meta).not.toEqual({});
});

test("tracker: on_tool_start_attaches_meta_from_context: a child's call carries its parent's id and the tool's own data", async () => {
  const child = aTool("child", () => "ok", { _meta: { mine: 1 } });
  const { gate, sent } = await gateIn({ tools: [aTool("parent"), child], ...ALLOWED });
  const parent = await gate.call({ name: "parent", input: {} });
  await gate.call({ name: "child", input: {}, parentToolCallId: parent.toolCallId });
  expect(shown(sent, "call_2")._meta).toMatchObject({ mine: 1, toolgate: { parentToolCallId: "call_1" } });
});

test("tracker: on_tool_progress_drops_self_parent_link: a call is never its own parent", async () => {
  const tool = aTool("t", (call) => {
    call.progress(1);
    return "ok";
  });
  const { gate, sent } = await gateIn({ tools: [tool], ...ALLOWED });
  const call = await gate.call({ name: "t", input: {}, parentToolCallId: "call_1" });
  expect([call.toolCallId, call.parentToolCallId]).toEqual(["call_1", undefined]);
  for (const { _meta } of sent) expect(_meta?.["toolgate"]).not.toHaveProperty("parentToolCallId");
});

test("tracker: on_tool_complete_keeps_raw_input_for_clients: a client that merges all updates ends with the input and the plain title", async () => {
  const tool = aTool("t", (call) => {
    call.progress(1, 2, "half");
    return "ok";
  });
  const { gate, sent } = await gateIn({ tools: [tool], ...ALLOWED });
  await gate.call({ name: "t", input: { a: 1 } });
  expect(sent.map(({ title }) => title)).toContain("T [1/2] - half");
  expect(sent.at(-1)).toMatchObject({ status: "completed", title: "T", rawOutput: { output: "ok" } });
  expect(shown(sent)).toMatchObject({ status: "completed", title: "T", rawInput: { a: 1 } });
});

test("tracker: permission_denied_clears_ensured_tool_call_state: a refused call is closed, and no update follows", async () => {
  const { gate, sent } = await gateIn({ tools: [aTool("t")], rules: [{ deny: "t" }] });
  await gate.call({ name: "t", input: {} });
  expect(statuses(sent)).toEqual(["call_1 failed"]);
  expect(gate.book.openCalls()).toEqual([]);
  await gate.cancel("over.");
  expect(sent).toHaveLength(1);
});

test("tracker: on_tool_complete_preserves_resource_link_metadata: a link keeps its name, title, type, size and description", async () => {
  const link = {
    type: "resource_link",
    name: "report",
    uri: "file:///r.pdf",
    title: "Report",
    description: "of today",
    mimeType: "application/pdf",
    size: 7,
  } as const;
  const { gate, sent } = await gateIn({ tools: [aTool("t", () => [link])], ...ALLOWED });
  await gate.call({ name: "t", input: {} });
  expect(shown(sent).content).toEqual([{ type: "content", content: link }]);
});

test("tracker: delta_events_only_notify_after_threshold: sends each field as soon as it is complete, without a chunk count in the title", async () => {
  const { push, end, sent, turn } = await fed();
  push(start("toolu_1", "search_it"), delta("toolu_1", '{"query":"a'));
  await soon(() => expect(sent).toHaveLength(1));
  expect(inputsOf(sent)).toEqual([undefined]);
  push(delta("toolu_1", 'bc","pa'));
  await soon(() => expect(shown(sent).rawInput).toEqual({ query: "abc" }));
  push(whole("toolu_1", "search_it", { query: "abc", path: "x" }));
  end();
  await turn;
  expect(shown(sent).rawInput).toEqual({ query: "abc", path: "x" });
  for (const { title } of sent) expect(title ?? "").not.toContain("streaming");
});

test("tracker: delta_chunks_accumulate_correctly: chunks of any size add up to the input", async () => {
  const { push, end, sent, turn } = await fed();
  const input = { query: 'ünï "quoted"\n', list: [1, 2, { deep: true }] };
  push(start("toolu_1", "search_it"));
  push(...Array.from(JSON.stringify(input), (character) => delta("toolu_1", character)));
  await soon(() => expect(shown(sent).rawInput).toEqual(input));
  expect(statuses(sent)).toEqual(["call_1 pending"]);
  push(whole("toolu_1", "search_it", input));
  end();
  await turn;
});

test("tracker: delta_before_start_is_dropped: drops a delta of a call that never started", async () => {
  const { push, end, sent, turn } = await fed();
  push(delta("toolu_1", '{"query":"lost"}'), start("toolu_1", "search_it"));
  push(whole("toolu_1", "search_it", { query: "kept" }));
  end();
  await turn;
  expect(statuses(sent)).toEqual(["call_1 pending", "call_1 in_progress", "call_1 completed"]);
  expect(JSON.stringify(sent)).not.toContain("lost");
});

test("tracker: external_id_set_synchronously_allows_immediate_deltas: keeps deltas that come with the start", async () => {
  const { push, end, sent, turn } = await fed();
  push(start("toolu_1", "search_it"), delta("toolu_1", '{"query":"abc"}'));
  await soon(() => expect(shown(sent).rawInput).toEqual({ query: "abc" }));
  expect(sent[0]).toMatchObject({ sessionUpdate: "tool_call", toolCallId: "call_1" });
  push(whole("toolu_1", "search_it", { query: "abc" }));
  end();
  await turn;
});

test("tracker: immediate_deltas_wait_for_delayed_stream_start: announces the call first, also when recording is slow", async () => {
  class SlowLedger extends MemoryLedger {
    override async append(...args: Parameters<MemoryLedger["append"]>) {
      await setTimeout(20);
      return super.append(...args);
    }
  }
  const { push, end, sent, turn } = await fed(undefined, new SlowLedger());
  push(start("toolu_1", "search_it"), delta("toolu_1", '{"query":"abc","path":'));
  await setTimeout(5);
  push(delta("toolu_1", '"x"}'), whole("toolu_1", "search_it", { query: "abc", path: "x" }));
  end();
  await turn;
  expect(sent.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "tool_call",
    ...sent.slice(1).map(() => "tool_call_update"),
  ]);
  expect(statuses(sent)).toEqual(["call_1 pending", "call_1 in_progress", "call_1 completed"]);
});

test("tracker: delta_task_does_not_replace_stream_start_task: a hundred deltas at once announce the call once", async () => {
  const { push, end, sent, turn } = await fed();
  push(start("toolu_1", "search_it"), ...Array.from({ length: 100 }, () => delta("toolu_1", " ")));
  push(whole("toolu_1", "search_it", {}));
  end();
  await turn;
  expect(sent.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(1);
});

test("tracker: cleanup_session_tools_cancels_pending_stream_start_task: a cancel closes a call whose input is still streaming", async () => {
  const { push, sent, turn, stop, session } = await fed();
  push(start("toolu_1", "search_it"));
  await soon(() => expect(sent).toHaveLength(1));
  stop.abort();
  expect(await turn).toEqual({ status: "stopped", stopReason: "cancelled" });
  expect(sent.at(-1)).toMatchObject({
    status: "failed",
    content: [{ content: { text: "Tool call cancelled: the turn was cancelled." } }],
  });
  expect(session.book.openCalls()).toEqual([]);
});

test("tracker: multiple_tools_tracked_independently: calls that stream at the same time each get their own input", async () => {
  const { push, end, sent, turn } = await fed();
  push(start("toolu_1", "search_it"), start("toolu_2", "read_it"));
  push(delta("toolu_1", '{"query":'), delta("toolu_2", '{"path":"b'), delta("toolu_1", '"a"}'));
  push(delta("toolu_2", '"}'));
  await soon(() => {
    expect(shown(sent, "call_1")).toMatchObject({ name: "search_it", rawInput: { query: "a" } });
    expect(shown(sent, "call_2")).toMatchObject({ name: "read_it", rawInput: { path: "b" } });
  });
  push(whole("toolu_1", "search_it", { query: "a" }), whole("toolu_2", "read_it", { path: "b" }));
  end();
  await turn;
});

test("tracker: parallel_tools_full_lifecycle: two calls at once send six messages, and both complete", async () => {
  const { gate, sent } = await gateIn({ tools: [aTool("a"), aTool("b")], ...ALLOWED });
  await gate.submit([
    { name: "a", input: {} },
    { name: "b", input: {} },
  ]);
  await gate.proceed(never());
  expect(sent).toHaveLength(6);
  for (const toolCallId of ["call_1", "call_2"])
    expect(statuses(sent.filter((update) => update.toolCallId === toolCallId))).toEqual([
      `${toolCallId} pending`,
      `${toolCallId} in_progress`,
      `${toolCallId} completed`,
    ]);
});

test("tracker: stream_start_then_on_tool_start_updates_same_tool_call_id: a call keeps its id from its first delta to its end", async () => {
  const { push, end, sent, turn } = await fed();
  push(start("toolu_1", "read_it"), whole("toolu_1", "read_it", { path: "a" }));
  end();
  await turn;
  expect(new Set(sent.map(({ toolCallId }) => toolCallId))).toEqual(new Set(["call_1"]));
  expect(shown(sent)).toMatchObject({
    status: "completed",
    _meta: { toolgate: { providerCallId: "toolu_1" } },
  });
});

test("tracker: on_tool_start_before_stream_start_dedups_late_stream_start: a start that comes after its call does not run it twice", async () => {
  let runs = 0;
  const { push, end, turn, session } = await fed([aTool("read_it", () => `${(runs += 1)}`)]);
  push(whole("toolu_1", "read_it", {}), start("toolu_1", "read_it"));
  end();
  await turn;
  expect(runs).toBe(1);
  expect([...session.book.calls()].filter(({ state }) => state.status === "done")).toHaveLength(1);
  expect(session.book.openCalls()).toEqual([]);
});

test("tracker: duplicate_stream_start_events_are_deduped: a call that starts twice runs once, and no call stays open", async () => {
  let runs = 0;
  const { push, end, turn, session } = await fed([aTool("read_it", () => `${(runs += 1)}`)]);
  push(start("toolu_1", "read_it"), start("toolu_1", "read_it"), whole("toolu_1", "read_it", {}));
  end();
  await turn;
  expect(runs).toBe(1);
  expect([...session.book.calls()].filter(({ state }) => state.status === "done")).toHaveLength(1);
  expect(session.book.openCalls()).toEqual([]);
});

/** The titles that are sent while a server's tool reports this. */
async function progressTitles(...reported: Parameters<ToolContext["progress"]>): Promise<readonly unknown[]> {
  const tool = ofServer("files", "download", (call) => call.progress(...reported));
  const { gate, sent } = await gateIn({ tools: [tool], ...ALLOWED });
  await gate.call({ name: tool.name, input: { url: "https://example.com/big" } });
  return sent.flatMap(({ title }) => title ?? []);
}

test('tracker: progress_updates_title_with_progress_and_total: the title says "[50/100] - Downloading..."', async () => {
  expect(await progressTitles(50, 100, "Downloading...")).toContain(
    "files/download [50/100] - Downloading...",
  );
});

test('tracker: progress_updates_title_with_progress_only: without a total it says "[10] - Downloading..."', async () => {
  expect(await progressTitles(10, undefined, "Downloading...")).toContain(
    "files/download [10] - Downloading...",
  );
});

test("tracker: progress_title_uses_simple_format: progress adds no argument to a server tool's title, and disappears when the call ends", async () => {
  const titles = await progressTitles(1, 2);
  expect(titles).toEqual(["files/download", "files/download [1/2]", "files/download"]);
});
