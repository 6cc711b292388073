/** Reads the kernel's table of processes. Only Linux has one that a program can read: see `HAS_PROCESS_TABLE`. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import type { TreeMark } from "./tree-mark.js";

/** False also where /proc shows another pid namespace (`unshare --pid` alone): its pids are those of other processes. */
export const HAS_PROCESS_TABLE = process.platform === "linux" && pidInTable() === `${process.pid}`;

function pidInTable(): string | undefined {
  try {
    return readlinkSync("/proc/self");
  } catch {
    return undefined;
  }
}

export type ProcessEntry = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In ticks of the kernel's clock. A pid is reused, a pid with its start time is not. */
  readonly startedAt: number;
  /** A dead process stays in the table until its parent has read its exit. */
  readonly isDead: boolean;
};

/** Processes that started at this tick or later, without our own. */
export function listProcesses(sinceTick: number): readonly ProcessEntry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== undefined)
    .filter(({ pid, startedAt }) => startedAt >= sinceTick && pid !== process.pid);
}

export function readProcess(pid: number): ProcessEntry | undefined {
  try {
    const text = readShort(`/proc/${pid}/stat`);
    // The program's name stands in brackets before the other fields and may hold any character.
    const [state, parent, group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      startedAt: Number(rest[15]),
      isDead: state === "Z" || state === "X",
    };
  } catch {
    return undefined;
  }
}

/** Twice the longest line that the kernel writes about a process. */
const shortFile = Buffer.alloc(2048);

/** A list reads a file per process, and `readFileSync` allocates 64 KB for each. */
function readShort(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    return shortFile.toString("latin1", 0, readSync(descriptor, shortFile, 0, shortFile.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

export function isAlive({ pid, startedAt }: ProcessEntry): boolean {
  const entry = readProcess(pid);
  return entry !== undefined && entry.startedAt === startedAt && !entry.isDead;
}

/** False also for a process that has ended. The environment of another user's process cannot be read. */
export function hasMark(pid: number, { mark, limitBytes }: TreeMark): boolean {
  if (readText(`/proc/${pid}/environ`).includes(mark)) return true;
  return limitBytes !== undefined && readText(`/proc/${pid}/limits`).includes(` ${limitBytes} `);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
