/**
 * The file accesses of a command that does nothing but act on files, so that rules on reading and editing cover it
 * like the tools that read and edit.
 *
 * Invariant: fail closed. A command counts only when its program is on a closed list, every word of it is understood,
 * and it runs no code, contacts no host and installs nothing. Any other command needs a rule that names it.
 */
import { forcesGitSettings } from "./forced-git-settings.js";
import type { Intent, PathAccess } from "./intent.js";
import { isGit, readAccess } from "./part.js";
import type { CommandPart } from "./part.js";
import { unclearDoubts } from "./programs/path-effects.js";
import { baseName } from "./shell/base-name.js";

export type FileAccess = PathAccess & {
  /** The access reaches everything below the path, so a rule must cover all of that. */
  readonly isDeep: boolean;
};

/** Programs that change files by names in their words, and take no code and no settings from anywhere. */
const CHANGES_FILES: ReadonlySet<string> = new Set(
  "chmod cp gsed link ln mkdir mv rm rmdir sd sed tee touch truncate unlink".split(" "),
);

/** Programs that open a file and refuse a folder. */
const OPENS_ONE_FILE: ReadonlySet<string> = new Set(
  "cat head tail wc sed gsed awk gawk mawk nl cut sort uniq tac rev jq md5sum sha1sum sha256sum sha512sum cksum".split(
    " ",
  ),
);

/** Programs that open one file and refuse a folder, unless a flag makes them go down. */
const LOOKS_ONCE: ReadonlySet<string> = new Set(["grep", "egrep", "fgrep", "stat", "file"]);

const isRecursive = (word: string): boolean => /^(?:-[a-zA-Z]*[rRdf]|--(?:rec|der|dir|file))/.test(word);

/** Programs whose changes below a folder the disk was searched for: see tools/built-in/protected-by-command.ts. */
const CHANGES_BELOW: ReadonlySet<string> = new Set(["cp", "mv", "ln", "rm"]);

/** Wrappers that add names of files to a command. */
export const NAMES_FILES: ReadonlySet<string> = new Set(["find", "fd", "xargs", "parallel"]);

/** Undefined when the command may do more than act on these files. */
export function fileAccesses(part: CommandPart, intent: Intent): readonly FileAccess[] | undefined {
  return actsOnFiles(part) && (!isGit(part) || forcesGitSettings(intent.executor))
    ? accessesOf(part)
    : undefined;
}

/** Whether the command does nothing but read and change files; for git, as long as its settings are forced. */
export function actsOnFiles(part: CommandPart): boolean {
  const { argv, judgement, cwd, elsewhere, touches, read } = part;
  // A background command still acts after names have changed.
  if (cwd === undefined || read.isBackground === true || elsewhere.length > 0) return false;
  if (argv.length === 0) return part.redirects.length > 0;
  const changes = touches.some(({ access }) => access !== "read");
  if (!changes) return judgement.onlyReads && judgement.doubts.length === 0;
  const name = baseName(argv[0] ?? "");
  const isChanger = CHANGES_FILES.has(name) && !read.wrappers.some((wrapper) => NAMES_FILES.has(wrapper));
  const { runs, installs, urls, sends, takesList, isKnown, runsFiles } = judgement;
  const isMore = runs || takesList || [installs, urls, sends, runsFiles].some((list) => list.length > 0);
  const isBelowSeen = CHANGES_BELOW.has(name) || !touches.some(({ below }) => below);
  return isChanger && isKnown && !isMore && isBelowSeen && unclearDoubts(judgement).length === 0;
}

function accessesOf(part: CommandPart): readonly FileAccess[] {
  const { argv, touches, redirects, cwd = "" } = part;
  const name = baseName(argv[0] ?? "");
  const isOneFile = OPENS_ONE_FILE.has(name) || (LOOKS_ONCE.has(name) && !argv.some(isRecursive));
  const accesses = touches.map(({ access, below, ...touch }): FileAccess => {
    if (access !== "read") return { ...touch, access, isDeep: below === true };
    return { ...touch, access: readAccess(part), isDeep: !isOneFile };
  });
  const written = redirects.map((access): FileAccess => ({ ...access, isDeep: false }));
  // git shows files of the whole repository, and a command without a path at least its folder.
  const isOfFolder = isGit(part) || accesses.length + written.length === 0;
  const here: FileAccess = { path: cwd, access: "read", isDeep: isGit(part) };
  return [...accesses, ...written, ...(isOfFolder ? [here] : [])];
}
