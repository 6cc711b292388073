/**
 * Remembers that the self-test passed on this machine, so that it runs at first use and after a change of the kernel, of
 * bubblewrap, of Toolgate or of what the system permits, and not at every start.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { release, version as kernelVersion } from "node:os";
import { join } from "node:path";

/** Settings of the kernel that permit a user to make namespaces. */
const SWITCHES = [
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];

/** Changes when bubblewrap is replaced or removed, or when the system's permissions change. Read before each command. */
export function machineState(program: string): string {
  const info = statSync(program, { throwIfNoEntry: false });
  const bubblewrap = info && [info.ino, info.size, info.mtimeMs, info.mode];
  return JSON.stringify([bubblewrap ?? "absent", ...SWITCHES.map(readIfThere)]);
}

export type Proof = {
  /** A folder that no tool may write: the one of the compiled code, which a new version makes stale too. */
  readonly place: string;
  readonly program: string;
  /** Toolgate's version. */
  readonly version: string;
  /** Changes with the sandbox's own words. */
  readonly words: string;
};

export function isProved({ place, ...proof }: Proof): boolean {
  const file = join(place, FILE);
  const info = lstatSync(file, { throwIfNoEntry: false });
  const isOurs = info?.isFile() === true && info.uid === process.getuid?.() && (info.mode & 0o022) === 0;
  return isOurs && readIfThere(file) === keyOf(proof);
}

export function storeProof({ place, ...proof }: Proof): void {
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    writeFileSync(join(place, FILE), keyOf(proof), { mode: 0o600 });
  } catch {
    // The next start tests again.
  }
}

const FILE = "sandbox-proved";

/** The namespaces and the filter around us count too: a container may share the folder with the machine. */
function keyOf({ program, version, words }: Omit<Proof, "place">): string {
  const around = ["user", "mnt", "pid"].map((name) => linkIfThere(`/proc/self/ns/${name}`));
  const status = readIfThere("/proc/self/status");
  const filter = /^Seccomp:.*$/m.exec(status)?.[0] ?? "";
  const boot = readIfThere("/proc/sys/kernel/random/boot_id");
  const parts = [version, words, machineState(program), release(), kernelVersion(), boot, filter, ...around];
  return createHash("sha256")
    .update(JSON.stringify([...parts, process.getuid?.()]))
    .digest("hex");
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function linkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
