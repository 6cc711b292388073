/**
 * What a command comes upon that goes through a folder by itself, such as `grep -r`: protected files, which it
 * would show though nobody named them, and links, where it follows them or carries them to another place.
 * Packages and git's own data are not looked through for protected files: they hold nothing of the user's.
 */
import { isProtectedFile } from "../search/protected-file.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { follow } from "./follow-link.js";
import { isWithin } from "./in-turn.js";
import type { Written } from "./written-paths.js";

/** As many as it takes to ask. */
const MOST_FOUND = 20;

export type Walk = {
  /** Shows what is in the files, those with a dot before their names too. */
  readonly shows?: "plain" | "hidden";
  /** Goes where links lead, or puts them elsewhere for the commands after it. */
  readonly links?: boolean;
};

/** How a command goes through folders; undefined when it does not, or shows no more of them than names. */
export function walkOf(argv: readonly string[], isAlone: boolean): Walk | undefined {
  const [program = "", ...words] = argv;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const has = (letters: RegExp, ...names: string[]): boolean =>
    words.some((word) => names.includes(word) || (/^-[^-]/.test(word) && letters.test(word)));
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep":
      if (
        !has(/[rR]|d.*recurse/, "--recursive", "--dereference-recursive", "recurse", "--directories=recurse")
      )
        return undefined;
      return { shows: "hidden", links: has(/R/, "--dereference-recursive") };
    case "rg":
      return {
        // A glob overrules what is left out.
        shows:
          has(/[.ug]/, "--hidden", "--unrestricted") || words.some((word) => /^--i?glob/.test(word))
            ? "hidden"
            : "plain",
        links: has(/L/, "--follow"),
      };
    case "ag":
      return {
        shows: has(/[uU]/, "--hidden", "--unrestricted") ? "hidden" : "plain",
        links: has(/f/, "--follow"),
      };
    case "ack":
      return { shows: "hidden", links: has(/^$/, "--follow") };
    case "git":
      if (words[0] === "grep" && has(/^$/, "--no-index", "--untracked")) return { shows: "hidden" };
      return words[0] === "diff" && words.includes("--no-index") ? { shows: "hidden" } : undefined;
    case "diff":
    case "colordiff":
      if (!has(/r/, "--recursive")) return undefined;
      return { shows: "hidden", links: !words.includes("--no-dereference") };
    case "zip":
      return has(/r/, "--recurse-paths") && !has(/y/, "--symlinks") ? { links: true } : undefined;
    case "cp":
    case "mv":
      // The next command is looked at when the links are where it finds them.
      return isAlone ? undefined : { links: true };
    default:
      return undefined;
  }
}

type Found = { readonly files: readonly string[]; readonly links: readonly Written[] };

/**
 * Protected files by their real paths, and the links that leave the folder; undefined when there is more than
 * can be looked at. `budget` is how many names may still be, by all walks for one command.
 */
export async function foundBelow(
  folder: string,
  { shows, links = false, budget }: Walk & { readonly budget: { names: number } },
  workspace: Workspace,
): Promise<Found | undefined> {
  const files: string[] = [];
  const left: Written[] = [];
  const ahead = [folder];
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    const entries = await listed(here, workspace);
    budget.names -= entries.length;
    if (budget.names < 0) return undefined;
    for (const { name, type } of entries) {
      const path = `${here === "/" ? "" : here}/${name}`;
      const isShown = shows === "hidden" || (shows === "plain" && !name.startsWith("."));
      if (type === "folder" && (links || (isShown && !OTHERS.has(name)))) ahead.push(path);
      if (type === "link" && links && (await leaves(path, folder, workspace)))
        left.push({ path, access: "read" });
      if (type === "file" && isShown && isProtectedFile(path)) files.push(path);
    }
    if (files.length > MOST_FOUND && !links) break;
  }
  return { files: files.slice(0, MOST_FOUND), links: left };
}

/** What stays in the folder is met by its own name. */
async function leaves(link: string, folder: string, workspace: Workspace): Promise<boolean> {
  const found = await follow({ path: link, access: "read" }, workspace);
  return found !== undefined && !isWithin(found.path, folder);
}

const OTHERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

async function listed(folder: string, workspace: Workspace): ReturnType<Workspace["list"]> {
  try {
    return await workspace.list(folder);
  } catch (error) {
    // What cannot be listed here, the command cannot go through.
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}
