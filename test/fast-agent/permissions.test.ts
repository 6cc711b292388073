/** fast-agent's test_tool_permissions.py: results, the store, the adapter and the manager. See test/fast-agent/README.md. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readV1Outcome } from "../../src/acp/index.js";
import { createToolTitle, isYes } from "../../src/call/index.js";
import type { Question, ToolCall } from "../../src/call/index.js";
import type { Rule } from "../../src/policy/index.js";
import type { Gate } from "../../src/run/index.js";
import { GrantStore, rulesFromAuths } from "../../src/settings/index.js";
import type { Tool } from "../../src/tools/index.js";
import { folder } from "../agent-kit.js";
import { aClient, aTool, gateIn, select } from "./kit.js";

const question: Question = {
  questionId: "q",
  sessionId: "s",
  toolCallId: "call_1",
  intentHash: "h",
  title: "T",
  options: (["allow_once", "allow_always", "reject_once", "reject_always"] as const).map((kind) => ({
    optionId: kind,
    name: kind,
    kind,
  })),
  askedAt: 0,
};

/** Whether a client's answer is a yes; "cancelled" when it is none at all. */
function read(result: unknown): boolean | "cancelled" {
  const outcome = readV1Outcome(result, question);
  if (outcome === "cancelled") return outcome;
  return isYes(question, { outcome, intentHash: "h", by: "person", at: 0 });
}

test("results: allow_once: is a yes", () => {
  expect(read(select("allow_once")())).toBe(true);
});

test("results: allow_always: is a yes", () => {
  expect(read(select("allow_always")())).toBe(true);
});

test("results: reject_once: is a no", () => {
  expect(read(select("reject_once")())).toBe(false);
});

test("results: reject_always: is a no", () => {
  expect(read(select("reject_always")())).toBe(false);
});

test("results: cancelled: is no answer, and an unreadable answer is a no", () => {
  expect(read({ outcome: { outcome: "cancelled" } })).toBe("cancelled");
  for (const odd of [undefined, null, {}, { outcome: {} }, select("allow_everything")(), "allow_once"])
    expect(read(odd)).toBe(false);
});

const PROJECT = { type: "project", root: "/project" } as const;

async function aStore() {
  const place = await folder();
  return { place, store: new GrantStore(place) };
}

const rulesIn = (store: GrantStore): readonly Rule[] =>
  store.rulesFor({ projectRoot: "/project", now: Date.now() }).map(({ rule }) => rule);

const allowing = (tool: string, server?: string) => ({
  sentence: `Always allow ${tool}`,
  rules: [{ allow: tool, ...(server !== undefined && { server }) }],
});
const refusing = (tool: string) => ({ sentence: `Always refuse ${tool}`, rules: [{ deny: tool }] });

test("store: returns_none_for_unknown_tools: a tool that was never stored has no rule", async () => {
  const { store } = await aStore();
  expect(rulesIn(store)).toEqual([]);
});

test("store: stores_and_retrieves_allow_always: an allowance is a rule", async () => {
  const { store } = await aStore();
  await store.add(allowing("write", "files"), PROJECT);
  expect(rulesIn(store)).toEqual([{ allow: "write", server: "files" }]);
});

test("store: stores_and_retrieves_reject_always: a refusal is a rule", async () => {
  const { store } = await aStore();
  await store.add(refusing("rm_all"), PROJECT);
  expect(rulesIn(store)).toEqual([{ deny: "rm_all" }]);
});

test("store: persists_across_instances: another instance reads it", async () => {
  const { store, place } = await aStore();
  await store.add(allowing("write"), PROJECT);
  expect(rulesIn(new GrantStore(place))).toEqual([{ allow: "write" }]);
});

test("store: persists_names_with_delimiters: bars and slashes are part of a name", async () => {
  const { store, place } = await aStore();
  await store.add(allowing("a|b/c", "d/e|f"), PROJECT);
  expect(rulesIn(new GrantStore(place))).toEqual([{ allow: "a|b/c", server: "d/e|f" }]);
  expect(rulesFromAuths("| d/e\\|f | a\\|b/c | allow_always |").rules).toEqual([
    { allow: "a|b/c", server: "d/e|f" },
  ]);
});

test("store: only_creates_file_when_permission_set: reading creates no file", async () => {
  const { store } = await aStore();
  rulesIn(store);
  store.list();
  expect(existsSync(store.path)).toBe(false);
  await store.add(allowing("write"), PROJECT);
  expect(existsSync(store.path)).toBe(true);
});

