import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createToolTitle, splitToolName, toolWords } from "./create-tool-title.js";
import { visibleText } from "./visible-text.js";

test.each<[string, unknown, string]>([
  // crow-agent
  ["read_file", { path: "src/app.ts" }, "Read src/app.ts"],
  ["read_file", { path: "src/app.ts", offset: 10, limit: 31 }, "Read src/app.ts (lines 10-40)"],
  ["list_directory", { path: "src" }, "List src"],
  ["edit_file", { path: "src/app.ts" }, "Edit src/app.ts"],
  ["write_file", { path: "src/app.ts", content: "x" }, "Write src/app.ts"],
  ["grep", { pattern: "x", path: "src" }, "Search for 'x' in src"],
  ["find_path", { glob: "**/*.ts" }, "Find '**/*.ts'"],
  ["terminal", { command: "npm test" }, "Run npm test"],
  ["thinking", { content: "hm" }, "Think"],
  ["fetch", { url: "https://example.com/docs" }, "Fetch example.com/docs"],
  ["web_search", { query: "acp" }, "Search the web for 'acp'"],
  ["todo_write", { todos: [] }, "Update the plan"],
  ["todo_read", {}, "Read the plan"],
  ["task", { description: "Look around", prompt: "…" }, "Task: Look around"],
  // Claude Code, Codex, opencode, Gemini and their like
  ["Read", { file_path: "/a/b.ts" }, "Read /a/b.ts"],
  ["Bash", { command: "npm test", description: "Run the tests" }, "Run npm test"],
  ["Glob", { pattern: "*.ts", path: "src" }, "Find '*.ts' in src"],
  ["MultiEdit", { file_path: "a.ts" }, "Edit a.ts"],
  ["WebFetch", { url: "https://example.com/" }, "Fetch example.com"],
  ["ExitPlanMode", { plan: "…" }, "Leave plan mode"],
  ["shell", { command: ["bash", "-lc", "ls -la"] }, "Run ls -la"],
  ["run_shell_command", { command: "ls" }, "Run ls"],
  ["delete_file", { path: "a.ts" }, "Delete a.ts"],
  ["move_file", { source: "a", destination: "b" }, "Move a to b"],
  ["rename_file", { old_path: "a", new_path: "b" }, "Rename a to b"],
  ["switch_mode", { mode: "plan" }, "Switch mode to plan"],
  // tools nobody knows
  ["create_branch", undefined, "Create branch"],
  ["create_branch", { repo: "x", branch: "fix" }, "Create branch: fix"],
  ["createBranch", { branch: "fix" }, "Create branch: fix"],
  ["HTTPRequest", { url: "https://example.com/a" }, "HTTP request: example.com/a"],
  ["set_password", { password: "hunter2", user: "ann" }, "Set password"],
  ["read_write_file", { path: "a" }, "Read write file: a"],
  ["", { command: "npm test" }, "Tool call: npm test"],
  // tools of a server
  ["mcp__github__create_branch", { branch: "fix" }, "Create branch: fix (github)"],
  ["github__create_branch", {}, "Create branch (github)"],
  ["filesystem/read_text_file", { path: "a.ts" }, "Read a.ts (filesystem)"],
  ["functions.shell", { command: "ls" }, "Run ls"],
])("%s with %j is called %j", (name, input, title) => {
  expect(createToolTitle(name, input)).toBe(title);
});

test.each([
  ["read_file", "Read file"],
  ["bash", "Bash"],
  ["switch_mode", "Switch mode"],
])("%s is called %j while its input has not arrived", (name, title) => {
  for (const input of [undefined, null, {}, "text", []]) expect(createToolTitle(name, input)).toBe(title);
});

test("never makes an empty title", () => {
  for (const name of ["", "   ", "___", "//", "\n"]) expect(createToolTitle(name)).toBe("Tool call");
});

