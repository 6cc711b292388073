/**
 * Folders of the workspace in which a shell looks for programs before it looks in the system's: those of environments
 * and packages, those on Toolgate's own search path, which is the person's, and those that an `.envrc` adds. A new `ls`
 * there would start at the person's next `ls`.
 */
import { readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import { SEARCHED_FOLDERS, TYPED_PROGRAMS } from "../../policy/paths/protected-names.js";
import { addedToSearchPath } from "./sourced-files.js";

/** An `.envrc`, and the files that it sources: they add folders too, mostly relative to the folder of the `.envrc`. */
type Sourcing = { readonly file: string; readonly named: readonly string[] };

/** The files there that have the name of a program of the system. */
export function replacedPrograms(roots: readonly string[], sourcing: readonly Sourcing[]): readonly string[] {
  const onPath = (process.env["PATH"] ?? "").split(":");
  const folders = [
    ...roots.flatMap((root) => [...SEARCHED_FOLDERS, ...onPath].map((folder) => resolve(root, folder))),
    ...sourcing.flatMap(({ file, named }) =>
      [file, ...named].flatMap((one) =>
        addedToSearchPath(one).flatMap((folder) => [
          resolve(dirname(file), folder),
          resolve(dirname(one), folder),
        ]),
      ),
    ),
  ];
  const inside = [...new Set(folders.map(realFolder))].filter(
    (folder) => folder !== undefined && roots.some((root) => isWithin(folder, root)),
  );
  return inside.flatMap((folder) => (folder === undefined ? [] : typedIn(folder)));
}

/** Toolgate takes a file out of its real folder. */
function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

function typedIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => TYPED_PROGRAMS.has(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
