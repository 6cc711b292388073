/** The words for bubblewrap that are the same for every command: namespaces, rights, devices and the view of the kernel. */
import { existsSync } from "node:fs";
import type { Mount } from "./mount.js";
import { DESCRIPTORS } from "./start-script.js";

export function fixedWords(hasNetwork: boolean): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    "--die-with-parent --new-session --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try --hostname sandbox",
    // Root needs no user namespace, and in one it could not change what others own.
    isRoot ? "" : "--unshare-user",
    hasNetwork ? "" : "--unshare-net",
    "--cap-drop ALL",
    isRoot ? "--cap-add CAP_DAC_OVERRIDE --cap-add CAP_CHOWN --cap-add CAP_FOWNER" : "",
    `--clearenv --seccomp ${DESCRIPTORS.filter} --json-status-fd ${DESCRIPTORS.status}`,
    `--dev /dev --size ${MAX_SHARED_BYTES} --tmpfs /dev/shm --remount-ro /dev --proc /proc`,
  ].flatMap((line) => line.split(" ").filter((word) => word !== ""));
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
