/** Requests of a foreign agent that we serve (files, commands) are calls like our own: undoable, limited, asked about. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Rule } from "../src/policy/index.js";
import { askForever, choose, drive } from "./acp-client-kit.js";
import type { DriveOptions } from "./acp-client-kit.js";
import { text } from "./agent-kit.js";
import { until } from "./until.js";

const STEPS = "runs the given steps";
const ALLOW: readonly Rule[] = [{ allow: "*" }, { allow: "edit" }];
const driveSteps = (options: DriveOptions = {}) => drive(STEPS, { isShared: true, rules: ALLOW, ...options });

const write = (path: string, content: string) => ({ ask: "fs/write_text_file", params: { path, content } });
const run = (script: string) => ({ ask: "terminal/create", params: { command: "sh", args: ["-c", script] } });

/** The responses that the agent got, by method. */
const answers = (notes: readonly unknown[]) =>
  notes.map(
    (note) => Object.values(note as Record<string, { result?: unknown; error?: { message: string } }>)[0],
  );

describe("undo", () => {
  test("puts back a file that an agent wrote through us, and removes one that it made", async () => {
    const { say, session, cwd } = await driveSteps({ files: { "a.txt": "before" } });
    const [old, made] = [join(cwd, "a.txt"), join(cwd, "new/b.txt")];
    await say([write(old, "after"), write(made, "made")]);
    expect([readFileSync(old, "utf8"), readFileSync(made, "utf8")]).toEqual(["after", "made"]);
    expect(await session.gate.undo("proxied_1")).toEqual({ paths: [old] });
    await session.gate.undo("proxied_2");
    expect(readFileSync(old, "utf8")).toBe("before");
    expect(existsSync(join(cwd, "new"))).toBe(false);
    expect(session.book.call("proxied_1")?.times.undone).toBeDefined();
  });

  test("touches nothing when somebody has changed the file since", async () => {
    const { say, session, cwd } = await driveSteps({ files: { "a.txt": "before" } });
    const path = join(cwd, "a.txt");
    await say([write(path, "after")]);
    writeFileSync(path, "mine");
    await expect(session.gate.undo("proxied_1")).rejects.toThrow("cannot be undone");
    expect(readFileSync(path, "utf8")).toBe("mine");
  });
});

describe("the loop guard", () => {
  test("asks about the same write once it was made too often, though a rule allows it", async () => {
    const { say, questions, notes, cwd } = await driveSteps({ ask: choose("reject_once", "enough") });
    const path = join(cwd, "a.txt");
    await say(Array.from({ length: 6 }, () => write(path, "again")));
    expect(questions.map(({ toolCallId, reason }) => [toolCallId, reason])).toEqual([
      ["proxied_6", expect.stringContaining("made 6 times: it may be going round in circles")],
    ]);
    expect(answers(notes()).at(-1)?.error?.message).toBe("Refused: enough. Nothing was done.");
  });

  test("asks about the same permission once it was given too often by a rule", async () => {
    const { say, questions } = await driveSteps();
    const permit = (toolCallId: string) => ({
      permit: { toolCallId, kind: "execute", rawInput: { command: "make all" } },
    });
    await say(["a", "b", "c", "d", "e", "f"].map(permit));
    expect(questions.map(({ toolCallId, reason }) => [toolCallId, reason])).toEqual([
      ["f", expect.stringContaining("made 6 times")],
    ]);
  });

  test("asks about many permissions that repeat together, however many there are", async () => {
    const { say, questions } = await driveSteps({ ask: choose("reject_once", "enough") });
    const rounds = Array.from({ length: 7 }, (_, round) =>
      Array.from({ length: 40 }, (_item, n) => ({
        permit: { toolCallId: `${round}-${n}`, kind: "execute", rawInput: { command: `make part${n}` } },
      })),
    );
    await say(rounds.flat());
    const asked = questions.map(({ toolCallId }) => Number(toolCallId.split("-")[0]));
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(5);
    expect(asked.filter((round) => round === 6)).toHaveLength(40);
  });
});

