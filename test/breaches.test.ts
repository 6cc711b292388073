/** The rules judge calls that a foreign agent runs without asking, or after a refusal, and mark those that they deny. */
import { describe, expect, test } from "vitest";
import { SessionBook } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { inMode } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { sessionText } from "../src/view/index.js";
import { choose, connect, drive as driveAlone } from "./acp-client-kit.js";
import { isAlive } from "./is-alive.js";
import { until } from "./until.js";
import type { Driven, DriveOptions } from "./acp-client-kit.js";
import { folder, text } from "./agent-kit.js";

const STEPS = "runs the given steps";
const NO_RM: readonly Rule[] = [{ deny: "execute", command: "rm *", reason: "no deletes" }];
const drive = (options: DriveOptions = {}) => driveAlone(STEPS, { isShared: true, rules: NO_RM, ...options });

const starts = (fields: object) => ({
  sessionUpdate: "tool_call",
  toolCallId: "t1",
  title: "Tidy",
  ...fields,
});
const reports = (fields: object) => ({ sessionUpdate: "tool_call_update", toolCallId: "t1", ...fields });
const rm = { kind: "execute", rawInput: { command: "rm -rf build" } };
const make = { kind: "execute", rawInput: { command: "make" } };
const pending = { status: "pending" };
const running = { status: "in_progress" };
const completed = { status: "completed" };
const failed = { status: "failed" };

const breachOf = ({ session }: Driven, toolCallId = "t1") => session.book.call(toolCallId)?.breach;
const DENIED = { isAfterRefusal: false, rule: 'deny execute "rm *"', reason: "no deletes" };

/** The log, folded again, gives the same calls as the live session. */
async function expectReplayed({ session, ledger }: Driven): Promise<void> {
  const events = (await ledger.read(session.sessionId)).map(({ event }) => event);
  expect(new SessionBook(session.sessionId, events).snapshot()).toEqual(session.book.snapshot());
}

