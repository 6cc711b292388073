/**
 * A turn whose process is killed with -9 around its appends, one after the other. The next process finishes the
 * script: a call that had not started runs once, and one that had started is unknown and does not run again.
 *
 * The long mode kills around every append, the short one around every twelfth, beginning at a random one.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Session, ToolCall } from "../src/call/index.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";

const child = childProgram("turn.mjs");
const EVERY = process.env["TOOLGATE_LONG"] ? 1 : 24;
const SEED = fc.readConfigureGlobal().seed ?? Date.now();
const FIRST = 1 + (SEED % EVERY);

/** The session as it ended, unless the process was killed before that. */
function takeTurn(cwd: string, ...kill: readonly string[]): Promise<Session | undefined> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [child, cwd, ...kill], { maxBuffer: 10_000_000 }, (error, stdout, stderr) => {
      if (error?.signal === "SIGKILL") resolve(undefined);
      else if (error) reject(new Error(stderr));
      else resolve(JSON.parse(stdout) as Session);
    });
  });
}

const callsOf = (session: Session): ToolCall[] =>
  session.timeline.flatMap((entry) => (entry.type === "call" ? entry.call : []));

const read = (cwd: string, name: string): Promise<string> =>
  readFile(join(cwd, name), "utf8").catch(() => "");

/** The changes on disk, by the call that made them. */
async function effects(cwd: string, { name, rawInput }: ToolCall): Promise<number> {
  if (name === "edit_file") return (await read(cwd, "note.txt")) === "written" ? 1 : 0;
  const { command = "" } = (rawInput ?? {}) as { command?: string };
  const [, word] = /echo (\w+)/.exec(command) ?? [];
  return (await read(cwd, "log.txt")).split("\n").filter((line) => line === word).length;
}

async function checkEnd(cwd: string, session: Session, where: string): Promise<void> {
  const { turns, timeline } = session;
  expect(
    turns.map(({ state }) => state),
    where,
  ).toMatchObject([{ status: "stopped", stopReason: "end_turn" }]);
  expect(timeline.at(-1), where).toMatchObject({ message: { blocks: [{ text: "The end." }] } });
  for (const call of callsOf(session)) {
    if (call.name === "todo_write") continue;
    const { status } = call.state;
    const done = await effects(cwd, call);
    // The repeated step writes a draft that was cut off again, as a new call.
    if (status === "cancelled") continue;
    expect(["done", "unknown"], `${where}: ${call.title}`).toContain(status);
    if (status === "done") expect(done, `${where}: ${call.title}`).toBe(1);
    else expect(done, `${where}: ${call.title}`).toBeLessThanOrEqual(1);
    expect(call.times.started, `${where}: ${call.title}`).toBeDefined();
  }
}

/** How many calls are unknown in the end. Undefined when the turn was over before that append. */
async function killedAt(moment: string, number: number): Promise<number | undefined> {
  const cwd = await folder();
  const first = await takeTurn(cwd, moment, String(number));
  if (first) {
    await checkEnd(cwd, first, "never killed");
    return undefined;
  }
  const session = await takeTurn(cwd);
  if (!session) throw new Error("Nobody has killed the second one.");
  await checkEnd(cwd, session, `killed ${moment} append ${number}`);
  return callsOf(session).filter(({ state }) => state.status === "unknown").length;
}

test.each(["before", "after"])(
  `the next process finishes a turn killed %s an append (first ${FIRST}, every ${EVERY})`,
  async (moment) => {
    const unknown: number[] = [];
    // The kills after an append lie between the kills before one.
    const first = moment === "before" ? FIRST : 1 + ((FIRST + Math.floor(EVERY / 2)) % EVERY);
    for (let number = first; ; number += EVERY) {
      const count = await killedAt(moment, number);
      if (count === undefined) break;
      unknown.push(count);
    }
    expect(unknown.length).toBeGreaterThan(15 / EVERY);
    // Nearly every append of this turn falls between the start and the end of a call; a small sample may miss these.
    expect(EVERY > 1 || Math.max(...unknown) > 0).toBe(true);
  },
);
