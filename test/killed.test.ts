/**
 * A turn whose process is killed with -9 around every one of its appends, one after the other. Whoever
 * takes over finishes the script; what had not started runs once, and what had started is unknown and
 * is not run again.
 */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Session, ToolCall } from "../src/call/index.js";
import { folder } from "./agent-kit.js";

const child = fileURLToPath(new URL("children/turn.mjs", import.meta.url));

function takeTurn(
  cwd: string,
  ...kill: readonly string[]
): { readonly signal: string | null; readonly session: Session | undefined } {
  const { signal, stdout, stderr, status } = spawnSync(process.execPath, [child, cwd, ...kill], {
    encoding: "utf8",
    timeout: 20_000,
  });
  if (signal === null && status !== 0) throw new Error(stderr);
  return { signal, session: signal === null ? JSON.parse(stdout) : undefined };
}

const callsOf = (session: Session): ToolCall[] =>
  session.timeline.flatMap((entry) => (entry.type === "call" ? entry.call : []));

const read = (cwd: string, name: string): Promise<string> =>
  readFile(join(cwd, name), "utf8").catch(() => "");

/** What was done on disk, by the call that did it. */
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
    // A draft that was cut off was written anew in the step that was taken again, as a call of its own.
    if (status === "cancelled") continue;
    expect(["done", "unknown"], `${where}: ${call.title}`).toContain(status);
    if (status === "done") expect(done, `${where}: ${call.title}`).toBe(1);
    else expect(done, `${where}: ${call.title}`).toBeLessThanOrEqual(1);
    expect(call.times.started, `${where}: ${call.title}`).toBeDefined();
  }
}

test.each(["before", "after"])(
  "a turn killed %s each of its appends is finished by the next process",
  async (moment) => {
    let kills = 0;
    let unknown = 0;
    for (let number = 1; ; number += 1) {
      const cwd = await folder();
      const where = `killed ${moment} append ${number}`;
      const first = takeTurn(cwd, moment, String(number));
      if (first.signal === null) {
        await checkEnd(cwd, first.session!, "never killed");
        break;
      }
      kills += 1;
      const { session } = takeTurn(cwd);
      await checkEnd(cwd, session!, where);
      unknown += callsOf(session!).filter(({ state }) => state.status === "unknown").length;
    }
    expect(kills).toBeGreaterThan(15);
    expect(unknown).toBeGreaterThan(0);
  },
  120_000,
);
