/**
 * History after crashes and attacks: recorded events are there, in order, whole, findable and provable. No typed or
 * stored text becomes code elsewhere.
 */
import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Archive, Ledger, SessionEvent } from "../src/call/index.js";
import { readAll, SessionBook } from "../src/call/index.js";
import {
  exportSession,
  openArchive,
  openLedger,
  redactingLedger,
  replaySession,
} from "../src/history/index.js";
import { verifyLedger } from "../src/history/sqlite/verify-ledger.js";
import { openGate } from "../src/run/index.js";
import { builtInTools, defineTool } from "../src/tools/index.js";
import { sessionMarkdown } from "../src/view/index.js";
import { counting, folder, never } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";

async function opened(file: string, now: () => number = Date.now): Promise<Ledger> {
  const ledger = await openLedger(file, { now });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function indexed(file: string): Promise<Archive> {
  const index = await openArchive(file);
  onTestFinished(() => index.close());
  return index;
}

async function record(ledger: Ledger, events: readonly SessionEvent[], sessionId = "s1"): Promise<void> {
  const lease = await ledger.claim(sessionId, "test", { milliseconds: 60_000 });
  await ledger.append(lease, events, { durable: true });
  await ledger.release(lease);
}

const said = (text: string, at = 1): SessionEvent => ({
  type: "message-chunk",
  at,
  messageId: `m${at}`,
  role: "agent",
  block: { type: "text", text },
});

/** A call of one of several kinds, with what is hard to keep: odd characters, odd numbers, depth, size. */
function mixedCall(index: number): SessionEvent[] {
  const toolCallId = `call-${index}`;
  const at = 1_700_000_000_000 + index;
  const inputs = [
    { text: "\u0000\u001b[2J\uD800 lone \u202e 😀 \u2028" },
    { number: [1e308, -0, 1e-7, 2 ** 70], nothing: null, empty: "" },
    { deep: [[[[{ __proto__x: { constructor: 1 } }]]]] },
    { long: "x".repeat(index % 7 === 0 ? 20_000 : 10), sql: "'; drop table events; --" },
  ];
  const begin: SessionEvent[] = [
    { type: "call-announced", toolCallId, at, name: "t", title: "T", kind: "other", kindSource: "declared" },
    { type: "input-ready", toolCallId, at, rawInput: inputs[index % inputs.length] },
  ];
  const decision = { by: "rule", rule: "r", at } as const;
  if (index % 5 === 0) return [...begin, { type: "call-refused", toolCallId, at, decision }];
  const end: SessionEvent =
    index % 3 === 0
      ? { type: "call-failed", toolCallId, at, error: `broke\n${index}` }
      : { type: "call-done", toolCallId, at, rawOutput: { index, bytes: "é".repeat(index % 100) } };
  return [
    ...begin,
    { type: "call-cleared", toolCallId, at, decision },
    { type: "run-started", toolCallId, at, intent: { index } },
    end,
  ];
}

test("a thousand mixed calls read back byte for byte after a restart", async () => {
  const file = join(await folder(), "ledger.db");
  const events = Array.from({ length: 1_000 }, (_, index) => mixedCall(index)).flat();
  const first = await openLedger(file);
  await record(first, events);
  await first.close();
  const read = await readAll(await opened(file), "s1");
  expect(read.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(JSON.stringify(read.map(({ event }) => event))).toBe(JSON.stringify(events));
  const [before, after] = [events, read.map(({ event }) => event)].map((log) =>
    new SessionBook("s1", log).snapshot(),
  );
  expect(JSON.stringify(after)).toBe(JSON.stringify(before));
});

test("makes a call unknown and never runs it again when it was killed between effect and result", async () => {
  const root = await folder();
  const { signal } = spawnSync(process.execPath, [childProgram("history-killed.mjs"), root], {
    timeout: 20_000,
  });
  expect(signal).toBe("SIGKILL");
  const paid = async () =>
    (await readFile(join(root, "paid.txt"), "utf8")).split("\n").filter(Boolean).length;
  expect(await paid()).toBe(1);
  const again = counting("pay");
  // The dead process's lease lasts a few seconds: the next process's clock is past it.
  const ledger = await opened(join(root, "ledger.db"), () => Date.now() + 60_000);
  const options = {
    ledger,
    workspace: root,
    tools: [again.tool],
    rules: [{ allow: "pay" }],
    sessionId: "s1",
  };
  const gate = await openGate(options);
  onTestFinished(() => gate.close());
  await gate.proceed(never());
  const [call] = [
    ...new SessionBook(
      "s1",
      (await ledger.read("s1")).map(({ event }) => event),
    ).calls(),
  ];
  expect(call?.state).toMatchObject({ status: "unknown" });
  expect([again.runs, await paid()]).toEqual([0, 1]);
});

const isLong = process.env["TOOLGATE_LONG"] !== undefined;

test("loses nothing acknowledged when killed at any moment, and opens again in time", async () => {
  const root = await folder();
  const killed = async (number: number) => {
    const file = join(root, `${number}.db`);
    const writer = startChild("history-writer.mjs", file, "flood");
    expect(await writer.hear()).toBe("ready");
    let acknowledged = 0;
    writer.onLine((line) => (acknowledged = Number(line)));
    await setTimeout(Math.random() * 40);
    writer.process.kill("SIGKILL");
    await once(writer.process, "close");
    const start = performance.now();
    const ledger = await openLedger(file);
    const log = await readAll(ledger, "s1");
    // The promise is two seconds.
    expect(performance.now() - start).toBeLessThan(20_000);
    await ledger.close();
    expect(log.length).toBeGreaterThanOrEqual(acknowledged);
    expect(log.map(({ event }) => event.at)).toEqual(log.map(({ seq }) => seq));
    expect(log.length % 2).toBe(0);
    const check = new DatabaseSync(file);
    expect(Object.values(check.prepare("pragma integrity_check").get() as object)).toEqual(["ok"]);
    check.close();
    expect((await verifyLedger(file)).broken).toEqual([]);
  };
  for (let number = 0; number < (isLong ? 24 : 8); number += 4) {
    await Promise.all([0, 1, 2, 3].map((more) => killed(number + more)));
  }
});

test("reads a read-only ledger, and a write throws the reason", async () => {
  const file = join(await folder(), "ledger.db");
  const first = await openLedger(file);
  await record(first, [said("hello")]);
  await first.close();
  const ledger = await openLedger(file, { readOnly: true });
  onTestFinished(() => ledger.close());
  expect(await ledger.read("s1")).toHaveLength(1);
  const tool = counting("t");
  const gate = openGate({ ledger, workspace: await folder(), tools: [tool.tool], rules: [{ allow: "t" }] });
  await expect(gate).rejects.toMatchObject({
    code: "LEDGER_READ_ONLY",
    message: expect.stringMatching(
      /can only be read .*Nothing was written; make the file and its folder writable/,
    ),
  });
  expect(tool.runs).toBe(0);
});

test("reads the rest of a session with one damaged row, and marks that row", async () => {
  const file = join(await folder(), "ledger.db");
  const first = await openLedger(file);
  await record(first, [...mixedCall(1), ...mixedCall(2), said("the end")]);
  await first.close();
  byHand(file, `update events set event = '{"type":"call-do' where seq = 5`);
  const ledger = await opened(file);
  const { session } = replaySession("s1", await ledger.read("s1"));
  expect(session.timeline).toMatchObject([
    { call: { toolCallId: "call-1", state: { status: "running" } } },
    { call: { toolCallId: "call-2", state: { status: "done" } } },
    { message: { blocks: [{ text: "the end" }] } },
  ]);
  expect(session.repairs).toMatchObject([
    { repair: "unreadable-event", detail: expect.stringContaining("Event 5") },
  ]);
  expect((await (await indexed(file)).search({ text: "end" })).items).toHaveLength(1);
});

test("keeps the order of events when the clock goes back two hours", async () => {
  const file = join(await folder(), "ledger.db");
  let time = Date.UTC(2026, 5, 1, 12);
  const ledger = await opened(file, () => time);
  const index = await indexed(file);
  await record(ledger, [said("first", time)]);
  await index.refresh();
  time -= 7_200_000;
  await record(ledger, [said("second", time)]);
  const log = await ledger.read("s1");
  expect(log.map(({ seq, event }) => [seq, event.type === "message-chunk" && event.block])).toEqual([
    [1, { type: "text", text: "first" }],
    [2, { type: "text", text: "second" }],
  ]);
  const pieces = [...sessionMarkdown(replaySession("s1", log).session)].join("");
  expect(pieces.indexOf("first")).toBeLessThan(pieces.indexOf("second"));
  // The index notices it all the same.
  expect((await index.search({ text: "second" })).items).toHaveLength(1);
  expect((await verifyLedger(file)).broken).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "an owner that was frozen past its lease finds its writes refused",
  async () => {
    const file = join(await folder(), "ledger.db");
    const frozen = startChild("history-writer.mjs", file, "once", "200");
    expect(await frozen.hear()).toBe("ready");
    frozen.process.kill("SIGSTOP");
    await setTimeout(250);
    const ledger = await opened(file);
    const lease = await ledger.claim("s1", "bob", { milliseconds: 60_000 });
    await ledger.append(lease, [said("by bob")], { durable: true });
    frozen.process.kill("SIGCONT");
    frozen.process.stdin?.write("\n");
    expect(await frozen.hear()).toEqual(["LEASE_LOST", "LEASE_LOST"]);
    expect(await ledger.read("s1")).toHaveLength(1);
  },
);

test("searches for any typed text, executes none and never fails", async () => {
  const file = join(await folder(), "ledger.db");
  await record(await opened(file), [
    said("nothing of the kind"),
    said("1=1 OR else", 2),
    said("100%_sure", 3),
  ]);
  const index = await indexed(file);
  const found = async (text: string) => (await index.search({ text })).items.length;
  expect(await found("' OR 1=1 --")).toBe(1);
  expect(await found('" NEAR( *')).toBe(0);
  expect(await found("%_")).toBe(0);
  expect(await found("100%_sure")).toBe(1);
  expect(await found('x" OR text:*')).toBe(0);
  expect(await found("'; drop table calls; --")).toBe(0);
  expect(await found("kind")).toBe(1);
});

test("never exports a cell as a formula", async () => {
  const titles = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    ' "=1"',
    "%0A=1",
    "fine, really",
  ];
  const events = titles.flatMap((title, index): SessionEvent[] => [
    {
      type: "call-announced",
      toolCallId: `c${index}`,
      at: 1,
      name: title,
      title,
      kind: "other",
      kindSource: "declared",
    },
  ]);
  const csv = [...exportSession(replaySession("s1", numbered(events)).session, "csv")].join("");
  const cells = [...csv.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = ""]) => cell);
  expect(cells).toHaveLength(13 * (titles.length + 1));
  expect(cells.filter((cell) => /^\s*[=+\-@%|]/.test(cell))).toEqual([]);
  expect(cells).toContain("'=cmd|' /C calc'!A0");
  expect(cells).toContain("fine, really");
});

