/**
 * Finds the first link among the files of a git folder that git commands follow and print: its own files, and those of
 * a rebase, of refs, logs and information about them. For objects only the folders are checked.
 */
import { posix } from "node:path";
import type { Files } from "../workspace.js";

const WALKED: ReadonlySet<string> = new Set(
  "rebase-merge rebase-apply sequencer refs logs info reftable worktrees branches remotes".split(" "),
);
const OBJECT_FOLDERS = new Set(["objects", "objects/info", "objects/pack"]);
const MAX_ENTRIES = 50_000;

/** `gitFolder` is a real path. A sentence's end, such as "refs/heads/a is a link". */
export async function linkRisk(gitFolder: string, workspace: Files): Promise<string | undefined> {
  const waiting = [""];
  let entries = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, type } of await workspace.list(posix.join(gitFolder, folder))) {
      const path = posix.join(folder, name);
      entries += 1;
      if (entries > MAX_ENTRIES) return `it has more than ${MAX_ENTRIES} files of its own`;
      // Hooks are not run while git only reads.
      if (type === "link" && path !== "hooks") return `${path} of the git folder is a link`;
      if (type !== "folder") continue;
      const isWalked = folder === "" ? WALKED.has(name) : !folder.startsWith("objects");
      if (isWalked || OBJECT_FOLDERS.has(path)) waiting.push(path);
    }
  }
  return undefined;
}
