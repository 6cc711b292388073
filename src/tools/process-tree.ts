/**
 * Ends a command with everything that it started.
 *
 * A command leads a session of its own. Its process group is told to end, and on Linux also whoever else is
 * of that session, descends from it, or carries its mark in the environment: a program that moved into a
 * session of its own (`setsid`, a daemon) has left the group and perhaps its parent, but not that. Out of
 * reach is what has left all of them: a program that moved away, cleared its environment and let its parent
 * end, or one that another service started on the command's behalf. Elsewhere it is the group alone. A
 * sandbox leaves nothing behind.
 *
 * First SIGTERM, so that they can clean up; SIGKILL for what is still there after a while.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { errorCode } from "./error-code.js";

const TERM_PATIENCE_MS = 2000;
const KILL_PATIENCE_MS = 2000;
const LOOK_EVERY_MS = 20;
const CAN_LOOK = process.platform === "linux" && existsSync("/proc/self/stat");

/** The variable that every process of a command inherits. */
export const MARK_NAME = "TOOLGATE_COMMAND";

export type Command = {
  /** The process that leads the session. */
  readonly pid: number;
  readonly mark: string;
  /** When it began, by the kernel's clock: what is older cannot be of it. */
  readonly began: number;
};

/** To be called as soon as it was started. */
export function commandOf(pid: number, mark: string): Command {
  return { pid, mark, began: CAN_LOOK ? (readProcess(pid)?.began ?? 0) : 0 };
}

/** For a process that leaves at once and cannot wait: nobody is asked to clean up. */
export function killTree(command: Command): void {
  tellAll(command, membersOf(command, []), "SIGKILL");
}

export async function endTree(command: Command): Promise<void> {
  // All are looked up before the first is told: an orphan no longer shows whose child it was.
  let members = membersOf(command, []);
  tellAll(command, members, "SIGTERM");
  const patience = performance.now() + TERM_PATIENCE_MS;
  do {
    await setTimeout(LOOK_EVERY_MS);
    members = members.filter(isStillThere);
    // When those that we knew are gone, they may have started others.
    if (members.length === 0) members = membersOf(command, []);
    if (isNobodyLeft(command, members)) return;
  } while (performance.now() < patience);
  const deadline = performance.now() + KILL_PATIENCE_MS;
  do {
    // Again and again, since what is not yet killed may start others.
    members = membersOf(command, members);
    tellAll(command, members, "SIGKILL");
    await setTimeout(LOOK_EVERY_MS);
    members = membersOf(command, members);
  } while (!isNobodyLeft(command, members) && performance.now() < deadline);
}

function tellAll(command: Command, members: readonly Process[], name: NodeJS.Signals): void {
  signalGroup(command.pid, name);
  // Once each: to some programs a second SIGTERM means to drop everything.
  for (const member of members) if (member.group !== command.pid) signal(member, name);
}

function isNobodyLeft(command: Command, members: readonly Process[]): boolean {
  return CAN_LOOK ? members.length === 0 : !signalGroup(command.pid, 0);
}

type Process = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly began: number;
  /** Dead, and only waiting for its parent to take note of it. */
  readonly dead: boolean;
};

/** The living ones, `known` ones among them: what has let go of all that showed it still counts. */
function membersOf(command: Command, known: readonly Process[]): readonly Process[] {
  if (!CAN_LOOK) return [];
  const knownStill = new Set(known.filter(isStillThere).map(({ pid }) => pid));
  const candidates = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((one) => one !== undefined)
    .filter((one) => one.began >= command.began && one.pid !== process.pid);
  const isMember = (one: Process) => knownStill.has(one.pid) || isOwn(one, command);
  const members = new Set(candidates.filter(isMember).map(({ pid }) => pid));
  // A child may stand before its parent in the list, so it is gone through until nobody is added.
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of candidates) if (members.has(parent)) members.add(pid);
  }
  return candidates.filter(({ pid, dead }) => members.has(pid) && !dead);
}

function isOwn({ pid, session }: Process, command: Command): boolean {
  return pid === command.pid || session === command.pid || isMarked(pid, command.mark);
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(mark);
  } catch {
    // Gone meanwhile, or someone else's.
    return false;
  }
}

function readProcess(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Its own name stands in brackets before the rest and may hold anything.
    const [state, parent, group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const dead = state === "Z" || state === "X";
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      began: Number(rest[15]),
      dead,
    };
  } catch {
    return undefined;
  }
}

function isStillThere({ pid, began }: Process): boolean {
  const now = readProcess(pid);
  return now !== undefined && now.began === began && !now.dead;
}

function signal(member: Process, name: NodeJS.Signals): void {
  try {
    // The number may be someone else's by now.
    if (isStillThere(member)) process.kill(member.pid, name);
  } catch {
    // Gone meanwhile, or runs as another user.
  }
}

/** False when nothing of the group is left. */
function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name);
  } catch (error) {
    // EPERM: someone is there, but runs as another user.
    return errorCode(error) === "EPERM";
  }
}
