/**
 * Finds what a command such as `grep -r` reaches while it walks through a folder: protected files, which it would show though
 * nobody named them, and links that it follows or copies elsewhere. Packages and git's own data are not searched for
 * protected files: they hold nothing of the user's.
 */
import type { ReadCommand } from "../../policy/index.js";
import { listedOrNone } from "../file-errors.js";
import { ownNameOf } from "../own-name-of.js";
import { isProtectedFile } from "../search/is-protected-file.js";
import type { Workspace } from "../workspace.js";
import { followLink } from "./follow-link.js";
import { couldMatch } from "./glob-names.js";
import { isWithin } from "../../call/absolute-path.js";
import type { Written } from "./written-paths.js";

/** Enough for a question. */
const MAX_FOUND = 20;

export type Walk = {
  /** Whether the command shows the files' contents. */
  readonly shows?: boolean;
  /** Leaves out hidden files and folders, except those that an ignore file names with a `!`. */
  readonly leavesHidden?: boolean;
  /** Only those whose names match one of these. */
  readonly only?: readonly string[];
  /** Goes where links lead, or puts them elsewhere for the commands after it. */
  readonly links?: boolean;
  /** Comes upon no file of a folder of packages. */
  readonly leavesPackages?: boolean;
  /** Splits the names that it finds at blanks. */
  readonly splits?: boolean;
};

/** A name that becomes other words where it is split, or one that begins with a dash. */
export const MISREAD = /[\s'"\\*?[]|(?:^|\/)-/;

/** How a command walks that gets the names of files which `find` and its like find below folders. */
export function foundWalk({ found }: ReadCommand): Walk | undefined {
  return found && { shows: true, links: !found.isFiles, ...found };
}

/**
 * How a command walks through folders; undefined when it does not, when it shows only names, or when it leaves out
 * hidden files, which include the protected ones.
 */
export function walkOf(argv: readonly string[], isAlone: boolean): Walk | undefined {
  const [program = "", ...words] = argv;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const has = (letters: RegExp, ...names: string[]): boolean =>
    words.some((word) => names.includes(word) || (/^-[^-]/.test(word) && letters.test(word)));
  const hasLong = (start: RegExp): boolean => words.some((word) => start.test(word));
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep":
      // GNU takes any beginning of a long flag or of its value for the whole: `-d rec`, `--directories=recu`.
      if (
        !has(/[rR]/) &&
        !hasLong(/^--(?:r|de)/) &&
        !hasLong(/^(?:--d[a-z]*=)?r(?:e(?:c(?:u(?:r(?:se?)?)?)?)?)?$/)
      )
        return undefined;
      return { shows: true, only: valuesOf("--include", words), links: has(/R/, "--dereference-recursive") };
    case "rg":
    case "ag":
      return {
        shows: true,
        // Globs and types bring back hidden files.
        leavesHidden:
          !has(name === "rg" ? /[.ugtT]/ : /[uUG]/, "--hidden", "--unrestricted") &&
          !hasLong(/^--(?:i?glob|type|ignore-file|file-search)/),
        links: has(name === "rg" ? /L/ : /f/, "--follow"),
      };
    case "ack":
      return { shows: true, links: words.includes("--follow") };
    case "git": {
      const isOutsideOfGit = words.includes("--no-index") || words.includes("--untracked");
      return isOutsideOfGit && /^(?:grep|diff)$/.test(words[0] ?? "") ? { shows: true } : undefined;
    }
    case "diff":
    case "colordiff":
      // Even without `-r` diff shows a folder's files, though not those of its subfolders.
      return { shows: true, links: !words.includes("--no-dereference") };
    case "zip":
      return { links: has(/r/, "--recurse-paths") && !has(/y/, "--symlinks") };
    case "tar":
    case "gtar":
    case "bsdtar":
      // The old spelling without a dash counts too.
      return { links: has(/[hL]/, "--dereference") || /h/.test(words[0] ?? "") };
    case "rsync":
      return { links: has(/[LkK]/) || hasLong(/^--copy-|^--keep-dirlinks/) };
    case "cp":
    case "mv":
      // Links that stay links matter only to a later command, which is checked when the links are there.
      return { links: !isAlone || has(/[LH]/, "--dereference") };
    default:
      return undefined;
  }
}

