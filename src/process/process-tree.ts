/**
 * A child process with everything that it started, and the way to end all of it.
 *
 * The child leads a session of its own. Its process group is signalled, and on Linux also every process that is
 * in that session, descends from the child, or has one of its marks (see `tree-mark.ts`): a program that moved into a
 * session of its own (`setsid`, a daemon) has left the group and perhaps its parent, but not that. A process that
 * another service started for the child is out of reach. On other systems only the group is signalled. When our
 * process is killed, the guardian ends the tree (see `guardian.ts`).
 *
 * SIGTERM comes first, so that programs can clean up; SIGKILL ends what is left when the grace time is over.
 */
import { setTimeout } from "node:timers/promises";
import type { CallProcess } from "../call/index.js";
import { errorCode } from "../call/error-code.js";
import { guardTree, releaseTree } from "./guardian.js";
import { HAS_PROCESS_TABLE, hasMark, isAlive, listProcesses, readProcess } from "./process-table.js";
import type { ProcessEntry } from "./process-table.js";

const GRACE_MS = 2000;
const MAX_KILL_MS = 2000;
const POLL_MS = 20;

const unreleased = new Set<ProcessTree>();
const killUnreleased = (): void => {
  for (const tree of unreleased) tree.kill();
};

export class ProcessTree {
  /** The first process of the tree. */
  readonly root: CallProcess;
  readonly #pid: number;
  #killAt = Number.POSITIVE_INFINITY;
  #ending: Promise<void> | undefined;

  /** The root may belong to a tree that an earlier process of ours has left. */
  constructor(root: CallProcess) {
    this.root = root;
    this.#pid = root.pid;
  }

  /** To be called as soon as the root was started: from then on the tree ends with our process, until its release. */
  guard(): void {
    guardTree(this.root);
    if (unreleased.size === 0) process.on("exit", killUnreleased);
    unreleased.add(this);
  }

  get isGone(): boolean {
    return this.#isGone(this.#members([]));
  }

  /** Lets the tree outlive our process. */
  release(): void {
    if (!unreleased.delete(this)) return;
    releaseTree(this.root);
    if (unreleased.size === 0) process.off("exit", killUnreleased);
  }

  /** Resolves when the tree is gone, and releases it. A second call can only shorten the grace time. */
  end({ graceMs = GRACE_MS } = {}): Promise<void> {
    this.#killAt = Math.min(this.#killAt, performance.now() + graceMs);
    return (this.#ending ??= this.#end().finally(() => this.release()));
  }

  /** Sends SIGKILL once, for a caller that cannot wait. */
  kill(): void {
    this.#signal(this.#members([]), "SIGKILL");
  }

  /** Sends SIGKILL to the process group alone: enough for a program that starts no others, and fast. */
  killGroup(): void {
    signalGroup(this.#pid, "SIGKILL");
  }

  async #end(): Promise<void> {
    let members = await this.#terminate();
    const deadline = performance.now() + MAX_KILL_MS;
    while (members && performance.now() < deadline) {
      // More than once, since a process that is not killed yet may start others.
      members = this.#members(members);
      this.#signal(members, "SIGKILL");
      await setTimeout(POLL_MS);
      members = this.#members(members);
      if (this.#isGone(members)) return;
    }
  }

  /** Returns the members that are left when the grace time is over, or undefined when the tree is gone. */
  async #terminate(): Promise<readonly ProcessEntry[] | undefined> {
    // All members are listed before the first is signalled: an orphan no longer shows its parent.
    let members = this.#members([]);
    if (this.#isGone(members)) return undefined;
    if (performance.now() >= this.#killAt) return members;
    this.#signal(members, "SIGTERM");
    do {
      await setTimeout(POLL_MS);
      members = members.filter(isAlive);
      // The members of the first list are gone, but may have started others.
      if (members.length === 0) members = this.#members([]);
      if (this.#isGone(members)) return undefined;
    } while (performance.now() < this.#killAt);
    return members;
  }

  #signal(members: readonly ProcessEntry[], name: NodeJS.Signals): void {
    if (!this.#isReused()) signalGroup(this.#pid, name);
    // Each process gets one signal: some programs take a second SIGTERM as an order to skip their clean-up.
    for (const member of members) if (member.group !== this.#pid) signalProcess(member, name);
  }

  #isGone(members: readonly ProcessEntry[]): boolean {
    return HAS_PROCESS_TABLE ? members.length === 0 : !signalGroup(this.#pid, 0);
  }

  /** The living members, `known` ones included: a known member may have lost every sign of belonging. */
  #members(known: readonly ProcessEntry[]): readonly ProcessEntry[] {
    if (!HAS_PROCESS_TABLE) return [];
    const knownPids = new Set(known.filter(isAlive).map(({ pid }) => pid));
    // Processes that are older than the root cannot be of its tree.
    const candidates = listProcesses(this.root.startTick);
    const isReused = this.#isReused();
    const isMember = (entry: ProcessEntry) =>
      knownPids.has(entry.pid) ||
      (!isReused && (entry.pid === this.#pid || entry.session === this.#pid)) ||
      hasMark(entry.pid, this.root);
    const members = new Set(candidates.filter(isMember).map(({ pid }) => pid));
    // A child may stand before its parent in the list, so the list is read until no pid is added.
    for (let before = -1; before !== members.size;) {
      before = members.size;
      for (const { pid, parent } of candidates) if (members.has(parent)) members.add(pid);
    }
    return candidates.filter(({ pid, isDead }) => members.has(pid) && !isDead);
  }

  /** Whether the root is gone and its pid belongs to another process, with a session and a group of that number. */
  #isReused(): boolean {
    const entry = HAS_PROCESS_TABLE ? readProcess(this.#pid) : undefined;
    return entry !== undefined && entry.startedAt !== this.root.startTick;
  }
}

function signalProcess(member: ProcessEntry, name: NodeJS.Signals): void {
  try {
    // The pid may belong to another process by now.
    if (isAlive(member)) process.kill(member.pid, name);
  } catch {
    // The process has ended, or runs as another user.
  }
}

/** False when no process of the group is left. */
function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name);
  } catch (error) {
    // EPERM: a process is there, but runs as another user.
    return errorCode(error) === "EPERM";
  }
}
