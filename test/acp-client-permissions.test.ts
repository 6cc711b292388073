/** Permissions of a foreign agent: decided by the content of its calls, never by their labels; sent as one of its options. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Rule } from "../src/policy/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { askForever, choose, connect, drive as driveAlone } from "./acp-client-kit.js";
import { until } from "./until.js";
import type { DriveOptions } from "./acp-client-kit.js";
import { folder, text } from "./agent-kit.js";

const ASKS = "asks for the call of the prompt";
const ONCE = { optionId: "yes", name: "Allow", kind: "allow_once" };
const ALWAYS = { optionId: "always", name: "Always", kind: "allow_always" };
const NO = { optionId: "no", name: "Reject", kind: "reject_once" };
const NEVER = { optionId: "never", name: "Never", kind: "reject_always" };

const drive = (behaviour: string, options: DriveOptions = {}) =>
  driveAlone(behaviour, { isShared: true, ...options });

const command = (line: string) => ({ title: line, kind: "execute", rawInput: { command: line } });

/** The agent's note of an answer: the outcome, and the reason that came with it. */
function outcomes(notes: readonly unknown[]): unknown[] {
  return notes.map((note) => {
    const { result, error } = (note as { permission: { result?: Answer; error?: { code: number } } })
      .permission;
    if (error) return error.code;
    return result?.outcome.optionId ?? result?.outcome.outcome;
  });
}

type Answer = {
  readonly outcome: { readonly outcome: string; readonly optionId?: string };
  readonly _meta?: { readonly toolgate?: { readonly reason?: string } };
};

const reasonIn = (notes: readonly unknown[]) =>
  (notes[0] as { permission: { result: Answer } }).permission.result._meta?.toolgate?.reason;

