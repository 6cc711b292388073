/** Disks of tests: small ones that can be filled to the last byte, and media that can be made read-only. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEGABYTE = 1_048_576;
const mount = (...words: readonly string[]): boolean =>
  process.platform === "linux" && spawnSync("mount", words).status === 0;

export type SmallDisk = {
  readonly path: string;
  /** Until not one byte more can be written. */
  readonly fill: () => void;
  readonly makeRoom: () => void;
  readonly makeReadOnly: () => void;
  readonly remove: () => void;
};

/** Undefined where no disk can be mounted. */
export function mountSmallDisk(
  megabytes = 4,
  { files }: { readonly files?: number } = {},
): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), "toolgate-disk-"));
  const limit = files === undefined ? "" : `,nr_inodes=${files}`;
  if (!mount("-t", "tmpfs", "-o", `size=${megabytes}m${limit}`, "toolgate-test", path)) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  const filler = join(path, "filler");
  return {
    path,
    fill: () => fillUp(filler),
    makeRoom: () => rmSync(filler),
    makeReadOnly: () => {
      if (!mount("-o", "remount,ro", path)) throw new Error("The disk cannot be made read-only.");
    },
    remove: () => {
      spawnSync("umount", ["-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function fillUp(filler: string): void {
  const descriptor = openSync(filler, "a");
  try {
    for (let size = MEGABYTE; size >= 1;) {
      try {
        if (writeSync(descriptor, Buffer.alloc(size)) < size) size = Math.floor(size / 2);
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Whether disks can be mounted here. */
export const canMount = ((): boolean => {
  const disk = mountSmallDisk();
  disk?.remove();
  return disk !== undefined;
})();
