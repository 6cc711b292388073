/**
 * Processes killed with -9 at random moments of a turn, again and again, until one may finish it. Six kills, a thousand in the long mode, or TOOLGATE_KILLS of them; TOOLGATE_SEED repeats the
 * moments of an earlier run, as far as a machine can repeat them.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent, ToolCall } from "../src/call/index.js";
import { readAll, SessionBook } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import { verifyLedger } from "../src/history/sqlite/verify-ledger.js";
import { folder } from "./agent-kit.js";

const KILLS = Number(process.env["TOOLGATE_KILLS"] ?? (process.env["TOOLGATE_LONG"] ? 1000 : 6));
const SEED = Number(process.env["TOOLGATE_SEED"] ?? fc.readConfigureGlobal().seed ?? Date.now() % 1_000_000);
/** As many at once as a small machine has cores. */
const LANES = 2;
/** So long is the log before the turn that it is opened from a snapshot, and a kill may fall on keeping one. */
const PAST = 2_100;
const script = fileURLToPath(new URL("children/killed-anywhere.mjs", import.meta.url));

/** When to kill: so many milliseconds after the process has started, or after it has the session open. */
type Moment = { readonly from: "start" | "open"; readonly milliseconds: number };

const anyMoment: fc.Arbitrary<Moment> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ from: fc.constant("start" as const), milliseconds: fc.nat(300) }) },
  { weight: 6, arbitrary: fc.record({ from: fc.constant("open" as const), milliseconds: fc.nat(120) }) },
);
/** Each is one turn: the moments at which the processes that take it are killed, one after the other. */
const turns = fc.array(anyMoment, { minLength: 10, maxLength: 16 });

/** Takes the turn until it is over or the moment has come. Returns the last event that was acknowledged. */
async function life(cwd: string, moment?: Moment): Promise<{ acknowledged: number; isOver: boolean }> {
  const child = spawn(process.execPath, [script, cwd], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let [acknowledged, isOver, complaint] = [0, false, ""];
  child.stderr.on("data", (piece: Buffer) => (complaint += piece.toString()));
  const opened = new Promise<void>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      if (line === "over") isOver = true;
      else acknowledged = Number(line);
      resolve();
    });
  });
  if (moment) {
    if (moment.from === "open") await Promise.race([opened, closed]);
    await Promise.race([setTimeout(moment.milliseconds), closed]);
    child.kill("SIGKILL");
  }
  const [code] = (await closed) as [number | null];
  if (code !== null && code !== 0) throw new Error(complaint);
  return { acknowledged, isOver };
}

async function logOf(cwd: string): Promise<readonly SessionEvent[]> {
  const ledger = await openLedger(join(cwd, "ledger.db"));
  try {
    return (await readAll(ledger, "s")).map(({ event }) => event);
  } finally {
    await ledger.close();
  }
}

async function begin(cwd: string): Promise<void> {
  const ledger = await openLedger(join(cwd, "ledger.db"));
  const lease = await ledger.claim("s", "before", { milliseconds: 1_000 });
  const plan = (number: number): SessionEvent => ({
    type: "plan-updated",
    at: number,
    entries: [{ content: `Item ${number}`, priority: "low", status: "pending" }],
  });
  await ledger.append(
    lease,
    Array.from({ length: PAST }, (_, index) => plan(index)),
    { durable: true },
  );
  await ledger.release(lease);
  await ledger.close();
}

const wordOf = (call: ToolCall): string => (call.rawInput as { word?: string } | undefined)?.word ?? "";

/** How often each word was marked. */
async function effectsIn(cwd: string): Promise<ReadonlyMap<string, number>> {
  const lines = (await readFile(join(cwd, "effects.txt"), "utf8").catch(() => "")).split("\n");
  const counts = new Map<string, number>();
  for (const word of lines.filter(Boolean)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Checks the invariants after a kill. Returns the log as it is now. */
async function check(
  cwd: string,
  before: readonly SessionEvent[],
  acknowledged: number,
): Promise<readonly SessionEvent[]> {
  const log = await logOf(cwd);
  expect(log.length, "events are lost that were acknowledged").toBeGreaterThanOrEqual(acknowledged);
  expect(JSON.stringify(log.slice(0, before.length)), "the past has changed").toBe(JSON.stringify(before));
  const { broken } = await verifyLedger(join(cwd, "ledger.db"));
  expect(broken, "the chain or the snapshot does not verify").toEqual([]);
  const calls = [...new SessionBook("s", log).calls()];
  for (const [word, count] of await effectsIn(cwd)) {
    expect(count, `${word} was marked more than once`).toBe(1);
    const isOnRecord = calls.some((call) => wordOf(call) === word && call.times.started !== undefined);
    expect(isOnRecord, `${word} was marked and no start of it is on record`).toBe(true);
  }
  return log;
}

async function takeTurn(
  kills: readonly Moment[],
): Promise<{ readonly unknown: number; readonly kills: number }> {
  const cwd = await folder();
  await begin(cwd);
  let log = await logOf(cwd);
  let killed = 0;
  for (const moment of kills) {
    const { acknowledged, isOver } = await life(cwd, moment);
    log = await check(cwd, log, acknowledged);
    if (isOver) break;
    killed += 1;
  }
  const last = await life(cwd);
  expect(last.isOver).toBe(true);
  log = await check(cwd, log, last.acknowledged);
  const book = new SessionBook("s", log);
  expect(book.turn?.state).toMatchObject({ status: "stopped", stopReason: "end_turn" });
  expect(book.openCalls()).toEqual([]);
  expect(book.snapshot().timeline.at(-1)).toMatchObject({ message: { blocks: [{ text: "The end." }] } });
  const effects = await effectsIn(cwd);
  for (const call of book.calls()) {
    const { status } = call.state;
    expect(["done", "unknown", "cancelled"], call.title).toContain(status);
    if (status === "done") expect(effects.get(wordOf(call)), `${wordOf(call)} is done`).toBe(1);
  }
  return {
    unknown: [...book.calls()].filter(({ state }) => state.status === "unknown").length,
    kills: killed,
  };
}

test(
  `loses no acknowledged event, repeats no effect and finishes every turn when killed ${KILLS} times at random moments (seed ${SEED})`,
  async () => {
    const planned = fc.sample(turns, { seed: SEED, numRuns: KILLS })[Symbol.iterator]();
    let [left, unknown] = [KILLS, 0];
    const lane = async (): Promise<void> => {
      while (left > 0) {
        const { value = [] } = planned.next() as { value?: readonly Moment[] };
        const moments = value.slice(0, left);
        left -= moments.length;
        const turn = await takeTurn(moments);
        // The process ended before all planned kills.
        left += moments.length - turn.kills;
        unknown += turn.unknown;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    // Some of many kills come in the middle of a run, or the kills show nothing; a few may all miss it.
    expect(unknown).toBeGreaterThanOrEqual(KILLS < 100 ? 0 : 1);
  },
  // A second and a half each, at ten times that.
  KILLS * 15_000,
);