describe("the response to a permission request", () => {
  test("answers a yes with the agent's allow-once, and a no with its reject-once and the reason", async () => {
    const yes = await drive(ASKS);
    await yes.say(command("make all"));
    expect(outcomes(yes.notes())).toEqual(["yes"]);
    expect(yes.session.book.call("t1")).toMatchObject({
      state: { status: "done" },
      decision: { by: "person", who: "tester" },
    });
    const no = await drive(ASKS, { ask: choose("reject_once", "not today") });
    await no.say(command("make all"));
    expect(outcomes(no.notes())).toEqual(["no"]);
    expect(reasonIn(no.notes())).toBe("not today");
    expect(no.session.book.call("t1")).toMatchObject({
      state: { status: "refused" },
      decision: { reason: "not today" },
    });
    expect(no.repairs()).toEqual([]);
  });

  test("selects the reject option when a rule denies, and asks nobody", async () => {
    const rules: readonly Rule[] = [{ deny: "execute", command: "make *", reason: "no builds" }];
    const { say, notes, questions } = await drive(ASKS, { rules });
    await say(command("make all"));
    expect(outcomes(notes())).toEqual(["no"]);
    expect(reasonIn(notes())).toContain("no builds");
    expect(questions).toEqual([]);
  });

  test("selects allow-once when a rule allows", async () => {
    const { say, notes, questions, session } = await drive(ASKS, {
      rules: [{ allow: "execute", command: "make *" }],
    });
    await say(command("make all"));
    expect(outcomes(notes())).toEqual(["yes"]);
    expect(questions).toEqual([]);
    expect(session.book.call("t1")?.decision).toMatchObject({ by: "rule" });
  });

  test("sends no yes when the agent offers only an always", async () => {
    const { say, notes, questions } = await drive(ASKS, { rules: [{ allow: "execute", command: "make *" }] });
    await say({ ...command("make all"), options: [ALWAYS, NO] });
    expect(outcomes(notes())).toEqual(["no"]);
    expect(questions).toEqual([]);
  });

  test("answers a no with cancelled when the agent offers no no, and with reject-always when that is the only one", async () => {
    const rules: readonly Rule[] = [{ deny: "execute" }];
    const none = await drive(ASKS, { rules });
    await none.say({ ...command("make"), options: [ONCE, ALWAYS] });
    expect(outcomes(none.notes())).toEqual(["cancelled"]);
    const never = await drive(ASKS, { rules });
    await never.say({ ...command("make"), options: [ONCE, NEVER] });
    expect(outcomes(never.notes())).toEqual(["never"]);
  });

  test("options with one id for two kinds are never a yes", async () => {
    const twice = [
      { optionId: "x", name: "Reject", kind: "reject_once" },
      { optionId: "x", name: "Allow always", kind: "allow_always" },
    ];
    for (const options of [twice, [...twice, ONCE], [ONCE, { ...NO, optionId: "yes" }]]) {
      const { say, notes, questions, session } = await drive(ASKS, { rules: [{ allow: "*" }] });
      await say({ ...command("make"), options });
      expect(outcomes(notes())).toEqual(["cancelled"]);
      expect(questions).toEqual([]);
      expect(session.book.call("t1")?.state.status).toBe("refused");
    }
  });

  test("answers cancelled when there are no options", async () => {
    const { say, notes } = await drive(ASKS, { rules: [{ allow: "*" }] });
    await say({ ...command("make"), options: [] });
    expect(outcomes(notes())).toEqual(["cancelled"]);
  });

  test("refuses an unreadable request with an error", async () => {
    for (const options of ["all of them", [{ optionId: "yes" }], [{ ...ONCE, kind: "allow_forever" }]]) {
      const { say, notes } = await drive(ASKS, { rules: [{ allow: "*" }] });
      await say({ ...command("make"), options });
      expect(outcomes(notes())).toEqual([-32602]);
    }
  });

  test("sends no yes and ends the agent when we close with a question open", async () => {
    const { say, session, connection, notes } = await driveAlone(ASKS, { ask: askForever().ask });
    const ended = say(command("make all"));
    await until(() => session.book.openCalls().some(({ state }) => state.status === "waiting"));
    await connection.close();
    expect(await ended).toMatchObject({ stopReason: "error" });
    expect(outcomes(notes())).not.toContain("yes");
    expect(session.book.call("t1")?.state.status).toBe("cancelled");
  });

  test("accepts an answer from elsewhere and aborts the local question", async () => {
    const asked = askForever();
    const { say, ledger, notes } = await drive(ASKS, { ask: asked.ask });
    const ended = say(command("make all"));
    await until(async () => (await ledger.openQuestions()).length === 1);
    const [question] = await ledger.openQuestions();
    await ledger.answer(question?.questionId ?? "", {
      outcome: { type: "selected", optionId: "allow_once" },
      intentHash: question?.intentHash ?? "",
      by: "person",
      at: Date.now(),
    });
    await ended;
    expect(outcomes(notes())).toEqual(["yes"]);
    expect(asked.isStopped).toBe(true);
  });

  test("takes an answer also when no door waits for the turn", async () => {
    const { session, ledger, notes } = await drive(ASKS);
    const ended = session.prompt(text(JSON.stringify(command("make all"))), new AbortController().signal);
    await until(async () => (await ledger.openQuestions()).length === 1);
    const [question] = await ledger.openQuestions();
    await ledger.answer(question?.questionId ?? "", {
      outcome: { type: "selected", optionId: "reject_once" },
      intentHash: question?.intentHash ?? "",
      by: "person",
      reason: "no",
      at: Date.now(),
    });
    await ended;
    expect(outcomes(notes())).toEqual(["no"]);
  });

  test("parks a turn at a question for doors that do not wait, and continues it after the answer", async () => {
    const { session, ledger, notes } = await drive(ASKS, { parksOnQuestions: true });
    const never = new AbortController().signal;
    expect(await session.prompt(text(JSON.stringify(command("make all"))), never)).toEqual({
      status: "parked",
    });
    expect(session.book.turn?.state.status).toBe("parked");
    expect(await session.advance(never)).toEqual({ status: "parked" });
    const [question] = await ledger.openQuestions({ sessionId: session.sessionId });
    await ledger.answer(question?.questionId ?? "", {
      outcome: { type: "selected", optionId: "allow_once" },
      intentHash: question?.intentHash ?? "",
      by: "person",
      at: Date.now(),
    });
    expect(await session.advance(never)).toEqual({ status: "stopped", stopReason: "end_turn" });
    expect(outcomes(notes())).toEqual(["yes"]);
  });

  test("continues without the parked turn when the person writes something else", async () => {
    const { session, notes } = await drive(ASKS, { parksOnQuestions: true });
    const never = new AbortController().signal;
    await session.prompt(text(JSON.stringify(command("make all"))), never);
    const next = text(JSON.stringify({ ...command("make"), toolCallId: "t2", options: [] }));
    expect(await session.prompt(next, never)).toMatchObject({ stopReason: "end_turn" });
    expect(outcomes(notes())).toEqual(["cancelled", "cancelled"]);
  });

  test("stores an always here, sends the agent an allow-once, and covers the next call", async () => {
    const rules: Rule[] = [];
    const stored: string[] = [];
    const { say, notes, questions } = await drive(ASKS, {
      rules,
      policy: () => ({ rules }),
      ask: choose("allow_always"),
      remember: (grant) => {
        stored.push(grant.sentence);
        rules.push(...grant.rules);
        return Promise.resolve();
      },
    });
    await say({ ...command("make all"), toolCallId: "t1" });
    await say({ ...command("make all"), toolCallId: "t2" });
    expect(outcomes(notes())).toEqual(["yes", "yes"]);
    expect(stored).toEqual([
      "Always allow builds, tests, linters, formatters and local git work here, with harmless flags and workspace paths (runs project code) in this project",
    ]);
    expect(questions.length).toBe(1);
  });
});