describe("breaches of a denial", () => {
  test.each<readonly [string, readonly object[]]>([
    ["is reported as completed at once", [starts({ ...rm, ...completed })]],
    ["runs and completes", [starts({ ...rm, ...running }), reports(completed)]],
    ["gets its input late", [starts(pending), reports(rm), reports(completed)]],
    ["gets its input with its end", [starts(running), reports({ ...rm, ...completed })]],
    ["runs and fails", [starts({ ...rm, ...running }), reports(failed)]],
    ["fails", [starts({ ...rm, ...pending }), reports(failed)]],
    ["still runs when the turn ends", [starts({ ...rm, ...running })]],
    ["is reported in other words", [starts({ ...rm, status: "done" })]],
    ["was never announced", [reports({ ...rm, ...completed })]],
    ["claims to be a reading", [starts({ ...rm, kind: "read", ...completed })]],
  ])("marks a denied call when it %s", async (_, steps) => {
    const driven = await drive();
    expect(await driven.say(steps)).toMatchObject({ stopReason: "end_turn" });
    expect(breachOf(driven)).toEqual(DENIED);
    expect(driven.questions).toEqual([]);
    await expectReplayed(driven);
  });

  test("marks a denied call after a second, long before it ends", async () => {
    const driven = await drive();
    const ended = driven.say([starts({ ...rm, ...running }), { pause: 4_000 }, reports(completed)]);
    await until(() => breachOf(driven) !== undefined);
    expect(driven.session.book.call("t1")?.state.status).toBe("running");
    await ended;
    await expectReplayed(driven);
  });

  test("marks a call that writes or reads a denied file", async () => {
    const driven = await drive({
      rules: [
        { deny: "edit", path: "**/gen/**" },
        { deny: "read", path: "**/.env" },
      ],
    });
    await driven.say([
      starts({ kind: "edit", rawInput: { path: "gen/a.txt", content: "x" }, ...completed }),
      starts({ toolCallId: "t2", kind: "read", rawInput: { path: ".env" }, ...completed }),
    ]);
    expect(breachOf(driven)).toMatchObject({ rule: expect.stringContaining("deny edit") });
    expect(breachOf(driven, "t2")).toMatchObject({ rule: expect.stringContaining("deny read") });
  });

  test("marks a call that names a denied file or command in a field of any name", async () => {
    const driven = await drive({ rules: [...NO_RM, { deny: "edit", path: "**/secret/**" }] });
    await driven.say([
      starts({ kind: "edit", rawInput: { target: "secret/x" }, ...completed }),
      starts({ toolCallId: "t2", kind: "execute", rawInput: { script: "rm -rf build" }, ...completed }),
    ]);
    expect(breachOf(driven)).toMatchObject({ rule: expect.stringContaining("deny edit") });
    expect(breachOf(driven, "t2")).toEqual(DENIED);
  });

  test("marks a call that runs with another input than the one that was allowed", async () => {
    const driven = await drive();
    await driven.say([
      starts(make),
      { permit: { toolCallId: "t1", ...make } },
      reports({ ...running, rawInput: rm.rawInput }),
      reports(completed),
    ]);
    expect(breachOf(driven)).toEqual(DENIED);
    await expectReplayed(driven);
  });

  test("marks a call that deletes a file that it was allowed to write", async () => {
    const driven = await drive({ rules: [{ deny: "delete" }] });
    const path = "a.txt";
    await driven.say([
      { permit: { toolCallId: "t0", kind: "edit", rawInput: { path, content: "x" } } },
      starts({ kind: "delete", rawInput: { path }, ...completed }),
    ]);
    expect(breachOf(driven)).toMatchObject({ rule: "deny delete" });
  });

  test("marks a call that changes something in read-only mode, and none that only reads", async () => {
    const driven = await drive({ policy: () => inMode("read-only", []) });
    await driven.say([
      starts({ kind: "edit", rawInput: { path: "a.txt", content: "x" }, ...completed }),
      starts({ toolCallId: "t2", kind: "read", rawInput: { path: "a.txt" }, ...completed }),
      starts({ toolCallId: "t3", kind: "think", rawInput: { todos: ["a"] }, ...completed }),
      starts({ toolCallId: "t4", ...make, ...completed }),
    ]);
    expect(breachOf(driven)).toMatchObject({ isAfterRefusal: false });
    expect(breachOf(driven, "t2")).toBeUndefined();
    expect(breachOf(driven, "t3")).toBeUndefined();
    expect(breachOf(driven, "t4")).toMatchObject({ isAfterRefusal: false });
  });
});

describe("breaches of a refusal", () => {
  const refusing = { rules: [], ask: choose("reject_once", "not today") };

  test.each<readonly [string, string, readonly object[]]>([
    ["under its own id", "t1", [starts(make), { permit: { toolCallId: "t1", ...make } }, reports(completed)]],
    [
      "under the id of the question",
      "t1",
      [starts({ ...make, ...running }), { permit: { toolCallId: "t1", ...make } }, reports(completed)],
    ],
    [
      "as a new call",
      "t2",
      [{ permit: { toolCallId: "t1", ...make } }, starts({ toolCallId: "t2", ...make, ...completed })],
    ],
    [
      "as a new call of the same id",
      "t1#2",
      [
        starts(make),
        { permit: { toolCallId: "t1", ...make } },
        starts({ ...make, ...running }),
        reports(completed),
      ],
    ],
    [
      "after Toolgate refused the same action",
      "t1",
      [{ ask: "terminal/create", params: { command: "make" } }, starts({ ...make, ...completed })],
    ],
  ])("marks a refused call that is reported as done %s", async (_, toolCallId, steps) => {
    const driven = await drive(refusing);
    await driven.say(steps);
    expect(breachOf(driven, toolCallId)).toEqual({ isAfterRefusal: true, who: "tester" });
    await expectReplayed(driven);
  });

  test("marks a call that is done after a rule refused it", async () => {
    const driven = await drive();
    await driven.say([starts(rm), { permit: { toolCallId: "t1", ...rm } }, reports(completed)]);
    expect(breachOf(driven)).toEqual({ ...DENIED, isAfterRefusal: true });
    const shown = sessionText(driven.session.book.snapshot());
    expect(shown).toContain('Done after rule deny execute "rm *" refused it: no deletes.');
    expect(shown).not.toContain("Nothing was run");
  });
});

