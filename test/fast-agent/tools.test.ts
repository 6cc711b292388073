/** fast-agent's tests of kinds, files and the terminal (test_tool_kind_inference, test_filesystem_runtime, test_terminal_runtime). See test/fast-agent/README.md. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endSentence, inferToolKind } from "../../src/call/index.js";
import { KIND_WORDS } from "../../src/call/kind-words.js";
import { parseScript, scriptedModel } from "../../src/model/index.js";
import type { Gate } from "../../src/run/index.js";
import { builtInTools, LocalWorkspace } from "../../src/tools/index.js";
import { folder, never, text } from "../agent-kit.js";
import { aClient, aTool, fedModel, gateIn, select, sessionOf, shown, soon, statuses } from "./kit.js";

const kindOf = (name: string) => inferToolKind(name).kind;

test("kinds: groups_are_valid_acp_kinds: each group of words stands for a kind of ACP", () => {
  const acp = "read edit delete move search execute think fetch switch_mode other".split(" ");
  for (const [kind] of KIND_WORDS) expect(acp).toContain(kind);
});

test("kinds: keywords_unique_across_groups: no word stands for two kinds", () => {
  const words = KIND_WORDS.flatMap(([, group]) => group);
  expect(new Set(words).size).toBe(words.length);
});

test("kinds: names_to_kinds: a tool's name gives its kind, and the more dangerous of two words counts", () => {
  const same = {
    read_file: "read",
    list_issues: "read",
    getWeather: "read",
    get_search_results: "read",
    write_file: "edit",
    create_branch: "edit",
    delete_row: "delete",
    move_file: "move",
    searchCode: "search",
    execute_command: "execute",
    analyze_data: "think",
    frobnicate: "other",
  };
  for (const [name, kind] of Object.entries(same)) expect([name, kindOf(name)]).toEqual([name, kind]);
  // There the first is a read and the second a search.
  expect([kindOf("get_and_delete"), kindOf("run_query")]).toEqual(["delete", "execute"]);
});

test("kinds: fetch_is_network: a network access is a fetch", () => {
  for (const name of ["fetch_page", "http_get", "download_file", "curl"]) expect(kindOf(name)).toBe("fetch");
});

const write = (gate: Gate, path: string, content: string) =>
  gate.call({ name: "write_file", input: { path, content } });

const EDITS = { rules: [{ allow: "edit" }, { allow: "read" }] } as const;

test("files: empty_content_allowed: writes an empty file", async () => {
  const { gate, root } = await gateIn(EDITS);
  await write(gate, "a.txt", "");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("");
});

test("files: whitespace_path_rejected: refuses a path of spaces", async () => {
  const { gate, root } = await gateIn(EDITS);
  for (const path of ["", "  ", "\t\n"]) expect((await write(gate, path, "x")).state.status).toBe("failed");
  expect(await readdir(root)).toEqual([]);
});

test("files: disabled_write_tool_rejected_without_side_effects: refuses a call of a tool that is not offered", async () => {
  const { gate, root } = await gateIn({
    ...EDITS,
    tools: builtInTools.filter(({ name }) => name !== "write_file"),
  });
  expect(endSentence(await write(gate, "a.txt", "x"))).toContain('There is no tool named "write_file"');
  expect(await readdir(root)).toEqual([]);
});

test("files: line_and_limit_forwarded: reads a part of a file", async () => {
  const { gate } = await gateIn({ ...EDITS, files: { "a.txt": "one\ntwo\nthree\n" } });
  const call = await gate.call({ name: "read_file", input: { path: "a.txt", line: 2, limit: 1 } });
  expect(String(call.rawOutput)).toMatch(/^two\n/);
  expect(String(call.rawOutput)).not.toMatch(/one|three/);
});

test("files: order_is_diff_permission_read_diff_write: the diff is exact before the question, and again at the write", async () => {
  const seen: unknown[] = [];
  const client = aClient(async ({ toolCall }) => {
    seen.push(
      toolCall.content?.filter(({ type }) => type === "diff"),
      await readFile(join(root, "a.txt"), "utf8"),
    );
    return select("allow_once")();
  });
  const { gate, root, sent } = await gateIn({ files: { "a.txt": "old" }, ask: client.ask });
  client.seenBy(gate);
  await write(gate, "a.txt", "new");
  const diff = { type: "diff", path: join(root, "a.txt"), oldText: "old", newText: "new" };
  expect(seen).toEqual([[diff], "old"]);
  expect(shown(sent)).toMatchObject({ status: "completed", content: [diff] });
});

test("files: diff_survives_progress_start_update: keeps the diff when the call starts and ends", async () => {
  const { gate, sent } = await gateIn({ ...EDITS, files: { "a.txt": "old" } });
  await write(gate, "a.txt", "new");
  expect(statuses(sent)).toEqual(["call_1 pending", "call_1 in_progress", "call_1 completed"]);
  // Once when it is known, and again with the end.
  expect(sent.filter(({ content }) => content)).toHaveLength(2);
  expect(shown(sent).content).toMatchObject([{ type: "diff", oldText: "old", newText: "new" }]);
});

test("files: denial_sends_preview_only: a refused write shows its diff and changes nothing", async () => {
  const client = aClient(select("reject_once"));
  const { gate, root, sent } = await gateIn({ files: { "a.txt": "old" }, ask: client.ask });
  client.seenBy(gate);
  const call = await write(gate, "a.txt", "new");
  expect(shown(sent)).toMatchObject({
    status: "failed",
    content: [{ type: "diff" }, { content: { text: "Tool call denied by editor. Nothing was run." } }],
  });
  expect([call.rawOutput, await readFile(join(root, "a.txt"), "utf8")]).toEqual([undefined, "old"]);
});

test("files: denial_without_tool_use_id_starts_no_progress: a refused call is never in progress", async () => {
  const { gate, sent } = await gateIn();
  await write(gate, "a.txt", "new");
  expect(statuses(sent)).toEqual(["call_1 pending", "call_1 failed"]);
});

test("files: read_denial_skips_read: the record has nothing of a file that a rule denies", async () => {
  const { gate } = await gateIn({ files: { ".env": "KEY=hidden" }, rules: [{ deny: "read" }] });
  await gate.call({ name: "read_file", input: { path: ".env" } });
  expect(JSON.stringify(gate.book.snapshot())).not.toContain("hidden");
});

test("files: tools_listed: offers the file tools to the model", async () => {
  const model = fedModel();
  const { session } = await sessionOf({ model: model.model });
  model.end();
  await session.prompt(text("go"), never());
  expect(model.offered[0]).toEqual(expect.arrayContaining(["read_file", "write_file", "terminal"]));
});

test("files: tools_callable: a model's calls write and read a file", async () => {
  const steps = [
    { calls: [{ tool: "write_file", input: { path: "a.txt", content: "hello" } }] },
    { calls: [{ tool: "read_file", input: { path: "a.txt" } }] },
    { say: "Done." },
  ];
  const { session, root } = await sessionOf({ model: scriptedModel(parseScript({ steps })) });
  await session.prompt(text("go"), never());
  expect(session.book.call("call_2")).toMatchObject({ state: { status: "done" }, rawOutput: "hello" });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("hello");
});

/** Runs a command past every question, and returns how it ended. */
async function run(input: unknown) {
  const client = aClient(select("allow_once"));
  const { gate, root, sent } = await gateIn({ rules: [{ allow: "*", anyFlags: true }], ask: client.ask });
  client.seenBy(gate);
  const call = await gate.call({ name: "terminal", input });
  const output: unknown = call.rawOutput;
  const printed = typeof output === "object" && output !== null && "output" in output ? output.output : "";
  return { call, root, sent, printed: String(printed), left: await readdir(root) };
}