function valuesOf(flag: string, words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (word === flag) return words[index + 1] ?? [];
    return word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : [];
  });
}

type Found = { readonly files: readonly string[]; readonly links: readonly Written[] };

type BudgetedWalk = Walk & { readonly budget: { names: number } };

/**
 * Protected files by their real paths, and the links that leave the folder; undefined when there is more than
 * can be looked at, or a name that becomes other words. `budget` is how many names may still be, by all walks for one
 * command.
 */
export async function foundBelow(
  folder: string,
  {
    shows = false,
    leavesHidden = false,
    leavesPackages = false,
    only = [],
    links = false,
    splits = false,
    budget,
  }: BudgetedWalk,
  workspace: Workspace,
): Promise<Found | undefined> {
  if (!shows && !links) return { files: [], links: [] };
  const wanted = leavesHidden ? await broughtBack(workspace.roots, workspace) : [];
  const isLeftOut = (name: string): boolean =>
    leavesHidden && name.startsWith(".") && !wanted.some((pattern) => couldMatch(pattern, name));
  const isShown = (name: string): boolean =>
    shows && !isLeftOut(name) && (only.length === 0 || only.some((pattern) => couldMatch(pattern, name)));
  const files: string[] = [];
  const left: Written[] = [];
  const ahead = [folder];
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    const entries = await listedOrNone(here, workspace);
    budget.names -= entries.length;
    if (budget.names < 0) return undefined;
    if (leavesHidden) wanted.push(...(await broughtBack([here], workspace)));
    for (const { name, type } of entries) {
      const path = `${here === "/" ? "" : here}/${name}`;
      if (splits && MISREAD.test(name)) return undefined;
      const isDeep = (links || splits) && !(leavesPackages && UNTOUCHED.has(name));
      if (type === "folder" && (isDeep || (!PACKAGES.has(name) && !isLeftOut(name)))) ahead.push(path);
      if (type === "link" && links && (await leaves(path, folder, workspace)))
        left.push({ path, access: "read" });
      if (type === "file" && isShown(name) && isProtectedFile(path, workspace.own))
        files.push(ownNameOf(path, workspace.own) ?? path);
    }
    if (files.length > MAX_FOUND && !links) break;
  }
  return { files: files.slice(0, MAX_FOUND), links: left };
}

const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];

/** The last names of the patterns with which ignore files of these folders bring files back. */
async function broughtBack(folders: readonly string[], workspace: Workspace): Promise<string[]> {
  const files = folders.flatMap((folder) => IGNORE_FILES.map((name) => `${folder}/${name}`));
  const texts = await Promise.all(files.map((file) => workspace.readText(file).catch(() => undefined)));
  return texts
    .flatMap((text) => text?.split("\n") ?? [])
    .flatMap((line) => /^!\s*(?<pattern>.*?)\/?\s*$/.exec(line)?.groups?.["pattern"] ?? [])
    .map((pattern) => pattern.slice(pattern.lastIndexOf("/") + 1));
}

/** Whether a link leads out of the folder. The walk finds other targets by their own names. */
async function leaves(link: string, folder: string, workspace: Workspace): Promise<boolean> {
  const found = await followLink({ path: link, access: "read" }, workspace);
  return found !== undefined && !isWithin(found.path, folder);
}

/** Folders that a search without packages leaves out; a clone brings no file for git's own. */
const UNTOUCHED: ReadonlySet<string> = new Set([".git", "node_modules"]);

const PACKAGES: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  ".tox",
]);