describe("a question that nobody answers in time", () => {
  const limits = { questionLifetime: 100 };

  test("is answered with the agent's own no", async () => {
    const asked = askForever();
    const { say, notes, session } = await driveSteps({ rules: [], ask: asked.ask, limits });
    await say([{ permit: { toolCallId: "t1", kind: "execute", rawInput: { command: "make" } } }]);
    expect(JSON.stringify(notes())).toContain('"optionId":"no"');
    expect(JSON.stringify(notes())).toContain("the question expired");
    expect(session.book.call("t1")).toMatchObject({
      state: { status: "refused" },
      decision: { rule: "questions expire" },
    });
    expect(asked.isStopped).toBe(true);
  });

  test("refuses what the agent wanted us to do", async () => {
    const { say, notes, cwd } = await driveSteps({ rules: [], ask: askForever().ask, limits });
    await say([write(join(cwd, "a.txt"), "text")]);
    expect(answers(notes())[0]?.error?.message).toContain("Refused: the question expired");
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  });
});

describe("an agent's commands", () => {
  test("ends an agent's command when its time is up, and reports why", async () => {
    // An agent of its own: a shared one may still note responses of the test before.
    const { say, session, notes } = await driveSteps({ isShared: false, limits: { timeLimit: 1_000 } });
    const follow = ["terminal/wait_for_exit", "terminal/output"].map((ask) => ({
      ask,
      params: { terminalId: "term_1" },
    }));
    await say([run("echo up; sleep 60"), ...follow]);
    const [, exit, output] = answers(notes());
    expect(exit?.result).toMatchObject({ signal: "SIGTERM" });
    expect(JSON.stringify(output?.result)).toMatch(/up\\nterminal took longer than 1 s and was stopped/);
    await until(() => session.book.call("proxied_1")?.state.status === "failed");
    expect(session.book.call("proxied_1")?.state).toMatchObject({
      error: expect.stringContaining("took longer than 1 s"),
    });
  });

  test("writes a file of the agent while its endless command runs", async () => {
    const { say, session, cwd } = await driveSteps();
    const path = join(cwd, "a.txt");
    await say([run("sleep 60"), write(path, "written meanwhile")]);
    expect(readFileSync(path, "utf8")).toBe("written meanwhile");
    expect(session.book.call("proxied_2")?.state.status).toBe("done");
  });

  test("cancels an agent's command while it runs", async () => {
    const { say, session } = await driveSteps();
    const turn = say([run("sleep 60"), { pause: 1_000 }]);
    await until(() => session.book.call("proxied_1")?.state.status === "running");
    expect(await session.gate.cancelCall("proxied_1", "enough.")).toBe(true);
    expect(session.book.call("proxied_1")?.state.status).toBe("cancelled");
    await turn;
  });
});

describe("a command that the agent shows as its own call", () => {
  const starts = (command: string) => ({
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    kind: "execute",
    title: "execute",
    status: "in_progress",
    rawInput: { command },
  });

  test("is a part of it, and fails with it when the turn is cancelled without a report", async () => {
    const { say, session, cwd } = await driveSteps();
    const stop = new AbortController();
    const turn = say([starts("sleep 60"), run("sleep 60"), { untilFile: "cancelled" }], stop.signal);
    await until(() => session.book.call("proxied_1")?.state.status === "running");
    expect(session.book.call("proxied_1")?.parentToolCallId).toBe("t1");
    stop.abort();
    writeFileSync(join(cwd, "cancelled"), "");
    await turn;
    expect(session.book.call("t1")?.state).toMatchObject({
      status: "failed",
      error: "The turn was cancelled, and the command was ended.",
    });
  });

  test("has an unknown end when the agent ran it itself and does not report its end", async () => {
    const { say, session, cwd } = await driveSteps();
    const stop = new AbortController();
    const turn = say([starts("sleep 60"), { untilFile: "cancelled" }], stop.signal);
    await until(() => session.book.call("t1")?.state.status === "running");
    stop.abort();
    writeFileSync(join(cwd, "cancelled"), "");
    await turn;
    expect(session.book.call("t1")?.state.status).toBe("unknown");
  });
});

