/** The things that a command sees at a path of its file system, and the words that tell bubblewrap so. Later mounts lie over earlier ones. */
export type Mount =
  /** The real thing, to be changed. */
  | { readonly type: "write"; readonly path: string; readonly from?: string }
  /** The real thing, to be read. */
  | { readonly type: "read"; readonly path: string; readonly from?: string }
  /** Mounted already, and read-only from here on. */
  | { readonly type: "sealed"; readonly path: string }
  | { readonly type: "link"; readonly path: string; readonly target: string }
  /** A new folder in memory, which ends with the command. */
  | { readonly type: "memory"; readonly path: string; readonly maxBytes: number }
  /** A new folder that holds only what is mounted below it. */
  | { readonly type: "folder"; readonly path: string }
  /** Neither readable nor writable: an empty folder, or a file that cannot be opened. `decoy`: the file that is shown. */
  | { readonly type: "hidden"; readonly path: string; readonly isFolder: boolean; readonly decoy?: string };

export function mountWords(mounts: readonly Mount[]): readonly string[] {
  return mounts.flatMap((mount): readonly string[] => {
    const { path } = mount;
    switch (mount.type) {
      case "write":
        return ["--bind", mount.from ?? path, path];
      case "read":
        return ["--ro-bind", mount.from ?? path, path];
      case "sealed":
        return ["--remount-ro", path];
      case "link":
        return ["--symlink", mount.target, path];
      case "memory":
        return ["--size", String(mount.maxBytes), "--tmpfs", path];
      case "folder":
        return ["--dir", path];
      case "hidden":
        return mount.isFolder
          ? ["--tmpfs", path, "--remount-ro", path]
          : ["--ro-bind", mount.decoy ?? "/dev/null", path];
      default:
        return mount satisfies never;
    }
  });
}