test("a decision that was changed by hand is reported, with the session and the event", async () => {
  const file = join(await folder(), "ledger.db");
  const ledger = await openLedger(file);
  await record(ledger, [...mixedCall(1), ...mixedCall(2)]);
  await ledger.close();
  expect(await verifyLedger(file)).toMatchObject({ events: 10, brokenCount: 0 });
  byHand(file, `update events set event = replace(event, '"by":"rule"', '"by":"person"') where seq = 3`);
  expect((await verifyLedger(file)).broken).toMatchObject([{ sessionId: "s1", seq: 3, problem: "changed" }]);
});

test("every call that ran has its decision, its intent and its result on record, and none ran without", async () => {
  const root = await folder({ "a.txt": "a" });
  const file = join(await folder(), "ledger.db");
  const ledger = await opened(file);
  let ran = 0;
  const tool = (name: string) =>
    defineTool({
      name,
      description: name,
      kind: "other",
      input: z.looseObject({}),
      run: () => {
        ran += 1;
        return Promise.resolve({ output: "ok" });
      },
    });
  const answers = ["allow_once", "reject_once"];
  const gate = await openGate({
    ledger,
    workspace: root,
    sessionId: "s1",
    tools: [...builtInTools, tool("allowed"), tool("asked"), tool("denied")],
    rules: [{ allow: "allowed" }, { deny: "denied" }],
    ask: () =>
      Promise.resolve({
        outcome: { type: "selected", optionId: answers.shift() ?? "reject_once" },
        by: "person",
        who: "ann",
      }),
  });
  onTestFinished(() => gate.close());
  for (const name of ["allowed", "denied", "asked", "asked", "read_file", "allowed"]) {
    await gate.call({ name, input: name === "read_file" ? { path: "a.txt" } : { n: 1 } });
  }
  const log = (await ledger.read("s1")).map(({ event }) => event);
  const started = log.filter((event) => event.type === "run-started");
  expect(ran).toBe(3);
  expect(started.length).toBeGreaterThanOrEqual(ran);
  for (const event of started) {
    const before = log.slice(0, log.indexOf(event));
    const cleared = before.find(
      (other) => other.type === "call-cleared" && other.toolCallId === event.toolCallId,
    );
    const decision = cleared?.type === "call-cleared" ? cleared.decision : undefined;
    expect(decision).toMatchObject({ by: expect.stringMatching(/^(rule|person)$/), at: expect.any(Number) });
    expect(decision?.rule ?? decision?.who).toBeTypeOf("string");
    expect(decision?.intentHash).toMatch(/^[0-9a-f]{16,}$/);
    expect(event.intent).toBeDefined();
    const after = log.slice(log.indexOf(event));
    const ended = after.some(
      (other) =>
        (other.type === "call-done" || other.type === "call-failed") && other.toolCallId === event.toolCallId,
    );
    expect(ended).toBe(true);
  }
  // And the index says the same of them.
  const { items } = await (await indexed(file)).calls();
  const executed = items.filter(({ ranMs }) => ranMs !== undefined);
  expect(executed).toHaveLength(started.length);
  for (const call of executed) expect(call.rule ?? call.who).toBeTypeOf("string");
});