test("store: handles_missing_file: a missing file is no error", async () => {
  const { store } = await aStore();
  expect([store.list(), store.problem]).toEqual([[], undefined]);
});

test("store: removes_permission: a revoked grant stops counting for every instance", async () => {
  const { store, place } = await aStore();
  const { grantId } = await store.add(allowing("write"), PROJECT);
  expect(await store.revoke(grantId)).toBe(true);
  expect([rulesIn(store), rulesIn(new GrantStore(place))]).toEqual([[], []]);
  expect(existsSync(store.path)).toBe(true);
});

test("store: remove_returns_false_for_missing: refuses to revoke a missing grant", async () => {
  const { store } = await aStore();
  expect(await store.revoke("nothing")).toBe(false);
});

test("store: clear_removes_all: no grant is left after each was listed and revoked", async () => {
  const { store } = await aStore();
  for (const tool of ["a", "b", "c"]) await store.add(allowing(tool), PROJECT);
  for (const { grantId } of store.list()) await store.revoke(grantId);
  expect([store.list(), rulesIn(store)]).toEqual([[], []]);
});

test("store: file_format_is_human_readable: the file is indented JSON with the approved sentence", async () => {
  const { store } = await aStore();
  await store.add(allowing("write"), PROJECT);
  expect(readFileSync(store.path, "utf8")).toMatch(/^ +"sentence": "Always allow write",$/m);
});

test("store: concurrent_access_is_safe: keeps every grant when two instances add many at once", async () => {
  const { store, place } = await aStore();
  const other = new GrantStore(place);
  const tools = Array.from({ length: 20 }, (_, index) => `tool_${index}`);
  await Promise.all(tools.map((tool, index) => (index % 2 ? store : other).add(allowing(tool), PROJECT)));
  expect(
    rulesIn(new GrantStore(place))
      .map((rule) => ("allow" in rule ? rule.allow : ""))
      .sort(),
  ).toEqual(tools.sort());
});

const TABLE = "| Server | Tool | Permission |\n|--------|------|------------|\n";

test("store: malformed_rows_are_skipped: the import names each row that it leaves out, and why", () => {
  const { rules, skipped } = rulesFromAuths(`${TABLE}| half\n| files | write | allow_always |\n`);
  expect(rules).toEqual([{ allow: "write", server: "files" }]);
  expect(skipped).toEqual(["line 3: it names no server or no tool; skipped: | half"]);
});

test("store: invalid_values_are_skipped: an unknown permission word gives no rule", () => {
  expect(rulesFromAuths(`${TABLE}| files | write | maybe |\n`)).toMatchObject({
    rules: [],
    skipped: [expect.stringContaining('"maybe" is neither allow_always nor reject_always')],
  });
});

test("store: empty_file_is_read: an empty table file gives nothing, and our own empty file counts as broken", async () => {
  expect(rulesFromAuths("")).toEqual({ rules: [], skipped: [] });
  const { place } = await aStore();
  writeFileSync(join(place, "grants.json"), "");
  const store = new GrantStore(place);
  expect(store.problem).toContain("grants.json");
  expect(rulesIn(store)).toMatchObject([{ ask: "*" }]);
});

test("store: only_headers_are_read: a table without rows gives nothing", () => {
  expect(rulesFromAuths(TABLE)).toEqual({ rules: [], skipped: [] });
});

test("store: mixed_rows_are_read: good rows count beside bad ones", () => {
  const rows = "| a | x | allow_always |\n| b | y | perhaps |\n| c | z | reject_always |\n";
  expect(rulesFromAuths(TABLE + rows)).toMatchObject({
    rules: [
      { allow: "x", server: "a" },
      { deny: "z", server: "c" },
    ],
    skipped: [expect.stringContaining("line 4")],
  });
});

test("store: blank_names_are_skipped: a row without a server or a tool gives no rule", () => {
  const rows = "|  | x | allow_always |\n| b |  | allow_always |\n";
  expect(rulesFromAuths(TABLE + rows)).toMatchObject({ rules: [], skipped: [{}, {}] });
});

test("store: overwrites_existing: a later no beats an earlier yes", async () => {
  const { store } = await aStore();
  await store.add(allowing("t"), PROJECT);
  await store.add(refusing("t"), PROJECT);
  const { gate } = await gateIn({ tools: [aTool("t")], policy: () => ({ rules: rulesIn(store) }) });
  expect(await statusOf(gate, "t")).toBe("refused");
});