test("terminal: env_object_to_name_value: sets variables for the command", async () => {
  const { printed } = await run({ command: 'echo "$A-$B"', env: { A: "1", B: "two words" } });
  expect(printed).toBe("1-two words\n");
});

test("terminal: env_array_canonicalised: takes variables as an object, and refuses a list before anything runs", async () => {
  const { call, left } = await run({ command: "touch ran", env: [{ name: "A", value: "1" }] });
  expect([call.state.status, left]).toEqual(["failed", []]);
});

test("terminal: optional_params: a command alone is enough", async () => {
  expect((await run({ command: "echo hi" })).printed).toBe("hi\n");
});

test("terminal: cwd_trimmed: takes a folder as it is written, and reports one that does not exist", async () => {
  const { call } = await run({ command: "pwd", cwd: " . " });
  expect(endSentence(call)).toContain("is not a folder. Nothing was run.");
});

test("terminal: command_split_to_argv: words and quotes reach the program as a shell reads them", async () => {
  expect((await run({ command: `printf '%s|' a 'b c' "d"` })).printed).toBe("a|b c|d|");
});

test("terminal: explicit_args_bypass_wrapper: a custom tool runs a list of words without a shell", async () => {
  const workspace = await LocalWorkspace.open(await folder());
  let printed = "";
  const words = ["printf", "%s", "$HOME; echo x"];
  await workspace.runCommand(words, { signal: never(), onOutput: (piece) => (printed += piece) });
  expect(printed).toBe("$HOME; echo x");
});

test("terminal: explicit_empty_args_keep_literal: one word is one program, with any characters in it", async () => {
  const workspace = await LocalWorkspace.open(await folder());
  const failed = workspace.runCommand(["echo a"], { signal: never(), onOutput: () => undefined });
  await expect(failed).rejects.toThrow("echo a");
});

test("terminal: shell_syntax_wrapped: operators, pipes and redirections work", async () => {
  expect((await run({ command: "echo a && echo b | tr b c; echo d > f; cat f" })).printed).toBe("a\nc\nd\n");
});