test("the histories of projects with like names, and very long ones, never mix", async () => {
  const file = join(await folder(), "ledger.db");
  const ledger = await opened(file);
  const long = `/${"deep/".repeat(60)}`;
  const projects = [
    "/home/a-b/c",
    "/home/a/b-c",
    "/home/a_b/c",
    "/home/a/b/c",
    `${long}one`,
    `${long}two`,
    "/HOME/A/B/C",
  ];
  for (const [index, cwd] of projects.entries()) {
    await record(ledger, [{ type: "info-changed", at: 1, info: { cwd } }, ...mixedCall(1)], `s${index}`);
  }
  const index = await indexed(file);
  for (const [number, cwd] of projects.entries()) {
    const { items } = await index.sessions({ cwd });
    expect(items.map(({ sessionId, cwd: found }) => [sessionId, found])).toEqual([[`s${number}`, cwd]]);
    expect((await index.statistics({ by: "tool", cwd }))[0]?.calls).toBe(1);
  }
  expect((await index.sessions({ cwd: "/home/a" })).items).toEqual([]);
});

test("runs calls with their secrets and stores none in a redacting ledger", async () => {
  const file = join(await folder(), "ledger.db");
  const secret = `ghp_${"a1B2c3D4".repeat(5)}`;
  const inputs: unknown[] = [];
  const tool = defineTool({
    name: "call_api",
    description: "Calls.",
    kind: "other",
    input: z.looseObject({}),
    run: (input, context) => {
      inputs.push(input);
      const terminal = context.terminal();
      for (const piece of [`token ${secret.slice(0, 10)}`, secret.slice(10), "\ndone"]) terminal.print(piece);
      terminal.exit({ exitCode: 0 });
      return Promise.resolve({ output: `used ${secret}` });
    },
  });
  const gate = await openGate({
    ledger: redactingLedger(await opened(file)),
    workspace: await folder(),
    sessionId: "s1",
    tools: [tool],
    rules: [],
    ask: () =>
      Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" }),
  });
  const calls = [
    await gate.call({ name: "call_api", input: { header: `Bearer ${secret}` } }),
    await gate.call({ name: "call_api", input: { password: "hunter2" } }),
  ];
  await gate.close();
  expect(calls.map(({ state }) => state.status)).toEqual(["done", "done"]);
  expect(inputs).toEqual([{ header: `Bearer ${secret}` }, { password: "hunter2" }]);
  const stored = JSON.stringify(await (await opened(file)).read("s1"));
  for (const word of [secret.slice(0, 12), "a1B2c3D4", "hunter2"]) expect(stored).not.toContain(word);
  expect(stored).toContain("[redacted token]");
});

