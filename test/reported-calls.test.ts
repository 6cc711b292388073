/** Calls that somebody else runs and reports, through the gate: an adapter in a few lines. */
import { describe, expect, onTestFinished, test } from "vitest";
import { SessionBook } from "../src/call/index.js";
import type { SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { decide } from "../src/policy/index.js";
import type { Intent, Rule } from "../src/policy/index.js";
import { answeredElsewhere } from "../src/run/askers.js";
import { SessionRecord } from "../src/record/index.js";
import { Gate } from "../src/run/index.js";
import type { ReportedIntent } from "../src/run/reported-intent.js";
import { builtInTools, defineTool, LocalWorkspace, Toolbox } from "../src/tools/index.js";
import { z } from "zod";
import { folder } from "./agent-kit.js";

const NEVER = new AbortController().signal;
const MAKE: readonly Rule[] = [{ allow: "execute", command: "make *" }];

async function adapter(rules: readonly Rule[] = [], more: { readonly questionLifetime?: number } = {}) {
  const ledger = new MemoryLedger();
  const workspace = await LocalWorkspace.open(await folder());
  const record = await SessionRecord.open(ledger, "s", { owner: "test" });
  const { root: cwd, roots } = workspace;
  const judge = (intent: Intent, also: readonly Rule[] = []) =>
    decide(intent, { rules: [...rules, ...also], roots, home: "/home/nobody", now: Date.now() });
  const gate = new Gate({
    ...more,
    record,
    workspace,
    judge,
    toolbox: new Toolbox(builtInTools),
    ask: answeredElsewhere,
  });
  const intentOf = (command: string): ReportedIntent => ({
    intent: {
      tool: "terminal",
      kind: "execute",
      input: { command },
      cwd,
      command,
      paths: [],
      hosts: [],
      baseHashes: {},
    },
    inputs: [],
    isNamedByRunner: false,
    texts: [],
    isBlind: false,
    readings: [],
    suspicions: [],
    doubt: undefined,
    disagreement: undefined,
    writes: [],
  });
  /** Events that were read and are not recorded yet. */
  const read = new SessionBook("s");
  const reported = gate.reportedBy({
    judgeByRule: judge,
    later: () => undefined,
    reports: {
      call: (toolCallId) => read.call(toolCallId) ?? record.book.call(toolCallId),
      takeChanged: () => [],
      takeReportsOnRefused: () => [],
      intentOf: async ({ title }) => ({ ...intentOf(title), isTooMuch: false, isRetitled: false }),
      askedAbout: () => undefined,
    },
  });
  onTestFinished(() => gate.close());
  const announced = (toolCallId: string, title: string): readonly SessionEvent[] => [
    { type: "call-announced", toolCallId, at: 1, name: "", title, kind: "execute", kindSource: "declared" },
    { type: "input-ready", toolCallId, at: 1, rawInput: { command: title } },
  ];
  const submit = (toolCallId: string, command: string) =>
    reported.submit({
      toolCallId,
      title: command,
      reported: intentOf(command),
      events: announced(toolCallId, command),
    });
  const answer = async (optionId: string) => {
    const [question] = await ledger.openQuestions();
    await ledger.answer(question?.questionId ?? "", {
      outcome: { type: "selected", optionId },
      intentHash: question?.intentHash ?? "",
      by: "person",
      at: Date.now(),
    });
  };
  const status = (toolCallId: string) => record.book.call(toolCallId)?.state.status;
  return { gate, reported, submit, answer, status, announced, record, read };
}

describe("the outcome of a call", () => {
  test("is the rule's, where a rule decides", async () => {
    const rules: readonly Rule[] = [...MAKE, { deny: "execute", command: "rm *", reason: "no deletes" }];
    const { reported, submit, status } = await adapter(rules);
    await submit("a", "make all");
    await submit("b", "rm x");
    expect(await reported.outcome("a", NEVER, "gone.")).toEqual({ type: "allowed" });
    expect(await reported.outcome("b", NEVER, "gone.")).toEqual({
      type: "refused",
      reason: 'refused by rule deny execute "rm *": no deletes',
    });
    expect([status("a"), status("b")]).toEqual(["cleared", "refused"]);
  });

  test.each([
    ["allow_once", { type: "allowed" }, "cleared"],
    ["reject_once", { type: "refused", reason: undefined }, "refused"],
  ])("is the answer %s, from wherever it comes", async (optionId, outcome, ended) => {
    const { reported, submit, answer, status } = await adapter();
    await submit("a", "make all");
    const waiting = reported.outcome("a", NEVER, "gone.");
    await answer(optionId);
    expect(await waiting).toEqual(outcome);
    expect(status("a")).toBe(ended);
  });

  test("is the answer also when that came before anyone waited for it", async () => {
    const { gate, reported, submit, answer } = await adapter();
    await submit("a", "make all");
    await answer("reject_once");
    await gate.settle();
    expect(await reported.outcome("a", NEVER, "gone.")).toEqual({ type: "refused", reason: undefined });
  });

  test("is no yes when the question was withdrawn before anyone waited for it", async () => {
    const { reported, submit, status } = await adapter();
    await submit("a", "make all");
    await reported.withdrawAll("the turn was cancelled.");
    expect(await reported.outcome("a", NEVER, "gone.")).toEqual({ type: "cancelled" });
    expect(status("a")).toBe("cancelled");
  });

  test("is cancelled when its runner gives up", async () => {
    const { reported, submit } = await adapter();
    await submit("a", "make all");
    const stop = new AbortController();
    const waiting = reported.outcome("a", stop.signal, "gone.");
    stop.abort();
    expect(await waiting).toEqual({ type: "cancelled" });
  });

  test("is no when the question expires", async () => {
    const { reported, submit } = await adapter([], { questionLifetime: 50 });
    await submit("a", "make all");
    expect(await reported.outcome("a", NEVER, "gone.")).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("expired"),
    });
  });

  test("is no yes for a call that was never submitted", async () => {
    const { reported } = await adapter([{ allow: "*" }]);
    expect(await reported.outcome("none", NEVER, "gone.")).toEqual({ type: "cancelled" });
  });
});

test("a yes clears the same act once when it then comes as a call that we run", async () => {
  const { gate, reported, submit, answer } = await adapter();
  await submit("a", "make all");
  const waiting = reported.outcome("a", NEVER, "gone.");
  await answer("allow_once");
  await waiting;
  const ran: string[] = [];
  const tool = defineTool({
    name: "terminal",
    description: "",
    kind: "execute",
    input: z.object({ command: z.string() }),
    intent: async ({ command }) => ({ command }),
    run: async ({ command }) => {
      ran.push(command);
      return "";
    },
  });
  const request = { name: "terminal", input: { command: "make all" }, tool };
  expect(await gate.call(request)).toMatchObject({
    state: { status: "done" },
    decision: { by: "person", reason: "allowed with a" },
  });
  const { waiting: asked } = await gate.submit([request]);
  expect(asked).toHaveLength(1);
  expect(ran).toEqual(["make all"]);
});

test("a call that a rule denies is marked when it is reported as done without asking", async () => {
  const { reported, announced, record, read } = await adapter([{ deny: "execute", command: "rm *" }]);
  const events: readonly SessionEvent[] = [
    ...announced("a", "rm x"),
    { type: "call-cleared", toolCallId: "a", at: 2 },
    { type: "run-started", toolCallId: "a", at: 2 },
    { type: "call-done", toolCallId: "a", at: 3 },
  ];
  read.applyAll(events);
  await reported.record(() => events);
  expect(record.book.call("a")?.breach).toMatchObject({ rule: 'deny execute "rm *"' });
});
