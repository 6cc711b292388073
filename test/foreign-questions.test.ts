/** A question about a foreign agent's call shows all that the call carries, and an "always" opens no more than was shown. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inMode } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { sessionText } from "../src/view/index.js";
import { choose, drive as driveAlone } from "./acp-client-kit.js";
import type { Driven, DriveOptions } from "./acp-client-kit.js";

const drive = (options: DriveOptions = {}) =>
  driveAlone("runs the given steps", { isShared: true, files: { "a.txt": "a\n" }, ...options });

const permit = (fields: object, toolCallId = "t1") => ({ permit: { toolCallId, title: "t", ...fields } });
const about = ({ questions }: Driven, at = 0): string => questions[at]?.about?.join("\n") ?? "";
const acceptEdits = () => inMode("accept-edits", []);

describe("always for a call of a foreign agent", () => {
  test.each(["", "Read"])("offers no always for a tool that only the agent names: %j", async (name) => {
    const driven = await drive({ ask: choose("reject_once"), remember: () => Promise.resolve() });
    const rawInput = { path: join(driven.cwd, "a.txt") };
    await driven.say([permit({ kind: "read", rawInput, ...(name !== "" && { name }) })]);
    expect(driven.questions[0]?.options.map(({ kind }) => kind)).not.toContain("allow_always");
  });

  test("opens nothing by an older always for a call without a name", async () => {
    const rules: Rule[] = [];
    const driven = await drive({ rules, ask: choose("reject_once") });
    const path = join(driven.cwd, "a.txt");
    rules.push({ allow: "by-hand/unnamed", path });
    await driven.say([
      permit({ kind: "read", rawInput: { path } }, "1"),
      permit({ kind: "delete", rawInput: { path } }, "2"),
      permit({ kind: "move", rawInput: { path } }, "3"),
      permit({ kind: "other", rawInput: { path, delete: true, code: "rm -rf ~" } }, "4"),
      permit({ kind: "execute", rawInput: { path, script: "anything" } }, "5"),
      permit({ kind: "other", rawInput: { script: "anything" }, locations: [{ path }] }, "6"),
    ]);
    expect(driven.questions).toHaveLength(6);
  });

  test("offers an always for a command as it stands", async () => {
    const driven = await drive({ ask: choose("reject_once"), remember: () => Promise.resolve() });
    await driven.say([permit({ kind: "execute", rawInput: { command: "make x" } })]);
    expect(driven.questions[0]?.options.map(({ kind }) => kind)).toContain("allow_always");
  });
});

describe("a rule that names a tool of an agent does not open", () => {
  test.each<readonly [string, string, object]>([
    ["an execution without a command", "execute", { path: "a.txt" }],
    ["a field of no known meaning", "read", { path: "a.txt", code: "rm -rf ~" }],
    ["such a field in another call", "other", { path: "a.txt", strategy: "x" }],
  ])("%s", async (_, kind, rawInput) => {
    const driven = await drive({ rules: [{ allow: "by-hand/*" }], ask: choose("reject_once") });
    await driven.say([permit({ kind, rawInput })]);
    expect(driven.questions).toHaveLength(1);
    expect(driven.questions[0]?.options.map((one) => one.kind)).toEqual(["allow_once", "reject_once"]);
  });
});

describe("a question shows", () => {
  test.each<readonly [string, object, readonly string[]]>([
    [
      "the text of a file",
      { path: "src/main.ts", content: "EVIL", strategy: "x" },
      ["EVIL", "write: ", "strategy"],
    ],
    [
      "both texts of an edit",
      { path: "a.txt", old_string: "old", new_string: "EVIL" },
      ["old", "EVIL", "write: "],
    ],
    ["that a file is deleted", { path: "a.txt", delete: true }, ["delete: ", '"delete":true']],
    ["a patch", { patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+EVIL\n" }, ["EVIL", "write: "]],
    [
      "what goes along with a command",
      { command: "make x", env: { A: "b" }, stdin: "EVIL" },
      ["runs: make x", "EVIL", '"A":"b"'],
    ],
    ["what is sent to an address", { url: "https://example.com/", body: "SECRET" }, ["host: ", "SECRET"]],
  ])("%s", async (_, rawInput, texts) => {
    const driven = await drive({ ask: choose("reject_once") });
    await driven.say([permit({ title: "Edit README.md", rawInput })]);
    expect(driven.questions).toHaveLength(1);
    for (const text of texts) expect(about(driven)).toContain(text);
  });

  test("every input that the call has had", async () => {
    const driven = await drive({ ask: choose("reject_once") });
    await driven.say([
      { sessionUpdate: "tool_call", toolCallId: "t1", title: "t", rawInput: { command: "make first" } },
      permit({ rawInput: { command: "make second" } }),
    ]);
    expect(about(driven)).toContain('input: {"command":"make first"}');
    expect(about(driven)).toContain('input: {"command":"make second"}');
  });

  test("how much of a long input it leaves out", async () => {
    const driven = await drive({ ask: choose("reject_once") });
    await driven.say([permit({ rawInput: { path: "a.txt", content: "x".repeat(20_000) } })]);
    expect(about(driven)).toMatch(/input: \([\d,.]+ characters more than shown here\)/);
  });

  test("the doubt beside another reason", async () => {
    const driven = await drive({ ask: choose("reject_once") });
    await driven.say([permit({ kind: "execute", rawInput: { command: "git log", env: { A: "b" } } })]);
    expect(driven.questions[0]?.reason).toContain('"env"');
  });
});

describe("accept-edits asks about a diff that is not of the input", () => {
  const path = "a.txt";
  test.each<readonly [string, object, number]>([
    ["another new text", { path, old_string: "a", new_string: "EVIL" }, 1],
    ["another old text", { path, old_string: "all of it", new_string: "" }, 1],
    ["other edits", { path, edits: [{ old_string: "a", new_string: "EVIL" }] }, 1],
    ["another patch", { path, patch: "@@ -1 +1 @@\n-a\n+EVIL\n" }, 1],
    ["another replacement", { path, search: "a", replace: "EVIL" }, 1],
    ["another whole text beside two diffs", { path, content: "EVIL" }, 2],
    ["another whole text in a change", { changes: { "a.txt": { add: { content: "EVIL" } } } }, 2],
  ])("%s", async (_, rawInput, count) => {
    const driven = await drive({ policy: acceptEdits, ask: choose("reject_once") });
    const diff = { type: "diff", path: join(driven.cwd, path), oldText: "a\n", newText: "harmless\n" };
    const content = [diff, { ...diff, newText: "as harmless\n" }].slice(0, count);
    await driven.say([permit({ kind: "edit", rawInput, content })]);
    expect(driven.questions[0]?.reason).toBe("the diff shown is not of the text that the input holds");
    expect(about(driven)).toMatch(/EVIL|all of it/);
  });

  test("does not ask in accept-edits about a diff that is of the input", async () => {
    const driven = await drive({ policy: acceptEdits });
    const diff = { type: "diff", path: join(driven.cwd, path), oldText: "a\n", newText: "b\n" };
    const edits = [
      { path, old_string: "a", new_string: "b" },
      { path, edits: [{ old_string: "a", new_string: "b" }] },
      { path, patch: "@@ -1 +1 @@\n-a\n+b\n" },
      { path, content: "b\n" },
    ];
    await driven.say(
      edits.map((rawInput, at) => permit({ kind: "edit", rawInput, content: [diff] }, `t${at}`)),
    );
    expect(driven.questions).toEqual([]);
  });
});

describe("accept-edits asks a person about", () => {
  const edit = { path: "a.txt", content: "x" };
  test.each<readonly [string, object]>([
    ["a second name for one field", { rawInput: { ...edit, Content: "y" } }],
    ["a variable in a path", { rawInput: { path: "$HOME/x", content: "x" } }],
    ["a home in a diff", { content: [{ type: "diff", path: "~/x.txt", newText: "x" }] }],
    ["an address in a diff", { content: [{ type: "diff", path: "file:///tmp/AGENTS%2Emd", newText: "x" }] }],
    ["a field of no known meaning beside the input", { rawInput: edit, script: "rm -rf x" }],
    ["a file beside the input", { rawInput: edit, path: "AGENTS.md" }],
    ["a variable in a diff", { content: [{ type: "diff", path: "$HOME/x", newText: "x" }] }],
  ])("%s", async (_, fields) => {
    const driven = await drive({ policy: acceptEdits, ask: choose("reject_once") });
    await driven.say([permit({ kind: "edit", ...fields })]);
    expect(driven.questions).toHaveLength(1);
  });

  test("two lists of arguments", async () => {
    const rules: readonly Rule[] = [
      { allow: "execute", command: "git log *" },
      { allow: "execute", command: "git log" },
    ];
    const driven = await drive({ rules, ask: choose("reject_once") });
    await driven.say([
      permit({ kind: "execute", rawInput: { command: "git", args: ["log"], Args: ["push"] } }),
    ]);
    expect(driven.questions[0]?.reason).toBe('the input names "args" twice');
  });
});

test("a command that a rule denies is found in a field of any name of a call that executes", async () => {
  const driven = await drive({ rules: [{ deny: "execute", command: "git push *" }] });
  const names = ["script", "code", "run", "bash"];
  await driven.say(
    names.map((name) => permit({ kind: "execute", rawInput: { [name]: "git push origin" } }, name)),
  );
  expect(names.map((name) => driven.session.book.call(name)?.state.status)).toEqual(
    names.map(() => "refused"),
  );
});

test("the record shows what was decided on where the agent's title does not", async () => {
  const driven = await drive({ rules: [{ allow: "execute" }] });
  const run = (title: string, rawInput: object, toolCallId: string) => [
    { permit: { toolCallId, title, kind: "execute", rawInput } },
    { sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
  ];
  await driven.say([
    ...run("Read README.md", { command: "make x" }, "1"),
    ...run("Run make y", { command: "make y" }, "2"),
    ...run("Look", { arguments: { cmd: "make z" } }, "3"),
  ]);
  const shown = sessionText(driven.session.book.snapshot());
  expect(shown).toContain("decided on: make x");
  expect(shown).not.toContain("decided on: make y");
  expect(shown).toContain('decided on: {"arguments":{"cmd":"make z"}}');
});

test("a call that is reported and then asked about shows its input once", async () => {
  const driven = await drive({ rules: [], ask: choose("reject_once") });
  const call = { kind: "execute", rawInput: { command: "make all" } };
  await driven.say([
    { sessionUpdate: "tool_call", toolCallId: "t1", title: "t", status: "in_progress", ...call },
    permit({ ...call, rawInput: { command: "make all" } }),
  ]);
  expect(about(driven).match(/^input: /gm)).toHaveLength(1);
});

test("a call that was cancelled at its question is the one that the agent reports as failed under another id", async () => {
  const stop = new AbortController();
  const driven = await drive({
    rules: [],
    ask: async () => {
      stop.abort();
      return new Promise(() => undefined);
    },
  });
  const call = { kind: "execute", title: "t", rawInput: { command: "make all" } };
  await driven.say(
    [permit(call, "pending"), { sessionUpdate: "tool_call", toolCallId: "real", status: "failed", ...call }],
    stop.signal,
  );
  expect([...driven.session.book.calls()].map(({ state }) => state.status)).toEqual(["cancelled"]);
});