describe("size", () => {
  test("a page is as quick at the end of a long history as at its start, by keys and not by counting", async () => {
    const file = join(await folder(), "ledger.db");
    const ledger = await opened(file);
    await record(ledger, Array.from({ length: 3_000 }, (_, index) => mixedCall(index * 5)).flat());
    const index = await indexed(file);
    let [pages, slowest, before] = [0, 0, undefined as string | undefined];
    do {
      const start = performance.now();
      const page = await index.calls({ limit: 50, ...(before !== undefined && { before }) });
      if (pages > 0) slowest = Math.max(slowest, performance.now() - start);
      pages += page.items.length > 0 ? 1 : 0;
      before = page.next;
    } while (before !== undefined);
    expect(pages).toBe(60);
    // 50 ms are promised, at ten times their length.
    expect(slowest).toBeLessThan(500);
    const room = fileURLToPath(new URL("../src/history/", import.meta.url));
    const sources = readdirSync(room).filter((name) =>
      /^(sqlite|index|history)-.*(?<!\.test)\.ts$/.test(name),
    );
    expect(
      sources.filter((name) => /\boffset\b\s*(?:\(|\?|\d)/i.test(readFileSync(join(room, name), "utf8"))),
    ).toEqual([]);
  });

  const TURNS = isLong ? 5_000 : 2_000;

  test(`turn ${TURNS} of a session costs what the first ones did`, async () => {
    const ledger = await opened(join(await folder(), "ledger.db"));
    const lease = await ledger.claim("s1", "test", { milliseconds: 600_000 });
    const book = new SessionBook("s1");
    const times: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const turnId = `turn-${turn}`;
      const events: SessionEvent[] = [
        { type: "turn-started", at: turn, turnId },
        said(`word ${turn}`, turn),
        ...mixedCall(5 * turn + 1),
        { type: "turn-stopped", at: turn, turnId, stopReason: "end_turn" },
      ];
      const start = process.cpuUsage();
      book.check(events);
      await ledger.append(lease, events, { durable: false });
      book.applyAll(events);
      times.push(process.cpuUsage(start).user);
    }
    const median = (part: readonly number[]) =>
      part.toSorted((one, other) => one - other)[part.length >> 1] ?? 0;
    // The promise is a fifth more, in CPU time; ten times that. A cost that grows with the session is 4.5 times.
    const [last, first] = [times.slice(-TURNS / 5), times.slice(TURNS / 10, (3 * TURNS) / 10)];
    expect(median(last)).toBeLessThan(3 * median(first));
  });
});

const numbered = (events: readonly SessionEvent[]) =>
  events.map((event, index) => ({ seq: index + 1, event }));

/** As someone would who has the file and SQLite. */
function byHand(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

type Child = {
  readonly process: ChildProcess;
  readonly hear: () => Promise<unknown>;
  readonly onLine: (listener: (line: string) => void) => void;
};

function startChild(name: string, ...args: readonly string[]): Child {
  const started = spawn(process.execPath, [childProgram(name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void started.kill("SIGKILL"));
  const lines = createInterface(started.stdout);
  return {
    process: started,
    hear: async () => {
      const [line] = (await once(lines, "line")) as [string];
      return JSON.parse(line) as unknown;
    },
    onLine: (listener) => void lines.on("line", listener),
  };
}