test("offers no always for a tool of a server that the agent runs itself, and covers none by our own always", async () => {
  const bound = { definition: "0".repeat(64), fingerprint: "1".repeat(64) };
  const { say, notes, questions } = await drive(ASKS, {
    rules: [{ allow: "echo", server: "docs", ...bound }],
    ask: choose("reject_once"),
    remember: () => Promise.resolve(),
  });
  await say({ title: "echo", kind: "other", rawInput: { server: "docs", tool: "echo", arguments: {} } });
  expect(outcomes(notes())).toEqual(["no"]);
  expect(questions[0]?.options.map(({ kind }) => kind)).toEqual([
    "allow_once",
    "reject_once",
    "reject_always",
  ]);
  expect(questions[0]?.reason).toContain("the agent runs this server itself");
});

describe("evidence for a decision", () => {
  test("asks about a command as a command although the agent calls it a read", async () => {
    const { say, questions, notes } = await drive(ASKS, {
      rules: [{ allow: "read" }],
      ask: choose("reject_once"),
    });
    await say({ title: "Read README.md", kind: "read", rawInput: { command: "rm -rf build" } });
    expect(questions[0]?.about).toContain("runs: rm -rf build");
    await say({ toolCallId: "t2", title: "Read README.md", kind: "read", rawInput: { command: "rm -rf ~" } });
    expect(outcomes(notes())).toEqual(["no", "no"]);
  });

  test("allows nothing by kind, title or name", async () => {
    const rules: readonly Rule[] = [
      { allow: "read" },
      { allow: "read_file" },
      { allow: "by-hand/read_file" },
    ];
    for (const toolCall of [
      { title: "Read README.md", kind: "read" },
      { title: "Read README.md", kind: "read", name: "read_file" },
      { title: "Read README.md", kind: "read", name: "read_file", rawInput: { why: "because" } },
    ]) {
      const { say, questions } = await drive(ASKS, { rules, ask: choose("reject_once") });
      await say(toolCall);
      expect(questions.length).toBe(1);
      expect(questions[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    }
  });

  test("asks about a call that only the agent calls a read", async () => {
    const rules: readonly Rule[] = [{ allow: "read" }, { allow: "read_file" }];
    const { say, questions } = await drive(ASKS, { rules, ask: choose("reject_once") });
    await say({ title: "Read a.txt", kind: "read", name: "read_file", rawInput: { path: "a.txt" } });
    expect(questions).toHaveLength(1);
  });

  test("lets a call's name only make the rules stricter", async () => {
    const denied = await drive(ASKS, { rules: [{ allow: "*" }, { deny: "delete" }] });
    await denied.say({ title: "Clean up", kind: "delete", rawInput: { path: "a.txt" } });
    expect(outcomes(denied.notes())).toEqual(["no"]);
    // Some agents show a command in the title and nowhere else.
    const titled = await drive(ASKS, { rules: [{ allow: "*" }, { deny: "execute", command: "rm *" }] });
    await titled.say({ title: "rm -rf build", kind: "execute" });
    expect(outcomes(titled.notes())).toEqual(["no"]);
  });

  test("counts both locations and input when they disagree", async () => {
    const outside = await folder();
    const { say, questions, cwd } = await drive(ASKS, {
      rules: [{ allow: "edit" }],
      ask: choose("reject_once"),
    });
    await say({
      kind: "edit",
      locations: [{ path: join(cwd, "a") }],
      rawInput: { path: join(outside, "b"), content: "x" },
    });
    expect(questions[0]?.reason).toContain("outside of the workspace");
    expect(questions[0]?.about?.join("\n")).toContain(join(outside, "b"));
  });

  test("flags a diff of one file with an input for another, and shows the real target", async () => {
    const { say, questions, cwd } = await drive(ASKS, {
      rules: [{ allow: "edit" }],
      ask: choose("reject_once"),
    });
    mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
    const hook = join(cwd, ".git/hooks/post-commit");
    await say({
      kind: "edit",
      content: [{ type: "diff", path: join(cwd, "a"), newText: "x" }],
      rawInput: { path: hook, content: "evil" },
    });
    expect(questions[0]?.reason).toBe(`the diff shown is of ${join(cwd, "a")}, and the input names ${hook}`);
    expect(questions[0]?.about?.join("\n")).toContain(hook);
    expect(questions[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
  });

  test("flags a diff of other text than the input has", async () => {
    const { say, questions, cwd } = await drive(ASKS, {
      rules: [{ allow: "edit" }],
      ask: choose("reject_once"),
    });
    const path = join(cwd, "a");
    await say({ content: [{ type: "diff", path, newText: "nice" }], rawInput: { path, content: "evil" } });
    expect(questions[0]?.reason).toBe("the diff shown is not of the text that the input holds");
  });

  test("asks nothing about a diff and an input that agree where edits are allowed", async () => {
    const { say, questions, notes, cwd } = await drive(ASKS, { rules: [{ allow: "edit" }] });
    const path = join(cwd, "a");
    await say({
      kind: "edit",
      content: [{ type: "diff", path, newText: "x\n" }],
      rawInput: { file_path: path, content: "x" },
    });
    expect(questions).toEqual([]);
    expect(outcomes(notes())).toEqual(["yes"]);
  });

  test("finds a link that leads out of the workspace", async () => {
    const outside = await folder({ secret: "s" });
    const { say, questions, cwd } = await drive(ASKS, {
      rules: [{ allow: "edit" }],
      ask: choose("reject_once"),
    });
    symlinkSync(outside, join(cwd, "in"));
    await say({ kind: "edit", rawInput: { path: "in/secret", new_string: "x", old_string: "y" } });
    expect(questions[0]?.about?.join("\n")).toContain(`${join(outside, "secret")} (written as`);
  });

  test.each([
    ["codex's words", { command: ["bash", "-lc", "rm -rf build"], cwd: "." }],
    ["a program and its args", { command: "rm", args: ["-rf", "build"] }],
    ["a command inside of others", { tool: "shell", arguments: { cmd: "cd x && rm -rf build" } }],
    ["one of several", { command: "ls", commands: ["ls", "rm -rf build"] }],
    ["JSON in a text", '{"command":"rm -rf build"}'],
    ["a plain text", "rm -rf build"],
  ])("a command is found in %s", async (_, rawInput) => {
    const { say, notes } = await drive(ASKS, {
      rules: [{ allow: "*" }, { deny: "execute", command: "rm *" }],
    });
    await say({ title: "Tidy", kind: "execute", rawInput });
    expect(outcomes(notes())).toEqual(["no"]);
  });

  test.each([
    ["a patch", { patch: "*** Begin Patch\n*** Update File: secret.txt\n@@\n-a\n+b\n*** End Patch" }],
    ["changes by path", { changes: { "secret.txt": { type: "update" } } }],
    ["a field nobody knows", { wherever: "./secret.txt" }],
    ["a file address", { uri: "file://<cwd>/secret.txt" }],
    [
      "edits of several files",
      {
        edits: [
          { path: "a.txt", newText: "" },
          { path: "secret.txt", newText: "" },
        ],
      },
    ],
  ])("a file is found in %s", async (_, rawInput) => {
    const rules: Rule[] = [{ allow: "*" }];
    const { say, notes, cwd } = await drive(ASKS, { rules });
    rules.push({ deny: "edit", path: join(cwd, "secret.txt") });
    const input: unknown = JSON.parse(JSON.stringify(rawInput).replace("<cwd>", cwd));
    await say({ title: "Note", kind: "other", rawInput: input });
    expect(outcomes(notes())).toEqual(["no"]);
  });

  test.each([
    { command: "ls", env: { LD_PRELOAD: "x" } },
    { command: "ls", script: "rm -rf /" },
    { cmd: "ls", steps: [{ exec: "rm -rf x" }] },
    { command: "ls", stdin: "evil" },
    { command: "ls", code: "print(1)", interpreter: "python" },
    { command: "ls", SHELL_: "./evil" },
    { command: "ls", input: { followUp: "rm" } },
    { command: "ls", pre_command: "rm -rf x" },
    { command: ["ls"], runAs: "root" },
    '{"command":"ls","then":["rm"]}',
  ])("asks about a command that carries a field nobody knows: %j", async (rawInput) => {
    const rules: readonly Rule[] = [{ allow: "read" }, { allow: "execute", command: "ls" }];
    const { say, questions } = await drive(ASKS, { rules, ask: choose("reject_once") });
    await say({ title: "ls", kind: "execute", rawInput });
    expect(questions).toHaveLength(1);
    expect(questions[0]?.reason).toMatch(/^the call carries ".+", whose meaning is not known$/);
    expect(questions[0]?.options.map(({ kind }) => kind)).not.toContain("allow_always");
  });

  test.each([
    { command: "ls", description: "look", timeout: 1_000, run_in_background: false },
    { command: "ls", description: "look", cwd: "." },
    { command: "ls", dir_path: ".", is_background: false },
    {
      call_id: "call_1",
      turn_id: "01a1e177-6002-7ee0-af2b-b236c6f96b95",
      started_at_ms: 1_794_784_059_708,
      command: ["/bin/bash", "-lc", "ls"],
      proposed_execpolicy_amendment: ["/bin/bash", "-lc", "ls"],
      available_decisions: [
        "approved",
        { approved_execpolicy_amendment: { proposed_execpolicy_amendment: ["/bin/bash", "-lc", "ls"] } },
        "abort",
      ],
      parsed_cmd: [{ type: "list_files", cmd: "ls", path: null }],
    },
  ])("asks nothing about an allowed command with the fields that agents send: %j", async (rawInput) => {
    const { say, questions, notes } = await drive(ASKS, { rules: [{ allow: "read" }] });
    await say({ title: "ls", kind: "execute", rawInput });
    expect(questions).toEqual([]);
    expect(outcomes(notes())).toEqual(["yes"]);
  });

  test("reads each of several commands by itself", async () => {
    const { say, questions } = await drive(ASKS, { rules: [{ allow: "read" }], ask: choose("reject_once") });
    await say({ title: "Look", kind: "execute", rawInput: { commands: ["cat <<A", "rm -rf x", "A"] } });
    await say({ toolCallId: "t2", title: "Look", rawInput: { commands: ["echo 'a", "rm -rf x #'"] } });
    expect(questions).toHaveLength(2);
  });

  test.each(["read", "search", "think"])("asks about code in a call that claims to %s", async (kind) => {
    const rules: readonly Rule[] = [{ allow: "read" }, { allow: "search" }, { allow: "think" }];
    for (const name of ["script", "code", "expression"]) {
      const { say, questions } = await drive(ASKS, { rules, ask: choose("reject_once") });
      await say({ title: "Look", kind, rawInput: { path: "a.txt", [name]: "rm -rf x" } });
      expect(questions, name).toHaveLength(1);
    }
  });

  test("asks about code beside an edit that is allowed", async () => {
    const { say, questions } = await drive(ASKS, { rules: [{ allow: "edit" }], ask: choose("reject_once") });
    await say({ kind: "edit", rawInput: { path: "a.txt", content: "x", on_save: "rm -rf x" } });
    expect(questions[0]?.reason).toBe('the call carries "on_save", whose meaning is not known');
  });

  test("asks nothing about an unknown field where everything is allowed and nothing denied", async () => {
    const { say, questions } = await drive(ASKS, {
      policy: () => ({ rules: [], default: "allow" as const }),
    });
    await say({ kind: "execute", rawInput: { command: "ls", env: { A: "b" } } });
    expect(questions).toEqual([]);
  });

  test("finds an address, and refuses one of this machine without asking", async () => {
    const { say, notes } = await drive(ASKS, { rules: [{ allow: "fetch" }] });
    await say({
      title: "Fetch",
      kind: "fetch",
      rawInput: { prompt: "read http://127.0.0.1:8080/keys please" },
    });
    expect(outcomes(notes())).toEqual(["no"]);
  });

  test("asks about a call with more data than can be checked", async () => {
    const { say, questions } = await drive(ASKS, { rules: [{ allow: "*" }], ask: choose("reject_once") });
    await say({
      rawInput: { items: Array.from({ length: 5_000 }, (_, count) => ({ count: String(count) })) },
    });
    expect(questions[0]?.reason).toBe("the call has more data than Toolgate can check");
  });
});

describe("a yes", () => {
  const run = { method: "terminal/create", params: { command: "sh", args: ["-c", "echo hi"] } };
  const asking = {
    toolCallId: "t1",
    title: "echo",
    kind: "execute",
    rawInput: { command: ["sh", "-c", "echo hi"] },
  };

  test("counts a yes for a command once for that command in our terminal", async () => {
    const { say, questions, notes } = await drive("asks and then does");
    await say({ toolCall: asking, acts: [run, run] });
    expect(questions.map(({ toolCallId }) => toolCallId)).toEqual(["t1", "proxied_2"]);
    expect(notes().slice(1)).toEqual([{ "terminal/create": "done" }, { "terminal/create": "done" }]);
  });

  test("counts a yes for one command for no other", async () => {
    const { say, questions, notes } = await drive("asks and then does", {
      ask: (question, signal) =>
        choose(question.toolCallId === "t1" ? "allow_once" : "reject_once")(question, signal),
    });
    const other = { ...run, params: { command: "sh", args: ["-c", "echo ho"] } };
    await say({ toolCall: asking, acts: [other] });
    expect(questions.length).toBe(2);
    expect(notes()[1]).toEqual({ "terminal/create": expect.stringContaining("Refused") });
  });

  test("counts a yes for a file for the text that was shown", async () => {
    const { say, questions, cwd } = await drive("asks and then does");
    const path = join(cwd, "a.txt");
    const toolCall = { toolCallId: "t1", kind: "edit", content: [{ type: "diff", path, newText: "shown" }] };
    const write = (content: string) => ({ method: "fs/write_text_file", params: { path, content } });
    await say({ toolCall, acts: [write("shown"), write("shown"), write("other")] });
    expect(questions.map(({ toolCallId }) => toolCallId)).toEqual(["t1", "proxied_2", "proxied_3"]);
    expect(readFileSync(path, "utf8")).toBe("other");
  });

  test("records and flags an input that changes after the yes beside the allowed one", async () => {
    const { say, session } = await drive("changes the input after the yes");
    await say("go");
    expect(session.book.call("t1")).toMatchObject({
      rawInput: { command: "npm test" },
      state: { status: "done" },
    });
    expect(session.book.snapshot().repairs).toContainEqual({
      repair: "changed-after-approval",
      toolCallId: "t1",
      detail: expect.stringContaining('{"command":"rm -rf build"}'),
    });
  });

  test("makes a call of a permission request for an unknown call", async () => {
    const { say, session, repairs, questions } = await drive("asks without announcing");
    await say("go");
    expect(questions[0]?.title).toBe("Write a.txt");
    expect(repairs()).toContain("unknown-id");
    expect(session.book.call("t1")).toMatchObject({ state: { status: "unknown", assumed: true } });
  });

  test("permissions under one id for everything are questions of their own", async () => {
    const { say, session, questions, cwd } = await drive("asks under one id for everything");
    await say("go");
    expect(questions.map(({ about }) => about?.[0])).toEqual([
      `write: ${join(cwd, "a.txt")}`,
      `write: ${join(cwd, "b.txt")}`,
    ]);
    expect(session.book.call("t1")?.state.status).toBe("done");
  });

  test("asks about a running call that has printed nothing by a permission request for it", async () => {
    const { say, session, questions } = await drive("asks while it runs");
    await say("go");
    expect(questions[0]).toMatchObject({ toolCallId: "t1", title: "t1" });
    expect(questions[0]?.about).toContain("runs: make");
    expect([...session.book.calls()]).toMatchObject([
      { toolCallId: "t1", state: { status: "done" }, decision: { by: "person" } },
    ]);
  });

  test("makes a question of its own, below the call, when the call has printed something", async () => {
    const { say, session, questions, repairs } = await drive("asks after it printed");
    await say("go");
    expect(questions[0]).toMatchObject({ toolCallId: "t1/asked-2", title: "t1" });
    expect(questions[0]?.about).toContain("runs: make");
    expect(session.book.call("t1/asked-2")).toMatchObject({
      parentToolCallId: "t1",
      state: { status: "done" },
    });
    expect(repairs()).toContain("asked-again");
    expect(session.book.call("t1")?.state.status).toBe("done");
  });
});

describe("calls through Toolgate", () => {
  test("serves files and commands under the rules, each as a call in the record", async () => {
    const rules: readonly Rule[] = [{ allow: "read" }, { allow: "execute", command: "echo *" }];
    const { say, notes, session, questions, cwd } = await drive("uses what we serve", {
      rules,
      ask: choose("reject_once", "leave it"),
      files: { "a.txt": "one\ntwo\n" },
    });
    const path = join(cwd, "a.txt");
    await say([
      { method: "fs/read_text_file", params: { path, line: 2 } },
      { method: "fs/write_text_file", params: { path, content: "three" } },
      { method: "terminal/create", params: { command: "echo", args: ["hi"] } },
    ]);
    expect(notes()).toEqual([
      { "fs/read_text_file": { content: "two\n" } },
      { "fs/write_text_file": expect.objectContaining({ message: "Refused: leave it. Nothing was done." }) },
      { "terminal/create": { terminalId: "term_1" } },
      { exit: { exitCode: 0 } },
      { output: { output: "hi\n", truncated: false, exitStatus: { exitCode: 0 } } },
      expect.anything(),
    ]);
    expect(questions.map(({ title }) => title)).toEqual([`Write ${path}`]);
    const write = session.book.call("proxied_2");
    expect(write?.content).toMatchObject([{ type: "diff", path, oldText: "one\ntwo\n", newText: "three" }]);
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    const states = [...session.book.calls()].map(({ name, state }) => `${name} ${state.status}`);
    expect(states).toEqual(["read_file done", "write_file refused", "terminal done", " done"]);
    const shown = session.book.call("shown")?.content[0];
    expect(shown).toMatchObject({ type: "terminal", exit: { exitCode: 0 }, output: { head: "hi\n" } });
  });

  test("finds no terminal of another session", async () => {
    const { connection, cwd, notes } = await connect("uses what we serve");
    const workspace = await LocalWorkspace.open(cwd);
    const options = { ledger: new MemoryLedger(), workspace, policy: () => ({ rules: [{ allow: "*" }] }) };
    await connection.newSession(options);
    const second = await connection.newSession(options);
    const acts = [{ method: "terminal/create", params: { command: "true" } }];
    await second.prompt(text(JSON.stringify(acts)), new AbortController().signal);
    expect(notes()).toContainEqual({ foreign: -32002 });
  });

  test("counts the same id in two sessions as two calls, and a yes for one for no other", async () => {
    const { connection, cwd, notes } = await connect(ASKS);
    const workspace = await LocalWorkspace.open(cwd);
    const options = { ledger: new MemoryLedger(), workspace };
    const first = await connection.newSession({ ...options, policy: () => ({ rules: [{ allow: "*" }] }) });
    const second = await connection.newSession({ ...options, policy: () => ({ rules: [{ deny: "*" }] }) });
    const never = new AbortController().signal;
    await first.prompt(text(JSON.stringify({ ...command("ls"), toolCallId: "call_1" })), never);
    await second.prompt(text(JSON.stringify({ ...command("ls"), toolCallId: "call_1" })), never);
    expect(outcomes(notes())).toEqual(["yes", "no"]);
    expect(first.book.call("call_1")?.state.status).toBe("done");
    expect(second.book.call("call_1")?.state.status).toBe("refused");
  });
});
