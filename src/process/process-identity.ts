/**
 * Distinguishes one process from all others, also from a later one with the same pid, and whether it is gone.
 *
 * Invariant: a process is called gone only when it cannot run any more. A process of another machine, of an earlier
 * boot or of another pid namespace (a container) cannot be looked at from here, so it is never called gone. Without
 * /proc a reused pid looks like the process that had it: that process is not called gone either.
 */
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "../call/error-code.js";
import { HAS_PROCESS_TABLE, readProcess } from "./process-table.js";

export type ProcessIdentity = {
  /** The boot and the pid namespace, where the system has them; else the host's name. */
  readonly machine: string;
  readonly pid: number;
  /** In ticks of the kernel's clock; 0 where it cannot be read. */
  readonly startTick: number;
};

export function identityOf(pid: number): ProcessIdentity {
  return {
    machine: thisMachine(),
    pid,
    startTick: HAS_PROCESS_TABLE ? (readProcess(pid)?.startedAt ?? 0) : 0,
  };
}

/** Whether its pid is valid here. */
export function isHere({ machine }: Pick<ProcessIdentity, "machine">): boolean {
  return machine === thisMachine();
}

export function isGone({ machine, pid, startTick }: ProcessIdentity): boolean {
  if (!isHere({ machine })) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process is there, but runs as another user.
    return errorCode(error) === "ESRCH";
  }
  // Not there: the system hides other users' processes.
  const entry = HAS_PROCESS_TABLE ? readProcess(pid) : undefined;
  return entry !== undefined && (entry.isDead || (startTick !== 0 && entry.startedAt !== startTick));
}

let known: string | undefined;

function thisMachine(): string {
  // The links of /proc/self are right also where the pids in /proc are not.
  return (known ??= existsSync("/proc/self/ns/pid")
    ? `${bootId()} ${readlinkSync("/proc/self/ns/pid")}`
    : hostname());
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}