test("shortens a long part in the middle and keeps the server", () => {
  const title = createToolTitle("mcp__files__read_file", { path: `/home/${"x".repeat(500)}/app.ts` });
  expect(title).toMatch(/^Read \/home\/x+…x+\/app\.ts \(files\)$/);
  expect(title.length).toBeLessThanOrEqual(120);
});

test("makes invisible characters of a title visible", () => {
  expect(createToolTitle("bash", { command: "ls \u202Eevil\u200B\nrm" })).toBe(
    "Run ls ⟨U+202E⟩evil⟨U+200B⟩\\nrm",
  );
  expect(createToolTitle("read\u202E_file")).toBe("Read⟨U+202E⟩ file");
});

test("shows the whole name when only a part of it is known", () => {
  expect(createToolTitle("read_удалить", { path: "a" })).toBe("Read удалить: a");
});

test("shows no inherited fields of an input", () => {
  expect(createToolTitle("read_file", Object.create({ path: "a.ts" }))).toBe("Read file");
  expect(createToolTitle("constructor")).toBe("Constructor");
});

test("makes one visible line of at most 120 characters", () => {
  const keys = fc.constantFrom(
    "path",
    "command",
    "url",
    "query",
    "source",
    "to",
    "description",
    "mode",
    "args",
    "x",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.webUrl(),
    fc.string({ minLength: 100, maxLength: 400 }),
  );
  const input = fc.oneof(
    fc.anything(),
    fc.dictionary(keys, fc.oneof(text, fc.array(text, { maxLength: 5 }), fc.integer())),
  );
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.constantFrom(
      "read_file",
      "bash",
      "grep",
      "fetch",
      "move",
      "task",
      "switch_mode",
      "zap",
      "a__b",
      "mcp__x__read",
    ),
  );
  fc.assert(
    fc.property(name, input, (toolName, toolInput) => {
      const title = createToolTitle(toolName, toolInput);
      expect(title).not.toBe("");
      expect(title).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(Array.from(title).length).toBeLessThanOrEqual(120);
      expect(visibleText(title)).toBe(title);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
  );
});

test("gives the same title after its cached name was dropped", () => {
  const titles = () => [
    createToolTitle("mcp__git__create_branch", { name: "main" }),
    createToolTitle("ls", {}),
  ];
  const before = titles();
  for (let count = 0; count < 2000; count += 1) createToolTitle(`tool_${count}`, {});
  expect(titles()).toEqual(before);
});

test.each([
  ["read_file", undefined, "read_file"],
  ["github__create_branch", "github", "create_branch"],
  ["mcp__github__create_branch", "github", "create_branch"],
  ["mcp.github.create_branch", "github", "create_branch"],
  ["mcp__create_branch", "mcp", "create_branch"],
  ["filesystem/read_text", "filesystem", "read_text"],
  ["functions.shell", "functions", "shell"],
  ["default_api:read_file", "default_api", "read_file"],
  ["github__repos__delete", "github", "repos__delete"],
  ["__init__", undefined, "__init__"],
  ["read_file__", undefined, "read_file__"],
  ["", undefined, ""],
  ["//..", undefined, "//.."],
])("%j comes from server %j and is the tool %j", (name, server, tool) => {
  const split = splitToolName(name);
  expect(split.server).toBe(server);
  expect(split.tool).toBe(tool);
});

test.each(["DELETE /users/list", "delete/users", "POST_/users"])(
  "does not take the method in %j for a server",
  (name) => {
    expect(splitToolName(name)).toEqual({ tool: name });
  },
);

test.each([
  ["read_file", ["read", "file"]],
  ["readFile", ["read", "file"]],
  ["HTTPRequest", ["http", "request"]],
  ["getHTTP2Page", ["get", "http", "2", "page"]],
  ["READ-FILE 7", ["read", "file", "7"]],
  ["__", []],
])("the words of %j are %j", (tool, words) => {
  expect(toolWords(tool)).toEqual(words);
});
