/**
 * How a command sees a repository of git: its objects, branches and index can be changed, its hooks and settings cannot,
 * nor any file of the workspace that the settings name. Else the next `git status` of an editor would run a program that
 * a command left there.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathInfo } from "../path-info.js";
import { COMMON_FOLDER } from "./common-folder.js";
import type { Repository } from "./find-guarded.js";
import type { Mount } from "./mount.js";

/** The file `commondir` is mounted too: `placeCommonFolder` makes it. */
export function repositoryMounts(
  { path: repository, steering: names }: Repository,
  roots: readonly string[],
): readonly Mount[] {
  mkdirSync(join(repository, "hooks"), { recursive: true });
  const steering = [...new Set([...names, "hooks"])].map((name) => join(repository, name)).filter(isThere);
  const common = join(repository, COMMON_FOLDER);
  const named = namedInSettings(repository, roots).filter((path) => !steering.includes(path));
  return [
    // A mount of its own: a folder that is one cannot be moved aside.
    { type: "write", path: repository },
    ...[...new Set([...steering, common, ...named])].map((path) => ({ type: "read" as const, path })),
  ];
}

const isThere = (path: string): boolean => {
  const info = pathInfo(path);
  return info !== undefined && !info.isSymbolicLink();
};

const MAX_SETTINGS_BYTES = 1 << 20;

/** Files and folders of the workspace that a word of the settings names: hooks, filters, helpers. */
function namedInSettings(repository: string, roots: readonly string[]): readonly string[] {
  const file = join(repository, "config");
  if ((pathInfo(file)?.size ?? Infinity) > MAX_SETTINGS_BYTES) return [];
  const values = readFileSync(file, "utf8").matchAll(/^\s*[\w.-]+\s*=\s*(?<value>.*)$/gm);
  const words = [...values].flatMap(({ groups }) => (groups?.["value"] ?? "").split(/[\s"'!;&|()]+/));
  const paths = words.flatMap((word) => [resolve(repository, "..", word), resolve(repository, word)]);
  return [...new Set(paths)].filter(
    (path) =>
      roots.some((root) => path.startsWith(`${root}/`)) &&
      isThere(path) &&
      !path.startsWith(`${repository}/`) &&
      path !== repository,
  );
}
