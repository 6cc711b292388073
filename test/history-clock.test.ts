/** A clock that is set while a session goes on, forwards and backwards, by hours and by years. */
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { AgentSession, waitForTurn } from "../src/agent/index.js";
import type { Ledger, SessionEvent } from "../src/call/index.js";
import { runDuration, SessionBook } from "../src/call/index.js";
import { exportSession, openArchive, openLedger, replaySession } from "../src/history/index.js";
import { verifyLedger } from "../src/history/sqlite/verify-ledger.js";
import { SessionRecord } from "../src/record/index.js";
import { openGate } from "../src/run/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import { sessionText } from "../src/view/index.js";
import { counting, folder, never, scripted, text } from "./agent-kit.js";

const NOON = Date.UTC(2026, 0, 2, 12);
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const yes = () =>
  Promise.resolve({
    outcome: { type: "selected", optionId: "allow_once" },
    by: "person",
    who: "ann",
  } as const);

async function opened(file: string, now: () => number): Promise<Ledger> {
  const ledger = await openLedger(file, { now });
  onTestFinished(() => ledger.close());
  return ledger;
}

const eventsOf = async (ledger: Ledger): Promise<readonly SessionEvent[]> =>
  (await ledger.read("s")).map(({ event }) => event);

/** Where the clock stands the next times that it is looked at, again and again. */
const jumps = fc.array(
  fc.oneof(
    fc.constantFrom(0, -2 * HOUR, 2 * HOUR, -10 * YEAR, 10 * YEAR, -NOON, -NOON - HOUR),
    fc.integer({ min: -YEAR, max: YEAR }),
  ),
  { minLength: 1, maxLength: 12 },
);

