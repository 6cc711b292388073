/**
 * A turn with two sub-agents that ask before they act, whose process is killed with -9 around its appends. The next
 * process finishes it: a call that a sub-agent had not started runs once, one that it had started is unknown and does
 * not run again, and a model's answer that was lost is requested again.
 *
 * The long mode kills at every moment between two appends, the short one at three of them.
 */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionBook } from "../src/call/index.js";
import type { Session, SessionEvent, ToolCall } from "../src/call/index.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";

const child = childProgram("task.mjs");
const IS_LONG = process.env["TOOLGATE_LONG"] !== undefined;
/** More than the turn has: the first number that kills nobody ends the loop. */
const EVERY_APPEND = Array.from({ length: 1_000 }, (_, index) => index + 1);
/** In the short mode before anything is stored, while calls of both sub-agents run, and among their ends. */
const MOMENTS: readonly (readonly ["before" | "after", readonly number[]])[] = [
  ["before", IS_LONG ? EVERY_APPEND : [1, 19]],
  ["after", IS_LONG ? EVERY_APPEND : [23]],
];

type Taken = { readonly session: Session; readonly events: readonly SessionEvent[] };

/** Undefined when it was killed. */
function takeTurn(cwd: string, ...kill: readonly string[]): Taken | undefined {
  const { signal, stdout, stderr, status } = spawnSync(process.execPath, [child, cwd, ...kill], {
    encoding: "utf8",
    timeout: 120_000,
  });
  if (signal !== null) return undefined;
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Taken;
}

const callsOf = ({ timeline }: Session): ToolCall[] =>
  timeline.flatMap((entry) => (entry.type === "call" ? entry.call : []));

async function checkEnd(cwd: string, { session, events }: Taken, where: string): Promise<number> {
  expect(session.turns, where).toMatchObject([{ state: { status: "stopped", stopReason: "end_turn" } }]);
  expect(session.timeline.at(-1), where).toMatchObject({ message: { blocks: [{ text: "The end." }] } });
  expect(JSON.parse(JSON.stringify(new SessionBook("s", events).snapshot())), where).toEqual(session);
  const tasks = callsOf(session).filter(({ name, state }) => name === "task" && state.status !== "cancelled");
  expect(tasks, where).toMatchObject([{ rawOutput: "Both." }, { rawOutput: "Three." }]);
  const log = (await readFile(join(cwd, "log.txt"), "utf8").catch(() => "")).split("\n");
  let unknown = 0;
  for (const { name, state, rawInput, parentToolCallId, times } of callsOf(session)) {
    // The repeated step writes a draft that was cut off again, as a new call.
    if (name === "task" || state.status === "cancelled") continue;
    const about = `${where}: ${JSON.stringify(rawInput)}`;
    expect(parentToolCallId, about).toBe(
      tasks[JSON.stringify(rawInput).includes("three") ? 1 : 0]?.toolCallId,
    );
    expect(["done", "unknown"], about).toContain(state.status);
    expect(times.started, about).toBeDefined();
    const [, word] = /echo (\w+)/.exec(JSON.stringify(rawInput)) ?? [];
    const effects = log.filter((line) => line === word).length;
    if (state.status === "done") expect(effects, about).toBe(1);
    else expect(effects, about).toBeLessThanOrEqual(1);
    if (state.status === "unknown") unknown += 1;
  }
  return unknown;
}

test("the next process finishes a turn whose sub-agents were killed between two appends", async () => {
  let kills = 0;
  let unknown = 0;
  for (const [moment, numbers] of MOMENTS) {
    for (const number of numbers) {
      const cwd = await folder();
      const where = `killed ${moment} append ${number}`;
      const first = takeTurn(cwd, moment, String(number));
      if (first) {
        await checkEnd(cwd, first, "never killed");
        break;
      }
      kills += 1;
      const second = takeTurn(cwd);
      if (!second) throw new Error(`${where}: killed without a request`);
      unknown += await checkEnd(cwd, second, where);
    }
  }
  expect(kills).toBeGreaterThan(IS_LONG ? 24 : 2);
  expect(unknown).toBeGreaterThan(0);
});