describe("breaches of what was asked about", () => {
  const rules: readonly Rule[] = [
    { allow: "execute", command: "ls" },
    { deny: "edit", path: "**/secret/**" },
    { deny: "read", path: "**/secret/**" },
  ];
  const ls = { kind: "execute", rawInput: { command: "ls" } };
  const secret = "/tmp/secret/x";
  test.each<readonly [string, object]>([
    ["with a diff of a denied file", { content: [{ type: "diff", path: secret, newText: "x" }] }],
    ["with a denied place", { locations: [{ path: secret }] }],
    ["with a denied place of an edit", { kind: "edit", locations: [{ path: secret }] }],
  ])("marks a call that reports another action than was asked about: %s", async (_, fields) => {
    const driven = await drive({ rules });
    await driven.say([
      starts(ls),
      { permit: { toolCallId: "t1", ...ls } },
      reports({ ...completed, ...fields }),
    ]);
    expect(breachOf(driven)).toMatchObject({
      isAfterRefusal: false,
      rule: expect.stringContaining("secret"),
    });
    await expectReplayed(driven);
  });

  test("marks an edit of a denied place when only edits are denied", async () => {
    const driven = await drive({ rules: rules.slice(0, 2) });
    await driven.say([
      { permit: { toolCallId: "t1", ...ls } },
      reports({ ...completed, kind: "edit", locations: [{ path: secret }] }),
    ]);
    expect(breachOf(driven)).toMatchObject({ rule: expect.stringContaining("deny edit") });
  });

  test.each<readonly [string, object, object]>([
    ["with another command", ls, { rawInput: { command: "touch x" } }],
    ["with one command more", ls, { rawInput: { command: "ls; touch x" } }],
    [
      "with another text",
      { kind: "edit", rawInput: { path: "a.txt", content: "nice" } },
      { rawInput: { path: "a.txt", content: "EVIL" } },
    ],
    [
      "with another file",
      { kind: "edit", rawInput: { path: "a.txt", content: "nice" } },
      { rawInput: { path: "b.txt", content: "nice" } },
    ],
  ])("marks a call that is done otherwise than it was allowed: %s", async (_, asked, fields) => {
    const driven = await drive({ rules: [] });
    await driven.say([
      starts(asked),
      { permit: { toolCallId: "t1", ...asked } },
      reports({ ...completed, ...fields }),
    ]);
    expect(breachOf(driven)).toMatchObject({ isOtherThanAllowed: true });
    const shown = sessionText(driven.session.book.snapshot());
    expect(shown).toContain("Done otherwise than it was allowed: it reports");
    expect(shown).not.toContain("✓");
    await expectReplayed(driven);
  });
});

describe("breaches of an open question", () => {
  const never = new Promise<never>(() => undefined);

  test("marks a call that is done under its own id before its question is answered", async () => {
    const driven = await drive({ rules: [], ask: () => never });
    await driven.say([
      starts(make),
      { permitLater: { toolCallId: "t1", ...make } },
      { pause: 300 },
      reports(completed),
    ]);
    expect(breachOf(driven)).toEqual({ isAfterRefusal: false, isBeforeAnswer: true });
    expect(sessionText(driven.session.book.snapshot())).toContain(
      "Done before the question about it was answered.",
    );
    await expectReplayed(driven);
  });

  test.each<readonly [string, readonly object[]]>([
    [
      "while the question is open",
      [
        { permitLater: { toolCallId: "t1", ...make } },
        { pause: 300 },
        starts({ toolCallId: "t2", ...make, ...completed }),
        { pause: 500 },
      ],
    ],
    [
      "before it is asked",
      [
        starts({ toolCallId: "t2", ...make, ...completed }),
        { permit: { toolCallId: "t1", ...make } },
        { pause: 100 },
      ],
    ],
  ])("marks a call that is done under another id, %s", async (_, steps) => {
    const driven = await drive({
      rules: [],
      ask: async (question, signal) => {
        await until(() => driven.session.book.call("t2")?.state.status === "done");
        return choose("reject_once")(question, signal);
      },
    });
    await driven.say(steps);
    expect(breachOf(driven, "t2")).toMatchObject({ isAfterRefusal: false });
    await expectReplayed(driven);
  });
});

