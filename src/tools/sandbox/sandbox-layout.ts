/** All that a command sees, as mounts: the kernel, the system, the home folder, temporary files and the workspace. */
import { existsSync } from "node:fs";
import type { Guarded } from "./find-guarded.js";
import type { Mount } from "./mount.js";
import { namelessMounts } from "./nameless-mounts.js";
import type { SandboxFolder } from "./sandbox-folder.js";
import type { SandboxPlace } from "./sandbox.js";
import { kernelView } from "./sandbox-words.js";
import { secretDecoys } from "./secret-decoys.js";
import { systemView } from "./system-view.js";
import { workspaceView } from "./workspace-view.js";

export type SandboxLayout = {
  readonly mounts: readonly Mount[];
  /** The mounts of the workspace among them: they must be there when the command starts. */
  readonly guarding: readonly Mount[];
  /** The repositories in it: each needs our file `commondir`. */
  readonly repositories: readonly string[];
};

export type LayoutOptions = {
  readonly roots: readonly string[];
  readonly folder: SandboxFolder;
  readonly hasNetwork: boolean;
  readonly temporary: readonly Mount[];
  /** The folders of the workspace that can be written; all when left out. */
  readonly writable?: readonly string[] | undefined;
};

export function sandboxLayout(
  place: SandboxPlace,
  guarded: ReadonlyMap<string, Guarded>,
  { roots, folder, hasNetwork, temporary, writable }: LayoutOptions,
): SandboxLayout {
  const guarding = workspaceView(roots, [...guarded.values()], {
    home: folder.home,
    decoys: secretDecoys(guarded, folder.run),
    writable,
    empty: folder.empty,
  });
  return {
    guarding,
    mounts: [
      ...kernelView(),
      ...systemView({
        home: folder.home,
        cache: folder.caches.of(roots, place.folders !== undefined),
      }),
      ...folder.files,
      ...(hasNetwork ? [] : folder.resolver),
      ...temporary,
      ...scratchMount(place),
      ...(place.folders ?? []).map((path): Mount => ({ type: "write", path })),
      ...guarding,
      ...namelessMounts(guarded, guarding, folder.run),
    ],
    repositories: writable
      ? []
      : [...guarded.values()].flatMap(({ type, path }) => (type === "repository" ? [path] : [])),
  };
}

const scratchMount = ({ scratch }: SandboxPlace): readonly Mount[] =>
  scratch !== undefined && existsSync(scratch) ? [{ type: "write", path: scratch }] : [];
