/**
 * How a command sees a repository of git: its objects, branches and index can be changed, its hooks and settings cannot,
 * nor any file of the workspace that the settings name. Else the next `git status` of an editor would run a program that
 * a command left there.
 */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { uncopiedPacks } from "../kept-workspace/object-files.js";
import { pathInfo } from "../path-info.js";
import { COMMON_FOLDER } from "./common-folder.js";
import type { Repository } from "./find-guarded.js";
import type { Mount } from "./mount.js";
import { namedBySettings } from "./named-by-settings.js";
import type { SettingsPlaces } from "./named-by-settings.js";

/** The file `commondir` is mounted too: `placeCommonFolder` makes it. */
export function repositoryMounts(
  { path: repository, steering: names }: Repository,
  places: SettingsPlaces,
): readonly Mount[] {
  mkdirSync(join(repository, "hooks"), { recursive: true });
  const steering = [...new Set([...names, "hooks"])].map((name) => join(repository, name)).filter(isThere);
  const common = join(repository, COMMON_FOLDER);
  const named = namedBySettings({ top: dirname(repository), folders: [repository] }, places).mentioned.filter(
    isThere,
  );
  return [
    // A mount of its own: a folder that is one cannot be moved aside.
    { type: "write", path: repository },
    ...[...new Set([...steering, common, ...named, ...largePacks(repository)])].map((path) => ({
      type: "read" as const,
      path,
    })),
  ];
}

/** No undo has their content. */
export const largePacks = (repository: string): readonly string[] =>
  uncopiedPacks(join(repository, "objects")).map((name) => join(repository, "objects/pack", name));

const isThere = (path: string): boolean => {
  const info = pathInfo(path);
  return info !== undefined && !info.isSymbolicLink();
};
