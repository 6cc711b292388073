/**
 * A control group that limits the processes and the memory of all contained commands together. Exists only where the
 * system lets us make one: for root, and for a user to whom the system manager gave a part of the tree. Elsewhere the
 * limits of single processes remain.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { identityOf, isGone } from "../../process/process-identity.js";

export const MAX_PROCESSES = 4096;
const MEMORY_SHARE = 0.75;
const MOUNT = "/sys/fs/cgroup";

/** `name` is used once in a process. The folders of the groups that a command is to enter; none where no group can be made. */
export function makeControlGroups(name: string): readonly string[] {
  if (process.platform !== "linux") return [];
  const space = processSpace();
  const maxBytes = String(Math.floor(totalmem() * MEMORY_SHARE));
  const groups = existsSync(join(MOUNT, "cgroup.controllers"))
    ? [{ parent: writableParent(), limits: { "pids.max": String(MAX_PROCESSES), "memory.max": maxBytes } }]
    : [
        { parent: join(MOUNT, "pids"), limits: { "pids.max": String(MAX_PROCESSES) } },
        { parent: join(MOUNT, "memory"), limits: { "memory.limit_in_bytes": maxBytes } },
      ];
  return groups.flatMap(({ parent, limits }) => {
    if (parent === undefined || !isWritable(parent)) return [];
    removeLeftGroups(parent, space);
    const folder = join(parent, `toolgate-${space}-${process.pid}-${name}`);
    // A process that was killed may have left one of this name.
    removeControlGroups([folder]);
    try {
      mkdirSync(folder);
      for (const [file, value] of Object.entries(limits)) writeFileSync(join(folder, file), value);
      return [folder];
    } catch {
      removeControlGroups([folder]);
      return [];
    }
  });
}

export function removeControlGroups(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Not made, or a process of another command is still in it.
    }
  }
}

/** The namespace of processes: a pid of another one says nothing here. */
const processSpace = (): string => /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";

/** A group can only be removed when the last process in it has ended, which is often after our own end. */
function removeLeftGroups(parent: string, space: string): void {
  const prefix = `toolgate-${space}-`;
  const left = readdirSync(parent).filter((name) => {
    const pid = Number(name.startsWith(prefix) ? name.slice(prefix.length).split("-")[0] : NaN);
    return Number.isInteger(pid) && isGone(identityOf(pid));
  });
  removeControlGroups(left.map((name) => join(parent, name)));
}

/** The nearest group above ours that we may divide and that hands its controllers down. */
function writableParent(): string | undefined {
  const own = /^0::(?<path>.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.groups?.["path"] ?? "/";
  for (let path = own; ; path = dirname(path)) {
    const folder = join(MOUNT, path);
    const handsDown = readControllers(folder);
    if (isWritable(folder) && handsDown.includes("pids") && handsDown.includes("memory")) return folder;
    if (path === "/") return undefined;
  }
}

function readControllers(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, "cgroup.subtree_control"), "utf8").trim().split(" ");
  } catch {
    return [];
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
