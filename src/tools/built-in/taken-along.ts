/**
 * Protected names that go along unnamed: those below a folder that is deleted, moved or copied whole, and those that a
 * file gets where it is put into a folder (`cp tmpl/AGENTS.md .`). The rules read no disk, so to them there is only the
 * folder. Packages are not looked through: they hold nothing of the user's.
 */
import { posix } from "node:path";
import type { PathAccess, ReadCommand } from "../../policy/index.js";
import { isProtectedFile } from "../search/protected-file.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { globNames, isPattern } from "./glob-names.js";
import { folderOf } from "./written-paths.js";

/** As many as it takes to ask. */
const MAX_FOUND = 20;
const MAX_NAMES = 20_000;

const PACKAGES: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "__pycache__", ".tox"]);

type Below = { readonly paths: readonly string[]; readonly isWhole: boolean };

/** What is protected below a real folder, for this access; nothing for what is no folder. Links are not followed. */
async function protectedBelow(
  folder: string,
  access: PathAccess["access"],
  workspace: Workspace,
): Promise<Below> {
  const paths: string[] = [];
  const ahead = [folder];
  let names = 0;
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    if (PACKAGES.has(posix.basename(here))) continue;
    for (const { name, type } of await listed(here, workspace)) {
      const path = posix.join(here, name);
      names += 1;
      if (names > MAX_NAMES || paths.length >= MAX_FOUND) return { paths, isWhole: false };
      if (isProtectedFile(path, workspace.own, access)) paths.push(path);
      else if (type === "folder") ahead.push(path);
    }
  }
  return { paths, isWhole: true };
}

/** The same as accesses, for tools that delete or move a folder. */
export async function alsoTaken(
  folder: string,
  access: "delete" | "move",
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  const { paths } = await protectedBelow(folder, access, workspace);
  return paths.map((path) => ({ path, access }));
}

/** What a command takes along or puts somewhere. `cwd`: the real path of the folder that it starts in. */
export async function takenAlong(
  read: ReadCommand,
  cwd: string,
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  const act = actOf(read.argv);
  if (!act) return [];
  const folder = folderOf(read, cwd);
  const sources = await expanded(act.sources, folder, workspace);
  if (act.access === "delete")
    return (await Promise.all(sources.map((path) => alsoTaken(path, "delete", workspace)))).flat();
  const target = await realPath(posix.resolve(folder, act.target), workspace);
  const isFolder = target !== undefined && (await workspace.look(target))?.type === "folder";
  const found = await Promise.all(
    sources.map(async (path): Promise<readonly PathAccess[]> => {
      const { paths, isWhole } = act.isDeep
        ? await protectedBelow(path, "write", workspace)
        : { paths: [], isWhole: true };
      const into = target ?? posix.resolve(folder, act.target);
      const put = isFolder && isProtectedFile(posix.join(into, posix.basename(path)), workspace.own, "write");
      return [
        ...(put ? [{ path: posix.join(into, posix.basename(path)), access: "write" } as const] : []),
        ...paths.map(
          (one) => ({ path: posix.join(into, posix.relative(path, one)), access: "write" }) as const,
        ),
        ...(isWhole ? [] : [{ path: "/", named: path, access: "search" } as const]),
      ];
    }),
  );
  return found.flat();
}

type Act =
  | { readonly access: "delete"; readonly sources: readonly string[] }
  | {
      readonly access: "write";
      readonly sources: readonly string[];
      readonly target: string;
      /** Takes along what is in a folder. */
      readonly isDeep: boolean;
    };

/** What the programs that everyone has do with whole folders. */
function actOf(argv: readonly string[]): Act | undefined {
  const [program = "", ...words] = argv;
  const has = (letters: RegExp, ...names: string[]): boolean =>
    words.some((word) => names.includes(word) || (/^-[^-]/.test(word) && letters.test(word)));
  const plain = words.filter((word) => !word.startsWith("-"));
  switch (program.slice(program.lastIndexOf("/") + 1)) {
    case "rm":
      return has(/[rR]/, "--recursive") ? { access: "delete", sources: plain } : undefined;
    case "mv":
      return { access: "write", isDeep: true, ...ends(words, plain) };
    case "cp":
      return { access: "write", isDeep: has(/[rRa]/, "--recursive", "--archive"), ...ends(words, plain) };
    case "rsync":
      return { access: "write", isDeep: has(/[ra]/, "--recursive", "--archive"), ...ends(words, plain) };
    case "install":
    case "ln":
    case "link":
      return { access: "write", isDeep: false, ...ends(words, plain) };
    default:
      return undefined;
  }
}

/** The last word is where all the others go, unless a flag says where. */
function ends(words: readonly string[], plain: readonly string[]) {
  const flag = words.findIndex((word) => /^(?:-[a-zA-Z]*t|--target-directory)(?:=|$)/.test(word));
  const [, attached] = words[flag]?.split("=") ?? [];
  const named = attached ?? (flag === -1 ? undefined : words[flag + 1]);
  if (named !== undefined) return { target: named, sources: plain.filter((word) => word !== named) };
  // `ln -s ../AGENTS.md` puts it here.
  return plain.length === 1
    ? { target: ".", sources: plain }
    : { target: plain.at(-1) ?? ".", sources: plain.slice(0, -1) };
}

async function expanded(
  words: readonly string[],
  folder: string,
  workspace: Workspace,
): Promise<readonly string[]> {
  const paths = words.map((word) => (word.startsWith("/") ? word : `${folder}/${word}`));
  const names = await Promise.all(
    paths.map(async (path) => (isPattern(path) ? ((await globNames(path, workspace)) ?? []) : [path])),
  );
  return names.flat().map((path) => posix.resolve(path));
}

async function realPath(path: string, workspace: Workspace): Promise<string | undefined> {
  try {
    return await workspace.resolve(path);
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

async function listed(folder: string, workspace: Workspace): ReturnType<Workspace["list"]> {
  try {
    return await workspace.list(folder);
  } catch (error) {
    // A file, or what cannot be listed.
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}
