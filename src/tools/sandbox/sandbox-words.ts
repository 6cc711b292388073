/** The words for bubblewrap that are the same for every command: namespaces, rights, devices and the view of the kernel. */
import { existsSync } from "node:fs";
import type { Mount } from "./mount.js";
import { HOST_NAME } from "./name-files.js";
import { DESCRIPTORS, HOLDER_COMMAND } from "./start-script.js";

/**
 * How a command meets the namespaces of its session that stay. `none`: all namespaces are its own. `network`: it shares
 * the loopback. `all`: it shares the loopback and the processes, so what it leaves there goes on.
 */
export type Joining = "none" | "network" | "all";

export function fixedWords(hasNetwork: boolean, joining: Joining = "none"): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    `--die-with-parent --new-session --unshare-ipc --unshare-uts --unshare-cgroup-try --hostname ${HOST_NAME}`,
    joining === "all" ? `--pidns ${DESCRIPTORS.processes}` : "--unshare-pid",
    // Root needs no user namespace, and in one it could not change what others own.
    isRoot || joining === "all" ? "" : "--unshare-user",
    // The user of the namespace that was joined is its root, which stands for the same user outside.
    isRoot || joining !== "network" ? "" : `--uid ${process.getuid?.()} --gid ${process.getgid?.()}`,
    hasNetwork || joining !== "none" ? "" : "--unshare-net",
    "--cap-drop ALL",
    isRoot ? "--cap-add CAP_DAC_OVERRIDE --cap-add CAP_CHOWN --cap-add CAP_FOWNER" : "",
    `--clearenv --seccomp ${DESCRIPTORS.filter} --json-status-fd ${DESCRIPTORS.status}`,
    `--dev /dev --size ${MAX_SHARED_BYTES} --tmpfs /dev/shm --remount-ro /dev --proc /proc`,
  ].flatMap((line) => line.split(" ").filter((word) => word !== ""));
}

/** The program that joins namespaces (util-linux). Not PATH: that often leads through the project. */
const JOIN_PROGRAMS = ["/usr/bin/nsenter", "/bin/nsenter", "/run/current-system/sw/bin/nsenter"];

export const findJoinProgram = (): string | undefined => JOIN_PROGRAMS.find((path) => existsSync(path));

/** The words before those of bubblewrap. An ordinary user enters the user namespace that the network belongs to. */
export function joinWords(
  program: string,
  { network, user }: { readonly network: string; readonly user: string },
): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [program, ...(isRoot ? [] : [`--user=${user}`, "--preserve-credentials"]), `--net=${network}`, "--"];
}

/** The words for the process that holds the namespaces of a session: it sees no file but those that a shell needs. */
export function holderWords(bubblewrap: string, system: readonly string[]): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    bubblewrap,
    ..."--die-with-parent --new-session --unshare-ipc --unshare-uts --unshare-cgroup-try".split(" "),
    ..."--unshare-pid --unshare-net --cap-drop ALL --clearenv".split(" "),
    ...(isRoot ? [] : "--unshare-user --uid 0 --gid 0".split(" ")),
    "--seccomp",
    DESCRIPTORS.filter,
    "--json-status-fd",
    DESCRIPTORS.status,
    ...system,
    "--",
    ...HOLDER_COMMAND,
  ];
}

const MAX_SHARED_BYTES = 256 << 20;

/** Files of the kernel that belong to root and not to the namespaces: root could read and write them inside too. */
const KERNEL_FILES: readonly string[] =
  process.getuid?.() === 0
    ? [
        "kcore",
        "kmsg",
        "keys",
        "key-users",
        "timer_list",
        "sched_debug",
        "kpagecount",
        "kpageflags",
        "kpagecgroup",
      ]
    : ["keys", "key-users", "sched_debug"];

/** The whole of /proc is read-only: one mount instead of one for each folder of it that has switches of the kernel. */
export function kernelView(): readonly Mount[] {
  const mounts: readonly Mount[] = [
    ...KERNEL_FILES.map((name) => ({ type: "hidden", path: `/proc/${name}`, isFolder: false }) as const),
    { type: "sealed", path: "/proc" },
  ];
  return mounts.filter(({ path }) => existsSync(path));
}
