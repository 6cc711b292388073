import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inferToolKind, type ToolAnnotations } from "./infer-tool-kind.js";
import { KIND_WORDS } from "./kind-words.js";
import { KNOWN_TOOLS } from "./known-tools.js";
import { TOOL_KINDS, type ToolKind } from "./tool-kind.js";

const kindOf = (name: string, input?: unknown, annotations?: ToolAnnotations) =>
  inferToolKind(name, input, annotations).kind;

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** A table as text: "kind: name name name". */
const rows = (table: string): [string, ToolKind][] =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [kind = "", names = ""] = line.split(":");
      return names
        .trim()
        .split(/\s+/)
        .map((name): [string, ToolKind] => [name, kind.trim() as ToolKind]);
    });

test.each(
  rows(`
    read: read_file list_directory
    edit: edit_file edit write_file
    search: grep find_path
    execute: terminal bash
    think: thinking
    fetch: fetch web_search
    other: todo_write todo_read task task_complete now diagnostics`),
)("crow-agent's %s is %s", (name, kind) => {
  expect(inferToolKind(name)).toEqual({ kind, source: "inferred" });
});

test.each(
  rows(`
    fetch: fetch download http request curl
    read: read get list show cat
    edit: write edit update modify patch create
    delete: delete remove clear clean rm
    move: move rename mv copy cp
    search: search find query grep locate
    execute: execute run exec command bash shell
    think: think plan reason analyze`),
)("maps fast-agent's word %s to %s", (word, kind) => {
  expect(kindOf(word)).toBe(kind);
  expect(kindOf(`${word}_thing`)).toBe(kind);
  expect(kindOf(`jira_${word}_thing`)).toBe(kind);
  expect(kindOf(`thing${capital(word)}`)).toBe(kind);
  expect(kindOf(`${word.toUpperCase()}_THING`)).toBe(kind);
});

test.each(
  rows(`
    read: get_search_results get_weather listIssues read_text_file Read LS ListMcpResourcesTool view_image
    edit: create_branch update_ticket Edit Write MultiEdit NotebookEdit apply_patch str_replace_based_edit_tool
    edit: developer__text_editor save_memory mark_as_read write_to_file git_add
    search: Glob Grep search_file_content codebase_search ToolSearch
    execute: run_query Bash BashOutput KillShell PowerShell exec_command local_shell write_stdin container.exec
    execute: run_shell_command developer__shell execute_sql python run_in_terminal
    think: sequentialthinking Think
    fetch: WebFetch WebSearch webfetch websearch google_web_search http_request HTTPRequest browse_page
    fetch: get_pull_request
    delete: delete_file drop_table purge_cache rmdir
    move: move_file rename_symbol copyFile
    switch_mode: ExitPlanMode EnterPlanMode exit_plan_mode switch_mode setMode plan_exit change_session_mode
    other: TodoWrite TodoRead update_plan write_todos manage_todo_list Task Agent TaskCreate AskUserQuestion
    other: request_user_input send_email create_task zap spawn_agent`),
)("%s is %s", (name, kind) => {
  expect(kindOf(name)).toBe(kind);
});

test.each(
  rows(`
    delete: get_and_delete list_remove fetch_then_rm run_and_clean readDelete get_dElete
    execute: find_exec get_command_output search_and_run
    edit: read_write_file find_and_replace get_or_create set_file_mode
    move: list_and_move
    other: get_and_send share_list cancel_query upgrade_plan
    fetch: read_url search_web`),
)("prefers the dangerous word in %s: %s", (name, kind) => {
  expect(kindOf(name)).toBe(kind);
});

test.each(
  rows(`
    delete: search_server__delete_row mcp__read__delete read.delete github__repos__delete DELETE/users/list
    read: filesystem/read_text shell_server__get_version mcp__bash-tools__read_file functions.read_file
    other: search__zap mcp__get__zap read/zap`),
)("ignores the server's name: %s is %s", (name, kind) => {
  expect(kindOf(name)).toBe(kind);
});

test.each(["already", "gettext", "budget", "catalog", "thread", "research", "playlist"])(
  "matches whole words only, so %s is other",
  (name) => {
    expect(kindOf(name)).toBe("other");
  },
);

test.each<[unknown, ToolKind]>([
  [{ command: "ls" }, "execute"],
  [{ cmd: "ls" }, "execute"],
  [{ argv: ["ls", "-l"] }, "execute"],
  [{ sql: "drop table users" }, "execute"],
  [{ url: "https://example.com" }, "fetch"],
  [{ path: "a", content: "" }, "edit"],
  [{ path: "a", new_text: "" }, "edit"],
  [{ path: "a", newText: "" }, "edit"],
  [{ file_path: "a", old_string: "x", new_string: "y" }, "edit"],
  [{ patch: "*** Begin Patch" }, "edit"],
  [{ source: "a", destination: "b" }, "move"],
  [{ query: "x" }, "search"],
  [{ pattern: "x", path: "src" }, "search"],
  [{ path: "a" }, "other"],
  [{ command: 7 }, "other"],
  [Object.create({ command: "ls" }), "other"],
  ["command", "other"],
  [["command"], "other"],
  [null, "other"],
])("infers the kind from the input %j when the name has no known word: %s", (input, kind) => {
  expect(kindOf("zap", input)).toBe(kind);
  expect(kindOf("", input)).toBe(kind);
});

