/**
 * Protected names that a command affects without naming them: those below a folder that is deleted, moved or copied
 * whole, and those that a file gets when it is put into a folder (`cp tmpl/AGENTS.md .`). The rules do not read the
 * disk and see only the folder. Packages are skipped: they hold nothing of the user's.
 */
import { posix } from "node:path";
import { listedOrNone } from "../file-errors.js";
import type { PathAccess, ReadCommand } from "../../policy/index.js";
import { isProtectedFile } from "../search/is-protected-file.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { globNames, isPattern } from "./glob-names.js";
import { folderOf } from "./written-paths.js";

/** Enough for a question. */
const MAX_FOUND = 20;
const MAX_NAMES = 20_000;

const PACKAGES: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "__pycache__", ".tox"]);

type Below = { readonly paths: readonly string[]; readonly isWhole: boolean };

/**
 * The protected names below a real folder, for this access; none for a file. Links are not followed. `bases`: the
 * places that the folder has or gets; a name counts when it is protected in any of them, and is given in that place.
 */
async function protectedBelow(
  folder: string,
  bases: readonly string[],
  access: PathAccess["access"],
  workspace: Workspace,
): Promise<Below> {
  const paths: string[] = [];
  const ahead = [folder];
  let names = 0;
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    // A folder of packages that is put somewhere itself is a folder like any other; deleted, it holds nothing of the user's.
    if (PACKAGES.has(posix.basename(here)) && (here !== folder || access === "delete")) continue;
    for (const { name, type } of await listedOrNone(here, workspace)) {
      const path = posix.join(here, name);
      names += 1;
      if (names > MAX_NAMES || paths.length >= MAX_FOUND) return { paths, isWhole: false };
      const places = bases.map((base) => posix.join(base, posix.relative(folder, path)));
      const found = places.find((place) => isProtectedFile(place, workspace.own, access));
      if (found !== undefined) paths.push(found);
      else if (type === "folder") ahead.push(path);
    }
  }
  return { paths, isWhole: true };
}

/** The protected names in a folder as accesses, for tools that delete or move it. */
export async function protectedInFolder(
  folder: string,
  access: "delete" | "move",
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  return accesses(await protectedBelow(folder, [folder], access, workspace), folder, access);
}

/**
 * Protected names that a file, a folder or a link brings to a new path: those below a folder, and the path itself where
 * a folder or a link there decides what a protected name means (`.github`, `.cargo`).
 */
export async function protectedAtTarget(
  from: string,
  to: string,
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  const type = (await workspace.look(from))?.type;
  if (type !== "folder" && type !== "link") return [];
  const isHead = isProtectedFile(to, workspace.own, "move");
  const below = await protectedBelow(from, [to], "write", workspace);
  return [...(isHead ? [{ path: to, access: "move" } as const] : []), ...accesses(below, from, "write")];
}

/** A folder with too many names to read may contain anything. */
const accesses = (
  { paths, isWhole }: Below,
  folder: string,
  access: PathAccess["access"],
): readonly PathAccess[] => [
  ...paths.map((path) => ({ path, access })),
  ...(isWhole ? [] : [{ path: "/", named: folder, access: "search" } as const]),
];

/**
 * The protected names that a command deletes, moves, copies or creates. `cwd`: the real path of the folder that it
 * starts in.
 */
export async function protectedByCommand(
  read: ReadCommand,
  cwd: string,
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  const act = actOf(read.argv);
  if (!act) return [];
  const folder = folderOf(read, cwd);
  const sources = await expanded(act.sources, folder, workspace);
  if (act.access === "delete")
    return (await Promise.all(sources.map((path) => protectedInFolder(path, "delete", workspace)))).flat();
  const found: PathAccess[] = [];
  for (const word of act.targets) {
    const target = posix.resolve(folder, word);
    const into = (await realPath(target, workspace)) ?? target;
    for (const path of sources)
      if (path !== target)
        found.push(...(await putInto(path, { into, folder, isDeep: act.isDeep }, workspace)));
  }
  return found;
}

type Target = {
  readonly into: string;
  /** Where the command runs. */
  readonly folder: string;
  readonly isDeep: boolean;
};

/** Whether a program puts a folder there or its content depends on slashes, flags and what exists: each may be. */
async function putInto(
  from: string,
  { into, folder, isDeep }: Target,
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  const isFolder = (await workspace.look(into).catch(() => undefined))?.type === "folder";
  const inside = posix.join(into, posix.basename(from));
  // `cp --parents` keeps the whole path of what it copies.
  const whole = posix.join(into, posix.relative(folder, from));
  const put = [...(isFolder ? [inside] : []), whole].filter((path) =>
    isProtectedFile(path, workspace.own, "write"),
  );
  const source = (await realPath(from, workspace)) ?? from;
  const type = (await workspace.look(source).catch(() => undefined))?.type;
  if (!isDeep || type !== "folder") return put.map((path) => ({ path, access: "write" }));
  const bases = [into, inside, whole];
  const heads = (isFolder ? [inside] : [into]).filter((path) => isProtectedFile(path, workspace.own, "move"));
  const below = await protectedBelow(source, [...new Set([...bases, from])], "write", workspace);
  return [
    ...put.map((path) => ({ path, access: "write" }) as const),
    ...heads.map((path) => ({ path, access: "move" }) as const),
    ...accesses(below, from, "write"),
  ];
}

const MAX_TARGETS = 4;

type Act =
  | { readonly access: "delete"; readonly sources: readonly string[] }
  | {
      readonly access: "write";
      readonly sources: readonly string[];
      /** Words that may name the place; more than one where the value of a flag could be it. */
      readonly targets: readonly string[];
      /** Includes the contents of a folder. */
      readonly isDeep: boolean;
    };

/** Common programs that take, copy or link whole folders. */
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
    case "git":
      return plain[0] === "mv"
        ? { access: "write", isDeep: true, ...ends(words, plain.slice(1)) }
        : undefined;
    case "cp":
      return { access: "write", isDeep: has(/[rRa]/, "--recursive", "--archive"), ...ends(words, plain) };
    case "rsync":
      return { access: "write", isDeep: has(/[ra]/, "--recursive", "--archive"), ...ends(words, plain) };
    case "ln":
      // Through a link to a folder, the names below it are there as well.
      return { access: "write", isDeep: true, ...ends(words, plain) };
    case "install":
    case "link":
      return { access: "write", isDeep: false, ...ends(words, plain) };
    default:
      return undefined;
  }
}

/**
 * The last word is where all the others go, unless a flag says where. A flag behind the first word may have the last word
 * as its value: then each word may be the target.
 */
function ends(words: readonly string[], plain: readonly string[]) {
  const flag = words.findIndex((word) => /^(?:-[a-zA-Z]*t|--target-directory)(?:=|$)/.test(word));
  const [, attached] = words[flag]?.split("=") ?? [];
  const named = attached ?? (flag === -1 ? undefined : words[flag + 1]);
  if (named !== undefined) return { targets: [named], sources: plain.filter((word) => word !== named) };
  // `ln -s ../AGENTS.md` puts it here.
  if (plain.length === 1) return { targets: ["."], sources: plain };
  const first = words.findIndex((word) => !word.startsWith("-"));
  const hasLateFlag = words.slice(first).some((word) => word.startsWith("-") && word !== "--");
  return hasLateFlag
    ? { targets: plain.slice(-MAX_TARGETS), sources: plain }
    : { targets: plain.slice(-1), sources: plain.slice(0, -1) };
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