describe("a yes to an agent's call", () => {
  test("asks again when the file changed after the question", async () => {
    let count = 0;
    const path = { now: "" };
    const { say, questions, session, cwd } = await driveSteps({
      rules: [],
      files: { "a.txt": "before" },
      ask: (question, signal) => {
        count += 1;
        if (count === 1) writeFileSync(path.now, "somebody's");
        return choose("allow_once")(question, signal);
      },
    });
    path.now = join(cwd, "a.txt");
    await say([write(path.now, "after")]);
    expect(questions.map(({ toolCallId }) => toolCallId)).toEqual(["proxied_1", "proxied_1"]);
    expect(questions[1]?.reason).toContain("has changed since");
    await session.gate.undo("proxied_1");
    expect(readFileSync(path.now, "utf8")).toBe("somebody's");
  });

  test("takes a yes with another input for a no, since the agent would not know of it", async () => {
    const { say, notes, cwd } = await driveSteps({
      rules: [],
      ask: async (question, signal) => ({
        ...(await choose("allow_once")(question, signal)),
        input: { path: join(cwd, "b.txt"), content: "other" },
      }),
    });
    const permit = { toolCallId: "t1", kind: "execute", rawInput: { command: "make" } };
    await say([write(join(cwd, "a.txt"), "mine"), { permit }]);
    expect(answers(notes())[0]?.error?.message).toContain("the input was changed");
    expect(JSON.stringify(notes()[1])).toMatch(/"optionId":"no".*the input was changed/);
    expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "b.txt"))]).toEqual([false, false]);
  });
});

test("a file is written also when the agent ends its turn without waiting for that", async () => {
  const { say, session, cwd } = await driveSteps();
  // Few enough that a busy machine writes them within the time that the end of a turn waits.
  const paths = Array.from({ length: 5 }, (_, count) => join(cwd, `${count}.txt`));
  await say(paths.map((path) => ({ askLater: "fs/write_text_file", params: { path, content: path } })));
  expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(paths);
  expect([...session.book.calls()].map(({ state }) => state.status)).toEqual(paths.map(() => "done"));
});

test("a file of several megabytes is written whole", async () => {
  const { say, cwd } = await driveSteps();
  const path = join(cwd, "large.txt");
  const content = "0123456789abcdef".repeat(200_000);
  await say([write(path, content)]);
  expect(readFileSync(path, "utf8") === content).toBe(true);
});

test("an answer takes up all that the always of one question settles, ours and the agent's", async () => {
  const rules: Rule[] = [];
  const asked = askForever();
  const { session, ledger, notes, cwd } = await driveSteps({
    rules: [],
    policy: () => ({ rules }),
    remember: async ({ rules: stored }) => void rules.push(...stored),
    ask: asked.ask,
  });
  const steps = [
    { permitLater: { toolCallId: "t1", kind: "execute", rawInput: { command: "make all" } } },
    { permitLater: { toolCallId: "t2", kind: "execute", rawInput: { command: "make all" } } },
    { ask: "terminal/create", params: { command: "make all", cwd } },
  ];
  const turn = session.prompt(text(JSON.stringify(steps)), new AbortController().signal);
  await until(async () => (await ledger.openQuestions()).length === 3);
  const [first] = await ledger.openQuestions();
  await ledger.answer(first?.questionId ?? "", {
    outcome: { type: "selected", optionId: "allow_always" },
    intentHash: first?.intentHash ?? "",
    by: "person",
    at: Date.now(),
  });
  await turn;
  await setTimeout(50);
  expect(await ledger.openQuestions()).toEqual([]);
  expect(JSON.stringify(notes()).match(/"optionId":"yes"/g)).toHaveLength(2);
  expect(session.book.call("proxied_1")?.decision).toMatchObject({ by: "rule" });
});