test("lets the input raise the danger of a name, and never lower it", () => {
  expect(kindOf("get_output", { command: "rm -rf build" })).toBe("execute");
  expect(kindOf("read_file", { path: "a", content: "b" })).toBe("edit");
  expect(kindOf("get_page", { url: "https://example.com" })).toBe("fetch");
  expect(kindOf("delete_row", { query: "x" })).toBe("delete");
  expect(kindOf("send_email", { query: "x" })).toBe("other");
  expect(kindOf("str_replace_based_edit_tool", { command: "view", path: "a" })).toBe("edit");
});

test("believes the tool's author and marks the kind as declared", () => {
  expect(inferToolKind("delete_all", {}, { kind: "read" })).toEqual({ kind: "read", source: "declared" });
});

test("ignores a declared kind that does not exist", () => {
  const annotations = { kind: "harmless" } as unknown as ToolAnnotations;
  expect(inferToolKind("delete_all", {}, annotations)).toEqual({ kind: "delete", source: "inferred" });
  const inherited = Object.create({ kind: "read", readOnlyHint: true }) as ToolAnnotations;
  expect(inferToolKind("zap", {}, inherited)).toEqual({ kind: "other", source: "inferred" });
});

test.each<[string, ToolAnnotations, ToolKind]>([
  ["zap", { readOnlyHint: true }, "read"],
  ["zap", { readOnlyHint: true, destructiveHint: true }, "other"],
  ["delete_row", { readOnlyHint: true }, "delete"],
  ["send_email", { readOnlyHint: true }, "other"],
  ["get_row", { destructiveHint: true }, "other"],
  ["search_rows", { destructiveHint: true }, "other"],
  ["think", { destructiveHint: true }, "other"],
  ["get_row", { readOnlyHint: false }, "other"],
  ["get_row", { destructiveHint: false, idempotentHint: true, openWorldHint: false }, "read"],
  ["delete_row", { destructiveHint: false }, "delete"],
  ["run", { destructiveHint: true }, "execute"],
])("%s with the hints %j is %s", (name, annotations, kind) => {
  expect(kindOf(name, {}, annotations)).toBe(kind);
});

test.each([
  ["a look-alike letter", "get_d\u0435lete"],
  ["a hidden character", "get_er\u200Base"],
  ["another script", "read_удалить"],
  ["more than anyone reads", `get_${"x".repeat(100_000)}_delete`],
])("never infers a harmless kind from a name with %s", (_, name) => {
  expect(kindOf(name)).toBe("other");
  expect(kindOf(name, { query: "x" }, { readOnlyHint: true })).toBe("other");
  expect(kindOf(name, { command: "x" })).toBe("execute");
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("a tool called %s is other", (name) => {
  expect(kindOf(name)).toBe("other");
});

test("maps each word and each name to one kind, in lower case", () => {
  const words = KIND_WORDS.flatMap(([, kindWords]) => kindWords);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  expect([...words, ...KNOWN_TOOLS.keys()].filter((word) => !/^[a-z_]+$/.test(word))).toEqual([]);
});

test("infers a known kind from any input", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.anything(), fc.anything(), (name, input, annotations) => {
      expect(TOOL_KINDS).toContain(kindOf(name, input, annotations as ToolAnnotations));
    }),
  );
});

test("finds a dangerous word among harmless ones, however they are joined", () => {
  const harmless = fc.constantFrom(
    "get",
    "list",
    "read",
    "show",
    "search",
    "find",
    "plan",
    "think",
    "row",
    "the",
  );
  const dangerous = fc.constantFrom(
    "delete",
    "remove",
    "rm",
    "run",
    "exec",
    "write",
    "update",
    "move",
    "send",
  );
  const joins = [
    (words: string[]) => words.join("_"),
    (words: string[]) => words.join("-"),
    (words: string[]) => words.map(capital).join(""),
    (words: string[]) => `server__${words.join("_")}`,
    (words: string[]) => `my/${words.join(".")}`,
  ];
  const names = fc
    .tuple(
      fc.array(harmless, { maxLength: 4 }),
      dangerous,
      fc.array(harmless, { maxLength: 4 }),
      fc.constantFrom(...joins),
    )
    .map(([before, word, after, join]) => join([...before, word, ...after]));
  fc.assert(
    fc.property(names, fc.boolean(), (name, readOnlyHint) => {
      expect(["read", "search", "think"]).not.toContain(kindOf(name, { query: "x" }, { readOnlyHint }));
    }),
  );
});