test("terminal: quoted_metacharacters_not_wrapped: quoted operators are text", async () => {
  expect((await run({ command: `echo "a && b" 'c | d'` })).printed).toBe("a && b c | d\n");
});

test("terminal: unquoted_operators_wrapped: a word with an operator in it is two commands, for the rules and for the shell", async () => {
  const { gate, root } = await gateIn({ rules: [{ allow: "execute", command: "echo *" }] });
  const call = await gate.call({ name: "terminal", input: { command: "echo a;touch ran" } });
  expect([call.state.status, await readdir(root)]).toEqual(["refused", []]);
});

test("terminal: parametrised_shell_syntax: the shell reads home, variables, builtins and assignments", async () => {
  const command = "cd . && A=1; export A; test -n ~ && echo $A $((1 + 1)) `echo x` $(echo y)";
  expect((await run({ command })).printed).toBe("1 2 x y\n");
});

test("terminal: default_byte_limit: keeps the beginning and the end of long output", async () => {
  const { call, printed } = await run({ command: "echo first; seq 200000; echo last" });
  expect(printed).toMatch(/^first\n/);
  expect(printed).toContain("\nlast\n");
  expect(call.rawOutput).toMatchObject({ truncated: expect.any(Number) });
});

test("terminal: boolean_limit_ignored: ignores an unknown field", async () => {
  expect((await run({ command: "echo hi", outputByteLimit: true })).printed).toBe("hi\n");
});

test("terminal: invalid_args_rejected_before_create: refuses a command that is not a string", async () => {
  const { call, left } = await run({ command: ["touch", "ran"] });
  expect([call.state.status, left]).toEqual(["failed", []]);
});

test("terminal: invalid_env_rejected_before_create: refuses a variable that is not a string", async () => {
  const { call, left } = await run({ command: "touch ran", env: { A: 1 } });
  expect([call.state.status, left]).toEqual(["failed", []]);
});

test("terminal: empty_env_name_rejected_before_create: refuses a variable without a name", async () => {
  const { call, left } = await run({ command: "touch ran", env: { "": "1" } });
  expect([call.state.status, left]).toEqual(["failed", []]);
});

test("terminal: invalid_cwd_rejected_before_create: refuses a folder that is not a string", async () => {
  const { call, left } = await run({ command: "touch ran", cwd: 7 });
  expect([call.state.status, left]).toEqual(["failed", []]);
});

test("terminal: blank_cwd_rejected_before_create: refuses an empty folder, or one of spaces", async () => {
  for (const cwd of ["", "  "]) {
    const { call, left } = await run({ command: "touch ran", cwd });
    expect([call.state.status, left]).toEqual(["failed", []]);
  }
});

test("terminal: permission_denial_notifies_progress: closes a refused command with the reason, and never reports it as in progress", async () => {
  const { gate, root, sent } = await gateIn({
    rules: [{ deny: "execute", command: "touch *", reason: "not here" }],
  });
  await gate.call({ name: "terminal", input: { command: "touch ran" } });
  expect(statuses(sent)).toEqual(["call_1 failed"]);
  expect(JSON.stringify(shown(sent).content)).toContain("not here. Nothing was run.");
  expect(await readdir(root)).toEqual([]);
});

test("terminal: truncated_header: the output says that a part is left out, and how to get it", async () => {
  expect((await run({ command: "seq 200000" })).printed).toContain(
    "[The output is too long to be returned whole.",
  );
});

test("terminal: malformed_output_normalised: shows invalid bytes as marks, and keeps the rest", async () => {
  expect((await run({ command: "printf 'a\\377b\\n'" })).printed).toBe("a\uFFFDb\n");
});

test("terminal: output_limit_calculation: the limit is the same for every model", async () => {
  const { printed } = await run({ command: "seq 200000" });
  expect(printed.length).toBeLessThan(200_000);
});

test("beyond: terminal_output_in_the_call: the call has a command's output, also while it runs", async () => {
  const client = aClient(select("allow_once"));
  const { gate, root, sent } = await gateIn({ ask: client.ask });
  client.seenBy(gate);
  const command = "echo one; until [ -f go ]; do sleep 0.02; done; echo two";
  const call = gate.call({ name: "terminal", input: { command } });
  await soon(() => expect(JSON.stringify(shown(sent).content)).toContain("one"));
  expect(shown(sent).status).toBe("in_progress");
  await writeFile(join(root, "go"), "");
  await call;
  expect(shown(sent)).toMatchObject({ status: "completed", content: [{ content: { text: "one\ntwo\n" } }] });
});

test("beyond: local_tools_are_asked_too: checks a tool that is a plain function like any other", async () => {
  let runs = 0;
  const { gate } = await gateIn({ tools: [aTool("local", () => `${(runs += 1)}`)] });
  expect((await gate.call({ name: "local", input: {} })).state.status).toBe("refused");
  expect(runs).toBe(0);
});