describe("calls after a no", () => {
  const no = { rules: [], ask: choose("reject_once") };
  const edit = (...names: readonly string[]) => ({
    kind: "edit",
    rawInput: { edits: names.map((path) => ({ path, old_string: "a", new_string: "b" })) },
  });

  test.each<readonly [string, object, object]>([
    ["the same command with another", make, { kind: "execute", rawInput: { command: "make; true" } }],
    [
      "the same command in a shell",
      make,
      { kind: "execute", rawInput: { command: ["bash", "-c", "cd . && make"] } },
    ],
    ["the same file with another", edit("g.txt"), edit("g.txt", "h.txt")],
    ["the same file deleted", edit("g.txt"), { kind: "delete", rawInput: { path: "g.txt" } }],
  ])("marks %s after a no", async (_, asked, done) => {
    const driven = await drive(no);
    await driven.say([
      { permit: { toolCallId: "t1", ...asked } },
      starts({ toolCallId: "t2", ...done, ...completed }),
    ]);
    expect(breachOf(driven, "t2")).toMatchObject({ isAfterRefusal: true });
  });

  test.each<readonly [string, object, object]>([
    ["a reading of the file", edit("g.txt"), { kind: "read", rawInput: { path: "g.txt" } }],
    ["an edit of another file", edit("g.txt"), edit("h.txt")],
    [
      "a command that shares a folder",
      { kind: "execute", rawInput: { command: "cd x && make" } },
      { kind: "execute", rawInput: { command: "cd x && ls" } },
    ],
  ])("does not mark %s after a no", async (_, asked, done) => {
    const driven = await drive(no);
    await driven.say([
      { permit: { toolCallId: "t1", ...asked } },
      starts({ toolCallId: "t2", ...done, ...completed }),
    ]);
    expect(breachOf(driven, "t2")).toBeUndefined();
  });

  test("does not mark a call that was allowed under its own id before a no", async () => {
    const driven = await drive({
      rules: [],
      ask: (question, signal) =>
        choose(question.toolCallId === "t1" ? "allow_once" : "reject_once")(question, signal),
    });
    await driven.say([
      { permit: { toolCallId: "t1", ...edit("g.txt") } },
      { permit: { toolCallId: "t2", ...edit("g.txt", "h.txt") } },
      reports(completed),
    ]);
    expect(breachOf(driven)).toBeUndefined();
  });
});