test("finishes a turn in order, without negative durations, when the clock jumps", async () => {
  await fc.assert(
    fc.asyncProperty(jumps, async (offsets) => {
      let looks = 0;
      const now = () => NOON + (offsets[(looks += 1) % offsets.length] ?? 0);
      const file = join(await folder(), "ledger.db");
      const ledger = await opened(file, now);
      const [act, asked] = [counting("act"), counting("asked")];
      const session = await AgentSession.open({
        agent: scripted(
          [
            { say: "One.", calls: [{ tool: "act" }, { tool: "asked", input: { n: 1 } }] },
            { say: "Two.", calls: [{ tool: "asked", input: { n: 2 } }] },
            { say: "Three." },
          ],
          { tools: [act.tool, asked.tool], rules: [{ allow: "act" }] },
        ),
        ledger,
        workspace: await LocalWorkspace.open(await folder()),
        sessionId: "s",
        now,
      });
      const end = await waitForTurn(session, yes, never(), () => session.prompt(text("go"), never()));
      await session.close();
      expect(end).toEqual({ status: "stopped", stopReason: "end_turn" });
      expect([act.runs, asked.runs]).toEqual([1, 2]);

      const log = await eventsOf(ledger);
      const replayed = new SessionBook("s", log).snapshot();
      expect(replayed).toEqual(session.book.snapshot());
      expect((await verifyLedger(file)).broken).toEqual([]);
      const said = replayed.timeline.flatMap((entry) =>
        entry.type === "message" ? entry.message.blocks.map((block) => "text" in block && block.text) : [],
      );
      expect(said).toEqual(["go", "One.", "Two.", "Three."]);

      const index = await openArchive(file);
      onTestFinished(() => index.close());
      const { items } = await index.calls({});
      expect(items).toHaveLength(3);
      const spans = items.flatMap(({ ranMs = 0, waitedMs = 0 }) => [ranMs, waitedMs]);
      for (const { ranMs, waitedMs } of await index.statistics({ by: "tool" }))
        spans.push(ranMs?.p50 ?? 0, ranMs?.p95 ?? 0, waitedMs?.p50 ?? 0, waitedMs?.p95 ?? 0);
      expect(spans.filter((span) => !(span >= 0))).toEqual([]);
      const csv = [...exportSession(replaySession("s", await ledger.read("s")).session, "csv")].join("");
      expect(csv).not.toMatch(/"-\d|NaN|Infinity/);
      expect(sessionText(replayed)).not.toMatch(/-\d+(\.\d+)? (ms|s|min|h|d)\b|NaN|Infinity/);
    }),
    { numRuns: 15 },
  );
});

test("a question that a clock set forwards has ended stays ended; with one set back it waits on and takes a yes", async () => {
  let time = NOON;
  const now = () => time;
  const ledger = await opened(join(await folder(), "ledger.db"), now);
  const act = counting("act");
  const gate = await openGate({
    ledger,
    workspace: await folder(),
    tools: [act.tool],
    sessionId: "s",
    questionLifetime: HOUR,
    now,
  });
  onTestFinished(() => gate.close());
  await gate.submit([
    { name: "act", input: { n: 1 } },
    { name: "act", input: { n: 2 } },
  ]);
  const [first, second] = await ledger.openQuestions();
  const answer = async (question = first) => {
    const { questionId = "", intentHash = "" } = question ?? {};
    return ledger.answer(questionId, { ...(await yes()), intentHash, at: now() });
  };
  time = NOON - 2 * YEAR;
  expect(await answer(first)).toMatchObject({ counted: true });
  await gate.proceed(never());
  expect(act.runs).toBe(1);
  time = NOON + 2 * YEAR;
  await expect(answer(second)).rejects.toMatchObject({ code: "EXPIRED" });
  await gate.proceed(never());
  time = NOON;
  await expect(answer(second)).rejects.toMatchObject({ code: "WITHDRAWN" });
  await gate.proceed(never());
  expect(act.runs).toBe(1);
  expect([...gate.book.calls()].map(({ state }) => state.status)).toEqual(["done", "refused"]);
});

test("gives a dead process's session to exactly one claimer at once after the clock was set back", async () => {
  let time = NOON;
  const file = join(await folder(), "ledger.db");
  const dead = await SessionRecord.open(await opened(file, () => time), "s", { owner: "dead" });
  await dead.append([{ type: "turn-started", at: time, turnId: "t1" }]);
  time -= 10 * YEAR;
  const ledger = await opened(file, () => time);
  const next = await SessionRecord.open(ledger, "s", { owner: "next" });
  await next.append([{ type: "turn-parked", at: time, turnId: "t1" }]);
  await expect(dead.append([{ type: "turn-parked", at: time, turnId: "t1" }])).rejects.toMatchObject({
    code: "LEASE_LOST",
  });
  expect((await eventsOf(ledger)).map(({ type }) => type)).toEqual(["turn-started", "turn-parked"]);
  await next.close();
  await dead.close();
});

test("a live holder keeps its session through every jump, if nobody takes it in that moment", async () => {
  let time = NOON;
  const ledger = await opened(join(await folder(), "ledger.db"), () => time);
  const record = await SessionRecord.open(ledger, "s", { owner: "ann" });
  for (const [index, jump] of [2 * HOUR, -4 * HOUR, 10 * YEAR, -20 * YEAR].entries()) {
    time += jump;
    await record.append([{ type: "mode-changed", at: time, modeId: `mode-${index}` }]);
  }
  expect(record.lost.aborted).toBe(false);
  expect((await eventsOf(ledger)).map((event) => event.type === "mode-changed" && event.modeId)).toEqual([
    "mode-0",
    "mode-1",
    "mode-2",
    "mode-3",
  ]);
  await record.close();
});

test("a call, a question and a turn last as long as they did when the clock is set by a day meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const jump of [24 * HOUR, -24 * HOUR]) {
    vi.setSystemTime(NOON);
    const file = join(await folder(), "ledger.db");
    const ledger = await opened(file, Date.now);
    const setClock = () => void vi.setSystemTime(Date.now() + jump);
    const slow = defineTool({
      name: "slow",
      description: "Works while the clock is set.",
      kind: "other",
      input: z.object({}),
      run: async () => {
        setClock();
        return "done";
      },
    });
    const session = await AgentSession.open({
      agent: scripted([{ calls: [{ tool: "slow" }] }, { say: "Done." }], { tools: [slow] }),
      ledger,
      workspace: await LocalWorkspace.open(await folder()),
      sessionId: "s",
    });
    const answer = () => {
      setClock();
      return yes();
    };
    await waitForTurn(session, answer, never(), () => session.prompt(text("go"), never()));
    await session.close();

    const log = await eventsOf(ledger);
    const [call] = [...new SessionBook("s", log).calls()];
    // The events have the time of the wall clock.
    expect(call?.times.answered).toBe(NOON + jump);
    expect(call?.times.started).toBe(NOON + jump);
    expect(call?.times.ended).toBe(NOON + 2 * jump);
    const stopped = log.find(({ type }) => type === "turn-stopped");
    const durations = [
      call?.times.ranMs,
      call?.times.waitedMs,
      stopped?.type === "turn-stopped" && stopped.tookMs,
    ];
    for (const duration of durations) expect(duration).toSatisfy((ms: number) => ms >= 0 && ms < HOUR);

    expect(sessionText(session.book.snapshot())).not.toMatch(/\d (h|d)\b/);
    const index = await openArchive(file);
    onTestFinished(() => index.close());
    const [{ ranMs, waitedMs } = {}] = await index.statistics({ by: "tool" });
    for (const span of [ranMs?.p50, ranMs?.p95, waitedMs?.p50])
      expect(span).toSatisfy((ms: number) => ms < HOUR);
    const csv = [...exportSession(replaySession("s", await ledger.read("s")).session, "csv")].join("");
    expect(csv).not.toContain(String(24 * HOUR));
  }
});

test("a call that another process started lasts as long as the wall clock says, and never less than nothing", async () => {
  const file = join(await folder(), "ledger.db");
  const first = await SessionRecord.open(await opened(file, Date.now), "s", { owner: "first" });
  const toolCallId = "call_1";
  const call = { toolCallId, at: NOON };
  await first.append([
    { type: "call-announced", ...call, name: "t", title: "T", kind: "other", kindSource: "declared" },
    { type: "input-ready", ...call, rawInput: {} },
    { type: "call-cleared", ...call },
    { type: "run-started", ...call },
  ]);
  await first.close();
  const second = await SessionRecord.open(await opened(file, Date.now), "s", { owner: "second" });
  await second.append([{ type: "call-unknown", toolCallId, at: NOON - HOUR, reason: "lost" }]);
  const { times } = second.book.call(toolCallId) ?? {};
  expect(times?.ranMs).toBeUndefined();
  expect(times && runDuration(times)).toBe(0);
  await second.close();
});