test("store: special_characters: names in any script come back unchanged", async () => {
  const { store, place } = await aStore();
  await store.add(allowing('schreibe_ä 写 "x" \\ #'), PROJECT);
  expect(rulesIn(new GrantStore(place))).toEqual([{ allow: 'schreibe_ä 写 "x" \\ #' }]);
});

/** A gate that asks a client over ACP v1, and remembers in a store. */
async function managed(
  answer: Parameters<typeof aClient>[0],
  tools: readonly Tool[] = [aTool("t")],
  kept?: GrantStore,
) {
  const client = aClient(answer);
  const store = kept ?? (await aStore()).store;
  const opened = await gateIn({
    tools,
    ask: client.ask,
    policy: () => ({ rules: rulesIn(store) }),
    remember: async (grant) => void (await store.add(grant, PROJECT, { grantId: grant.grantId })),
  });
  client.seenBy(opened.gate);
  return { ...opened, store, requests: client.requests };
}

/** Hashes of a tool's definition, and of its server. */
const SEEN = { definition: "0".repeat(64), fingerprint: "1".repeat(64) };

async function statusOf(gate: Gate, name: string, input: object = {}): Promise<ToolCall["state"]["status"]> {
  return (await gate.call({ name, input })).state.status;
}

test("adapter: uses_acp_tool_call_id_from_progress_manager: the request is about the call that was announced", async () => {
  const { gate, requests, sent } = await managed(select("allow_once"));
  await gate.call({ name: "t", input: {}, providerCallId: "toolu_1" });
  expect(requests[0]?.toolCall.toolCallId).toBe(sent[0]?.toolCallId);
});

test("adapter: does_not_use_provider_tool_use_id_as_acp_tool_call_id: two calls with one provider id are two calls", async () => {
  const { gate, requests } = await managed(select("allow_once"));
  await gate.call({ name: "t", input: { n: 1 }, providerCallId: "toolu_1" });
  await gate.call({ name: "t", input: { n: 2 }, providerCallId: "toolu_1" });
  expect(requests.map(({ toolCall }) => toolCall.toolCallId)).toEqual(["call_1", "call_2"]);
});

test("manager: stored_allow_answers_without_a_client_call: the call runs unasked", async () => {
  const { gate, store, requests } = await managed(select("reject_once"));
  await store.add(allowing("t"), PROJECT);
  expect([await statusOf(gate, "t"), requests]).toEqual(["done", []]);
});

test("manager: stored_reject_answers_without_a_client_call: the call is refused unasked", async () => {
  const { gate, store, requests } = await managed(select("allow_once"));
  await store.add(refusing("t"), PROJECT);
  expect([await statusOf(gate, "t"), requests]).toEqual(["refused", []]);
});

test("manager: requests_from_client_when_not_stored: the client is asked, with five options and more behind a sixth", async () => {
  const { gate, requests } = await managed(select("allow_once"));
  expect(await statusOf(gate, "t")).toBe("done");
  expect(requests.map(({ options }) => options.map(({ kind }) => kind))).toEqual([
    // "Always" comes twice: for the project, and for this session. The last option answers nothing by itself.
    ["allow_once", "allow_always", "allow_always", "reject_once", "reject_always", "reject_once"],
  ]);
});

test("manager: remembered_option_names_state_tool_scope: the option's name is the exact rule that it stores", async () => {
  const tool = aTool("files__write_it", () => "ok", {
    origin: { server: "files", tool: "write_it", ...SEEN },
  });
  const { gate, requests } = await managed(select("reject_once"), [tool]);
  await gate.call({ name: tool.name, input: {} });
  expect(requests[0]?.options.map(({ name }) => name)).toEqual([
    "Allow once",
    "Always allow the tool write_it of files, as it is now, in this project",
    "Always allow the tool write_it of files, as it is now, in this session",
    "Reject",
    "Always refuse the tool write_it of files in this project",
    "More answers: for a time, for all alike",
  ]);
});

test("manager: allow_always_is_tool_scoped_not_argument_scoped: a tool is allowed as such, a command by its words, a file by its path", async () => {
  const plain = await managed(select("allow_always"));
  await statusOf(plain.gate, "t", { n: 1 });
  await statusOf(plain.gate, "t", { n: 2 });
  expect(plain.requests).toHaveLength(1);
  const client = aClient(select("allow_always"));
  const { store } = await aStore();
  const { gate } = await gateIn({
    ask: client.ask,
    policy: () => ({ rules: rulesIn(store) }),
    remember: async (grant) => void (await store.add(grant, PROJECT)),
  });
  client.seenBy(gate);
  for (const command of ["date -u", "date -u", "date"]) await statusOf(gate, "terminal", { command });
  expect(client.requests).toHaveLength(2);
  for (const path of ["a", "a", "b"]) await statusOf(gate, "write_file", { path, content: path });
  expect(client.requests).toHaveLength(4);
});