describe("calls that are no breach", () => {
  const yes = { rules: [], ask: choose("allow_once") };
  const no = { rules: [], ask: choose("reject_once") };
  test.each<readonly [string, DriveOptions, readonly object[]]>([
    ["that would only be asked about", { rules: [] }, [starts({ ...make, ...completed })]],
    ["that is allowed", { rules: [{ allow: "execute" }] }, [starts({ ...make, ...completed })]],
    ["that never began", {}, [starts({ ...rm, ...pending })]],
    [
      "that was asked about and allowed",
      yes,
      [starts(make), { permit: { toolCallId: "t1", ...make } }, reports(running), reports(completed)],
    ],
    [
      "whose input is reported again with more fields that have no meaning",
      { ...yes, rules: NO_RM },
      [
        starts(make),
        { permit: { toolCallId: "t1", ...make } },
        reports({ ...running, rawInput: { command: "make", description: "build" } }),
        reports(completed),
      ],
    ],
    [
      "that was refused and is reported as failed",
      no,
      [starts(make), { permit: { toolCallId: "t1", ...make } }, reports(running), reports(failed)],
    ],
    [
      "that was reported as in progress, then asked about, then refused",
      {},
      [starts({ ...rm, ...running }), { permit: { toolCallId: "t1", ...rm } }, reports(failed)],
    ],
    [
      "that was reported as in progress, then asked about, refused, and reported as failed late",
      {},
      [
        starts({ ...rm, ...running }),
        { permit: { toolCallId: "t1", ...rm } },
        { pause: 1_300 },
        reports(failed),
      ],
    ],
    [
      "that was refused under another id",
      {},
      [{ permit: { toolCallId: "pending", ...rm } }, starts({ ...rm, ...pending }), reports(failed)],
    ],
    [
      "that Toolgate refused to run",
      {},
      [
        starts({ ...rm, ...running }),
        { ask: "terminal/create", params: { command: "/bin/sh", args: ["-lc", "rm -rf build"] } },
        reports(failed),
      ],
    ],
  ])("marks no call %s", async (_, options, steps) => {
    const driven = await drive(options);
    await driven.say(steps);
    expect([...driven.session.book.calls()].filter(({ breach }) => breach)).toEqual([]);
  });

  test("marks no call that an agent replays when a session is loaded", async () => {
    const { connection, cwd } = await connect("loads a breach");
    const workspace = await LocalWorkspace.open(cwd);
    const session = await connection.resumeSession("old", {
      ledger: new MemoryLedger(),
      workspace,
      policy: () => ({ rules: NO_RM }),
    });
    expect(session.book.call("t1")?.state.status).toBe("done");
    expect(session.book.call("t1")?.breach).toBeUndefined();
  });
});

describe("sessions that end the agent at a breach", () => {
  test("ends the agent with all that it started at a breach, and says why in every turn", async () => {
    const { connection } = await connect(STEPS);
    const open = async () =>
      connection.newSession({
        ledger: new MemoryLedger(),
        workspace: await LocalWorkspace.open(await folder()),
        policy: () => ({ rules: NO_RM }),
        onBreach: "end",
      });
    const [session, other] = [await open(), await open()];
    const { signal } = new AbortController();
    const say = (one: typeof session, steps: unknown) => one.prompt(text(JSON.stringify(steps)), signal);
    const waiting = say(other, [{ pause: 60_000 }]);
    const ended = await say(session, ["spawn", starts({ ...rm, ...completed }), { pause: 60_000 }]);
    const why = `by-hand was ended: it broke the rules in session ${session.sessionId} (Tidy: Done without asking; rule deny execute "rm *" denies it: no deletes.)`;
    expect(ended).toEqual({ status: "stopped", stopReason: "error", error: why });
    expect(await waiting).toEqual({ status: "stopped", stopReason: "error", error: why });
    await connection.closed;
    expect(await connection.stderrTail()).toContain("SIGTERM");
    expect(await say(session, [])).toMatchObject({ stopReason: "error", error: why });
  });

  test("says why the agent was ended also when it ends its turn at the same moment", async () => {
    const driven = await driveAlone(STEPS, { rules: NO_RM, onBreach: "end" });
    const ended = await driven.say(["spawn", { pids: true }, starts({ ...rm, ...completed })]);
    expect(ended).toMatchObject({ stopReason: "error", error: expect.stringContaining("by-hand was ended") });
    await driven.connection.closed;
    const { pids } = driven
      .notes()
      .find((note): note is { pids: number[] } => Object.hasOwn(note as object, "pids"))!;
    await until(() => pids.every((pid) => !isAlive(pid)));
  });

  test("ends the agent also for a call that still ran when the turn ended", async () => {
    const driven = await driveAlone(STEPS, { rules: NO_RM, onBreach: "end" });
    const ended = await driven.say([starts({ ...rm, ...running })]);
    expect(ended).toMatchObject({ stopReason: "error", error: expect.stringContaining("by-hand was ended") });
    expect(breachOf(driven)).toEqual(DENIED);
  });
});
