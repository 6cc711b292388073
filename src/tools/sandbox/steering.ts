/** The names in a folder of git from which git or tools on it take settings or programs, or find further folders. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileText } from "../file-text.js";
import { linkTarget, pathInfo } from "../path-info.js";
import { COMMON_FOLDER, isOurCommonFolder } from "./common-folder.js";

export const STEERING = [
  "config",
  "config.worktree",
  "hooks",
  "modules",
  "worktrees",
  "info",
  "remotes",
  "branches",
  COMMON_FOLDER,
  // Where a worktree lies.
  "gitdir",
  // Settings of tools that work on a repository: they name programs that start when somebody opens it.
  "lazygit.yml",
  "sl/config",
];

/** The names among them that are there. */
export function steeringIn(path: string): readonly string[] {
  const steering = STEERING.filter(
    (name) => existsSync(join(path, name)) && !(name === COMMON_FOLDER && isOurCommonFolder(path)),
  );
  return [...steering, ...HALF_DONE.filter(({ runs }) => runs(path)).map(({ folder }) => folder)];
}

/** Git follows a link to its hooks or settings. */
export const steeringLinks = (repository: string) =>
  STEERING.flatMap((name) => {
    const path = join(repository, name);
    const isLink = pathInfo(path)?.isSymbolicLink() === true;
    return isLink ? [{ type: "link" as const, path, target: linkTarget(path), isSecret: false }] : [];
  });

/** Work that was left half done may have programs in it, which git starts when it goes on. */
const HALF_DONE = [
  {
    folder: "rebase-merge",
    runs: (path: string) =>
      isOther(join(path, "rebase-merge/git-rebase-todo"), (steps) => !/^[^\S\n]*(?:x|exec)\s/m.test(steps)) ||
      isOther(join(path, "rebase-merge/strategy"), (name) => STRATEGIES.test(name.trim())),
  },
  // A cherry-pick or a revert; its steps are never programs.
  {
    folder: "sequencer",
    runs: (path: string) =>
      isOther(join(path, "sequencer/opts"), (options) =>
        options
          .split("\n")
          .filter((line) => /strategy(?!-option\b)/i.test(line))
          .every((line) =>
            STRATEGIES.test(/^\s*strategy\s*=(?<name>.*)$/i.exec(line)?.groups?.["name"]?.trim() ?? ""),
          ),
      ),
  },
];

/** Git starts `git-merge-<name>` for any other, and a name with slashes in it is a path below the current folder. */
const STRATEGIES = /^(?:recursive|resolve|octopus|ours|subtree|ort)$/;

/** A file that cannot be read counts as another one, too. */
function isOther(file: string, isPlain: (text: string) => boolean): boolean {
  if (!pathInfo(file)) return false;
  const text = fileText(file, { encoding: "latin1" });
  return text === undefined || !isPlain(text);
}
