/** All that a foreign agent's call carries counts: each folder, server, patch and operation, and what was reported before. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inMode } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { choose, drive as driveAlone } from "./acp-client-kit.js";
import { isAlive } from "./is-alive.js";
import { until } from "./until.js";
import type { Driven, DriveOptions } from "./acp-client-kit.js";

const files = { "run.sh": "#!/bin/sh\necho good\n" };
async function drive(options: DriveOptions): Promise<Driven> {
  const driven = await driveAlone("runs the given steps", { isShared: true, ...options });
  for (const name of ["a", "evil", "src", "gen", ".github/workflows"])
    mkdirSync(join(driven.cwd, name), { recursive: true });
  writeFileSync(join(driven.cwd, "a/x"), "x\n");
  symlinkSync("/etc/passwd", join(driven.cwd, "evil/x"));
  return driven;
}
const edit = { path: "src/a.ts", content: "x" };
const patch = (text: string) => ({ patch: text });

const asks = (kind: string, rawInput: unknown, more: object = {}) => [
  { permit: { toolCallId: "t1", title: "t", kind, rawInput, ...more } },
];

describe("evidence against calls that look like allowed ones", () => {
  const rules: readonly Rule[] = [{ allow: "edit" }, { allow: "fetch", host: "docs.example.com" }];
  const docs = "https://docs.example.com/";
  test.each<readonly [string, string, unknown]>([
    ["a move to a protected file", "edit", { ...edit, move_path: "AGENTS.md" }],
    [
      "such a move in a change",
      "edit",
      { changes: { "src/a.ts": { type: "update", unified_diff: "@@", move_path: "AGENTS.md" } } },
    ],
    ["a root that is granted", "edit", { ...edit, grant_root: ".git" }],
    [
      "a rename in a patch",
      "edit",
      { path: "src/a.ts", patch: "rename from src/a.ts\nrename to AGENTS.md\n" },
    ],
    ["a name with a date", "edit", patch("--- src/a.ts\n+++ AGENTS.md\t2024-01-01\n@@ -1 +1 @@\n-x\n+y\n")],
    ["a name in quotes", "edit", patch('--- src/a.ts\n+++ "b/AGENTS.md"\n@@ -1 +1 @@\n-x\n+y\n')],
    ["an index line", "edit", { path: "src/a.ts", patch: "Index: AGENTS.md\n@@ -1 +1 @@\n-x\n+y\n" }],
    ["an indented marker", "edit", { path: "src/a.ts", patch: " *** Add File: AGENTS.md\n+evil\n" }],
    [
      "a patch with lines of no known meaning",
      "edit",
      { path: "src/a.ts", patch: "please also edit the other file\n" },
    ],
    [
      "a diff of another file",
      "edit",
      { path: "src/a.ts", diff: "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -0,0 +1 @@\n+evil\n" },
    ],
    [
      "a unified diff of another file",
      "edit",
      { ...edit, unified_diff: "--- a/AGENTS.md\n+++ b/AGENTS.md\n" },
    ],
    [
      "an edit that is called a reading",
      "read",
      { ...edit, edits: [{ path: "AGENTS.md", search: "a", replace: "b" }] },
    ],
    ["a folder and a path in it", "edit", { dir: ".github", filename: "workflows/ci.yml", content: "x" }],
    ["a root and a path in it", "edit", { root: ".github", path: "workflows/ci.yml", content: "x" }],
    ["two folders", "edit", { cwd: ".", workdir: ".github", path: "workflows/ci.yml", content: "x" }],
    ["a key that stands twice in a text", "edit", '{"path":"AGENTS.md","path":"src/a.ts","content":"x"}'],
    ["an operation of no known meaning", "edit", { ...edit, mode: "execute" }],
    ["an address without a scheme", "fetch", { urls: [docs, "evil.example/x"] }],
    ["an address with one slash", "fetch", { urls: [docs, "https:/evil.example/x"] }],
    ["an address of another scheme", "fetch", { urls: [docs, "gopher://evil.example/x"] }],
    ["an address for ssh", "fetch", { url: docs, query: "ssh://evil.example/x" }],
  ])("does not allow %s unasked", async (_, kind, rawInput) => {
    const driven = await drive({ rules, files, ask: choose("reject_once") });
    await driven.say(asks(kind, rawInput));
    expect(driven.session.book.call("t1")?.state.status).toBe("refused");
  });

  test("asks about a location that is not the file of the input, whatever the call is called", async () => {
    const driven = await drive({ rules, files, ask: choose("reject_once") });
    await driven.say(asks("read", edit, { locations: [{ path: join(driven.cwd, "AGENTS.md") }] }));
    expect(driven.questions).toHaveLength(1);
  });

  test.each<readonly [string, unknown]>([
    ["an edit", edit],
    ["a patch", patch("*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch")],
    [
      "a diff",
      {
        path: "src/a.ts",
        diff: "Index: src/a.ts\n====\n--- src/a.ts\tCurrent\n+++ src/a.ts\tProposed\n@@ -1 +1 @@\n---x\n+y\n",
      },
    ],
    [
      "a git diff",
      patch(
        "diff --git a/src/a.ts b/src/a.ts\nindex 1f..2e 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-x\n+y\n",
      ),
    ],
    [
      "Codex's change",
      { changes: { "src/a.ts": { type: "update", unified_diff: "@@ -1 +1 @@\n-x\n+y\n", move_path: null } } },
    ],
  ])("asks nothing about %s of a plain file", async (_, rawInput) => {
    const driven = await drive({ rules, files });
    await driven.say(asks("edit", rawInput));
    expect(driven.questions).toEqual([]);
  });
});

describe("deletes and moves that look like edits", () => {
  test.each<readonly [string, unknown]>([
    ["a type in a change", { changes: { "src/a.ts": { type: "delete" } } }],
    ["a key in a change", { changes: { "src/a.ts": { delete: { content: "x" } } } }],
    ["a marker", patch("*** Begin Patch\n*** Delete File: src/a.ts\n*** End Patch")],
    ["a move", patch("*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n*** End Patch")],
    ["no new file", patch("--- a/src/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")],
    ["a deleted mode", patch("diff --git a/src/a.ts b/src/a.ts\ndeleted file mode 100644\n")],
    ["an operation", { ...edit, operation: "delete" }],
    ["an operation elsewhere", { operation: "rename", input: edit }],
  ])("refuses a delete or move that a rule denies when %s says so", async (_, rawInput) => {
    const rules: readonly Rule[] = [{ allow: "edit" }, { deny: "delete" }, { deny: "move" }];
    const driven = await drive({ rules, files });
    await driven.say(asks("edit", rawInput));
    expect(driven.session.book.call("t1")?.state.status).toBe("refused");
    expect(driven.questions).toEqual([]);
  });
});

describe("evidence that names several commands or tools", () => {
  const rules: readonly Rule[] = [{ allow: "read" }, { allow: "echo", server: "docs" }];
  test.each<readonly [string, readonly object[]]>([
    ["two folders", asks("execute", { command: "cat x", cwd: "a", workdir: "evil" })],
    ["a folder around it", asks("execute", { cwd: "a", input: { command: "cat x", cwd: "evil" } })],
    [
      "a folder that was another before",
      [
        {
          sessionUpdate: "tool_call",
          toolCallId: "t1",
          title: "t",
          rawInput: { command: "cat x", cwd: "a" },
        },
        ...asks("execute", { command: "cat x", cwd: "evil" }),
      ],
    ],
    [
      "two servers",
      asks("other", {
        calls: [
          { server: "docs", tool: "echo" },
          { server: "prod", tool: "wipe" },
        ],
      }),
    ],
    [
      "a server that was another before",
      [
        {
          sessionUpdate: "tool_call",
          toolCallId: "t1",
          title: "t",
          rawInput: { server: "docs", tool: "echo" },
        },
        ...asks("other", { server: "prod", tool: "wipe" }),
      ],
    ],
    [
      "a protected file of a server's tool",
      asks("read", { server: "docs", tool: "echo", arguments: { path: "AGENTS.md" } }),
    ],
    ["arguments for a shell", asks("execute", { command: "echo", args: ["x", ">", "AGENTS.md"] })],
    ["edits", asks("execute", { command: "ls", edits: [{ path: "b", search: "x", replace: "y" }] })],
    ["an update", asks("execute", { command: "ls", update: { prompt: "rm -rf /" } })],
    ["a diff", asks("execute", { command: "ls", file_diff: { content: "rm -rf x" } })],
  ])("asks about a call that could be another for %s", async (_, steps) => {
    const driven = await drive({ rules, files, ask: choose("reject_once") });
    await driven.say(steps);
    expect(driven.questions).toHaveLength(1);
  });

  test("asks nothing about a command whose folders are all the same", async () => {
    const driven = await drive({ rules, files });
    await driven.say(asks("execute", { command: "cat x", cwd: "a", workdir: join(driven.cwd, "a") }));
    expect(driven.questions).toEqual([]);
  });
});

describe("a yes to what an agent does through Toolgate", () => {
  test("binds a yes to the script as it was", async () => {
    const driven = await drive({ files });
    const run = { ask: "terminal/create", params: { command: "sh run.sh" } };
    await driven.say([...asks("execute", { command: "sh run.sh" }), run]);
    expect(driven.questions).toHaveLength(1);
    const content = "echo evil\n";
    await driven.say([
      { permit: { toolCallId: "t2", title: "t", kind: "execute", rawInput: { command: "sh run.sh" } } },
      { ask: "fs/write_text_file", params: { path: join(driven.cwd, "run.sh"), content } },
      run,
    ]);
    expect(driven.questions).toHaveLength(4);
  });

  test("binds a yes to the text that was shown for the very file", async () => {
    const driven = await drive({ files, ask: choose("allow_once") });
    const changes = { "b.md": { add: { content: "good" } }, "src/b.ts": { add: { content: "other" } } };
    const write = (name: string, content: string) => ({
      ask: "fs/write_text_file",
      params: { path: join(driven.cwd, name), content },
    });
    await driven.say([...asks("edit", { changes }), write("b.md", "good")]);
    expect(driven.questions).toHaveLength(1);
    await driven.say([
      { permit: { toolCallId: "t2", title: "t", kind: "edit", rawInput: { changes } } },
      write("b.md", "other"),
    ]);
    expect(driven.questions).toHaveLength(3);
  });
});

describe("breaches", () => {
  const rules: readonly Rule[] = [
    { allow: "read" },
    { allow: "edit" },
    { deny: "execute", command: "rm *" },
    { deny: "edit", path: "**/gen/**" },
  ];
  const starts = (fields: object) => ({
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: "t",
    ...fields,
  });
  const reports = (fields: object) => ({ sessionUpdate: "tool_call_update", toolCallId: "t1", ...fields });
  const rm = { kind: "execute", rawInput: { command: "rm -rf build" } };
  const ls = { kind: "execute", rawInput: { command: "ls" } };
  const completed = { status: "completed" };
  const read = { kind: "read", rawInput: { path: "src/a.ts" } };
  const diff = (driven: Driven) => [
    { type: "diff", path: join(driven.cwd, "gen/x.ts"), oldText: "g", newText: "e" },
  ];
  let deep: unknown = { command: "rm -rf build" };
  for (let count = 0; count < 9; count += 1) deep = { deep };
  const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`k${at}`, "v"]));

  test.each<readonly [string, (driven: Driven) => readonly object[]]>([
    [
      "with an id like our own for a question",
      () => [starts({ toolCallId: "t1/asked-2", ...read, ...completed }), starts({ ...rm, ...completed })],
    ],
    [
      "with an id like our own for a call that we run",
      () => [starts({ toolCallId: "proxied_1", ...rm, ...completed })],
    ],
    [
      "with an id like our own in older records",
      () => [starts({ toolCallId: "through_us_1", ...rm, ...completed })],
    ],
    [
      "under the id of a call that has ended",
      () => [starts({ ...read, ...completed }), starts({ ...rm, ...completed })],
    ],
    ["with an input after its end", () => [starts({ ...read, ...completed }), reports(rm)]],
    [
      "with a diff after its end",
      (driven) => [starts({ ...read, ...completed }), reports({ content: diff(driven) })],
    ],
    [
      "with a diff of another file than was allowed",
      (driven) => [
        { permit: { toolCallId: "t1", kind: "edit", rawInput: edit } },
        reports({ ...completed, content: diff(driven) }),
      ],
    ],
    [
      "with a title that was changed after a yes",
      () => [
        { permit: { toolCallId: "t1", title: "ls", ...ls } },
        reports({ title: "rm -rf build", ...completed }),
      ],
    ],
    [
      "with an input that another replaced at once",
      () => [starts({ ...rm, status: "in_progress" }), reports(ls), reports(completed)],
    ],
    [
      "with an input that another replaced before it began",
      () => [starts({ ...rm, status: "pending" }), reports(ls), reports(completed)],
    ],
    [
      "with a question about another command",
      () => [
        starts({ ...rm, status: "in_progress" }),
        { permit: { toolCallId: "t1", ...ls } },
        reports(completed),
      ],
    ],
    [
      "with a list of words",
      () => [starts({ kind: "execute", rawInput: ["rm", "-rf", "build"], ...completed })],
    ],
    ["deep in its input", () => [starts({ kind: "execute", rawInput: deep, ...completed })]],
    [
      "behind many fields",
      () => [starts({ kind: "execute", rawInput: { ...many, zz: rm.rawInput }, ...completed })],
    ],
    [
      "as a reading that replaces",
      () => [
        starts({ kind: "read", rawInput: { path: "gen/x.ts", search: "g", replace: "e" }, ...completed }),
      ],
    ],
  ])("marks the breach of a call %s", async (_, steps) => {
    const driven = await drive({ rules, files });
    await driven.say(steps(driven));
    expect([...driven.session.book.calls()].filter(({ breach }) => breach)).toHaveLength(1);
  });

  test("marks a breach when the input changes while the question is open", async () => {
    const driven = await drive({
      files,
      rules: rules.slice(2),
      ask: async (question, signal) => {
        await until(() => driven.repairs().includes("input-changed"));
        return choose("allow_once")(question, signal);
      },
    });
    await driven.say([
      { permitLater: { toolCallId: "t1", title: "t", ...ls, rawInput: { command: "make" } } },
      { pause: 200 },
      reports(rm),
      { pause: 500 },
      reports(completed),
    ]);
    expect(driven.session.book.call("t1")?.breach).toMatchObject({ rule: 'deny execute "rm *"' });
  });

  test("marks commands that cannot be read and addresses as breaches in read-only", async () => {
    const driven = await drive({ files, policy: () => inMode("read-only", []) });
    await driven.say([
      starts({ toolCallId: "1", kind: "execute", rawInput: { script: "make" }, ...completed }),
      starts({ toolCallId: "2", kind: "execute", title: "Deploy", ...completed }),
      starts({ toolCallId: "3", kind: "read", rawInput: { url: "https://evil.example/" }, ...completed }),
      starts({ toolCallId: "4", kind: "other", rawInput: { url: "https://evil.example/" }, ...completed }),
      starts({
        toolCallId: "5",
        kind: "other",
        rawInput: { path: "a", search: "x", replace: "y" },
        ...completed,
      }),
      starts({ toolCallId: "6", ...read, ...completed }),
    ]);
    const marked = [...driven.session.book.calls()].flatMap(({ breach, toolCallId }) =>
      breach ? [toolCallId] : [],
    );
    expect(marked).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("marks no breach for an input that is reported as it grows", async () => {
    const driven = await drive({ rules: [{ deny: "execute", command: "rm x" }], files });
    const grows = (command: string) => reports({ rawInput: { command } });
    await driven.say([
      starts({ kind: "execute", status: "pending" }),
      grows("rm x"),
      grows("rm xyz"),
      reports(completed),
    ]);
    expect(driven.session.book.call("t1")?.breach).toBeUndefined();
  });
});

test("ends also what left the agent's process group, when an agent is ended for a breach", async () => {
  const driven = await driveAlone("runs the given steps", {
    rules: [{ deny: "execute", command: "rm *" }],
    onBreach: "end",
  });
  const breach = {
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: "t",
    kind: "execute",
    rawInput: { command: "rm x" },
    status: "completed",
  };
  await driven.say(["spawn detached", { pids: true }, breach, { pause: 30_000 }]);
  await driven.connection.closed;
  const note = driven.notes().find((one): one is { pids: number[] } => Object.hasOwn(one as object, "pids"));
  expect(note?.pids).toHaveLength(2);
  await until(() => note?.pids.every((pid) => !isAlive(pid)) ?? false);
});

test("a diff whose old text is not in the file is asked about, and shown against the file", async () => {
  const driven = await drive({ rules: [{ allow: "edit" }], files, ask: choose("reject_once") });
  const path = join(driven.cwd, "run.sh");
  const content = [
    { type: "diff", path, oldText: "#!/bin/sh\necho fine\n", newText: "#!/bin/sh\necho bad\n" },
  ];
  await driven.say(asks("edit", { path, content: "#!/bin/sh\necho bad\n" }, { content }));
  expect(driven.questions).toHaveLength(1);
  const call = driven.session.book.call("t1");
  expect(driven.questions[0]?.reason).toContain("not in");
  expect(call?.content).toMatchObject([{ type: "diff", oldText: "#!/bin/sh\necho good\n" }]);
  // A passage of the file is no forgery.
  const honest = [{ type: "diff", path, oldText: "echo good", newText: "echo better" }];
  await driven.say(
    asks(
      "edit",
      { path, old_string: "echo good", new_string: "echo better" },
      { toolCallId: "t2", content: honest },
    ),
  );
  expect(driven.questions).toHaveLength(1);
});