test("manager: long_arguments_stay_in_raw_input: the title is short and the input whole", async () => {
  const { gate, requests } = await managed(select("allow_once"));
  const query = "x".repeat(5000);
  await gate.call({ name: "t", input: { query } });
  expect(requests[0]?.toolCall.rawInput).toEqual({ query });
  expect(requests[0]?.toolCall.title?.length).toBeLessThan(150);
});

test("manager: builtin_server_omitted_in_title: a built-in tool's request names no server", async () => {
  const client = aClient(select("reject_once"));
  const { gate } = await gateIn({ ask: client.ask });
  client.seenBy(gate);
  await gate.call({ name: "terminal", input: { command: "make" } });
  expect(client.requests[0]?.toolCall).toMatchObject({ title: "Run make", kind: "execute" });
});

test("manager: persists_allow_always: another session of the project is not asked", async () => {
  const first = await managed(select("allow_always"));
  await statusOf(first.gate, "t");
  const second = await managed(select("reject_once"), undefined, first.store);
  expect([await statusOf(second.gate, "t"), second.requests]).toEqual(["done", []]);
});

test("manager: persists_reject_always: another session of the project is refused unasked", async () => {
  const first = await managed(select("reject_always"));
  expect(await statusOf(first.gate, "t")).toBe("refused");
  const second = await managed(select("allow_once"), undefined, first.store);
  expect([await statusOf(second.gate, "t"), second.requests]).toEqual(["refused", []]);
});

test("manager: handles_cancelled_response: is a no, and nothing is stored", async () => {
  const { gate, store } = await managed(() => ({ outcome: { outcome: "cancelled" } }));
  expect(await statusOf(gate, "t")).toBe("refused");
  expect(store.list()).toEqual([]);
});

test("manager: fail_safe_denies_on_connection_error: a disconnected client means no", async () => {
  const { gate } = await managed(() => Promise.reject(new Error("connection closed")));
  const call = await gate.call({ name: "t", input: {} });
  expect(call).toMatchObject({
    state: { status: "refused" },
    decision: { reason: expect.stringContaining("connection closed") },
  });
});

test("manager: session_cache_avoids_repeated_client_calls: an always takes effect at once in the same session", async () => {
  const { gate, requests } = await managed(select("allow_always"));
  for (const n of [1, 2, 3]) expect(await statusOf(gate, "t", { n })).toBe("done");
  expect(requests).toHaveLength(1);
});

test("manager: cache_keys_with_slashes_do_not_collide: a/b of c and b of c/a are two tools", async () => {
  const one = aTool("one", () => "ok", { origin: { server: "x", tool: "y/z", ...SEEN } });
  const other = aTool("other", () => "ok", { origin: { server: "x/y", tool: "z", ...SEEN } });
  const { gate, requests } = await managed(select("allow_always"), [one, other]);
  await statusOf(gate, "one");
  await statusOf(gate, "other");
  expect(requests).toHaveLength(2);
});

test("manager: clears_session_cache: a session's grant does not count in another session", async () => {
  const { store } = await aStore();
  await store.add(allowing("t"), { type: "session", sessionId: "one" });
  const rules = (sessionId: string) =>
    store.rulesFor({ projectRoot: "/project", sessionId, now: Date.now() });
  expect([rules("one").length, rules("two").length]).toEqual([1, 0]);
});

test("manager: allow_once_does_not_persist: the next call is asked again, and nothing is stored", async () => {
  const { gate, store, requests } = await managed(select("allow_once"));
  await statusOf(gate, "t", { n: 1 });
  await statusOf(gate, "t", { n: 2 });
  expect([requests.length, existsSync(store.path)]).toEqual([2, false]);
});

test("manager: reject_once_does_not_persist: the next call is asked again, and nothing is stored", async () => {
  const { gate, store, requests } = await managed(select("reject_once"));
  await statusOf(gate, "t", { n: 1 });
  await statusOf(gate, "t", { n: 2 });
  expect([requests.length, existsSync(store.path)]).toEqual([2, false]);
});

test("manager: build_tool_title_strips_line_breaks: a title is one line for any name and argument", () => {
  const titles = [
    createToolTitle("read\nfile", { path: "a\r\nb" }),
    createToolTitle("terminal", { command: "echo a\nrm b" }),
  ];
  for (const title of titles) expect(title).not.toMatch(/[\r\n]/);
});
