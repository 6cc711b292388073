import * as fc from "fast-check";
import { expect, test } from "vitest";
import { unknownFields } from "./unknown-fields.js";

test.each<readonly [string, object]>([
  ["claude's Bash", { command: "ls", description: "look", timeout: 5_000, run_in_background: true }],
  ["claude's Bash in its sandbox", { command: "ls", dangerouslyDisableSandbox: false }],
  ["opencode's bash", { command: "ls", description: "look", cwd: "/ws", workdir: "/ws", timeout: 1 }],
  ["Gemini's shell", { command: "ls", description: "look", dir_path: "sub", is_background: false }],
  ["a program and its words", { command: "ls", args: ["-l"], env: {}, stdin: null }],
  ["a call inside of another", { arguments: { cmd: "ls", explanation: "look" } }],
  [
    "Codex's request",
    {
      call_id: "call_1",
      turn_id: "01a1e177-6002-7ee0-af2b-b236c6f96b95",
      started_at_ms: 1_794_784_059_708,
      command: ["/bin/bash", "-lc", "ls src"],
      cwd: "/ws",
      proposed_execpolicy_amendment: ["/bin/bash", "-lc", "ls src"],
      available_decisions: ["approved", { approved_execpolicy_amendment: { a: ["ls"] } }, "abort"],
      parsed_cmd: [{ type: "list_files", cmd: "ls src", path: "src" }],
      interaction_input: null,
      process_id: "75753",
      source: "unified_exec_startup",
    },
  ],
])("knows every field of %s", (_, input) => {
  expect(unknownFields(input, "command")).toEqual([]);
});

test.each<readonly [object, string]>([
  [{ command: "ls", env: { LD_PRELOAD: "x" } }, "env"],
  [{ command: "ls", Environment: [{ name: "A", value: "b" }] }, "Environment"],
  [{ command: "ls", script: "rm -rf /" }, "script"],
  [{ cmd: "ls", steps: [{ exec: "rm -rf x" }] }, "steps"],
  [{ command: "ls", stdin: "evil" }, "stdin"],
  [{ command: "ls", std_in: ["evil"] }, "std_in"],
  [{ command: "ls", code: "import os", interpreter: "python" }, "code"],
  [{ command: "ls", shell: "/ws/evil" }, "shell"],
  [{ command: "ls", input: "y" }, "input"],
  [{ command: "ls", preCommand: "rm -rf x" }, "preCommand"],
  [{ command: "ls", args: "-l; rm -rf x" }, "args"],
  [{ commands: ["ls"], args: ["rm"] }, "args"],
  [{ command: "ls", arguments: { after: "rm -rf x" } }, "arguments.after"],
  [{ command: "ls", options: { hooks: { after: ["rm"] } } }, "options"],
  [{ command: "ls", description: { run: "rm" } }, "description"],
  [{ command: "ls", timeout: "1; rm -rf x" }, "timeout"],
  [{ command: "ls", call_id: "$(rm -rf x)" }, "call_id"],
  [{ command: "ls", run_in_background: "rm -rf x" }, "run_in_background"],
  [{ command: "ls", dangerouslyDisableSandbox: true }, "dangerouslyDisableSandbox"],
  [{ command: "ls", asRoot: true }, "asRoot"],
  [{ command: "ls", output_file: ".git/hooks/pre-commit" }, "output_file"],
  [{ command: "ls", file: "evil.sh" }, "file"],
  [{ command: "ls", parsed_cmd: [{ cmd: "ls", after: "rm" }] }, "parsed_cmd.after"],
  [{ command: "ls", "": "rm -rf x" }, ""],
  [{ command: "ls", __proto__x: { a: 1 } }, "__proto__x"],
])("does not know a field of %j", (input, name) => {
  expect(unknownFields(input, "command")[0]).toBe(name);
});

test("knows what agents send to edit a file, and no code beside it", () => {
  for (const input of [
    { file_path: "/ws/a", old_string: "a", new_string: "b", replace_all: true },
    { file_path: "/ws/a", edits: [{ old_string: "a", new_string: "b" }] },
    { notebook_path: "/ws/a", new_source: "x", cell_id: "1", cell_type: "code", edit_mode: "insert" },
    { path: "/ws/a", content_length: 7 },
    { call_id: "c", changes: { "/ws/a": { type: "update", unified_diff: "@@", move_path: null } } },
    { changes: { "/ws/a": { add: { content: "x" } } }, grant_root: null, auto_approved: false },
  ])
    expect(unknownFields(input, "path"), JSON.stringify(input)).toEqual([]);
  expect(unknownFields({ path: "/ws/a", content: "x", script: "rm" }, "path")).toEqual(["script"]);
  expect(unknownFields({ changes: { "/ws/a": { add: { run: "rm" } } } }, "path")).toEqual([
    "changes.add.run",
  ]);
});

test("doubts an unknown field name at any depth, whatever its value is", () => {
  const value = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
    fc.dictionary(fc.string(), fc.string(), { minKeys: 1 }),
  );
  const holder = fc.constantFrom<readonly string[]>([], ["input"], ["arguments"], ["params", "input"]);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), value, holder, (name, held, path) => {
      const field = { [`x-${name}-unknown`]: held };
      const inside = path.reduceRight<object>((inner, one) => ({ [one]: inner }), field);
      expect(unknownFields({ command: "ls", ...inside }, "command")).toHaveLength(1);
    }),
  );
});
