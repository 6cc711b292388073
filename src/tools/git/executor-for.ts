/**
 * The shell for a command, with git's settings forced when every part of the command only reads and the repositories
 * it reads name no program.
 */
import { homedir } from "node:os";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { plannedCommand } from "../../policy/intent.js";
import { filingParts, gitReads } from "../../policy/reading-parts.js";
import type { GitRead } from "../../policy/reading-parts.js";
import { FORCED_GIT_SETTINGS } from "../../policy/forced-git-settings.js";
import type { Executor, Intent } from "../../policy/index.js";
import { namedVariables } from "../folder-variables.js";
import { ToolFailure } from "../tool.js";
import { isWithin } from "../../call/absolute-path.js";
import type { Commands, Workspace } from "../workspace.js";
import { printsContents } from "./prints-contents.js";
import { repositoryRisk } from "./repository-risk.js";

/** The workspace's own executor; unknown when the workspace does not name one. */
export async function executorOf(workspace: Commands): Promise<Executor> {
  return (await workspace.executor?.()) ?? { language: "sh" };
}

export type PlannedCommand = Required<Pick<Intent, "command" | "cwd">> & Pick<Intent, "env">;

export async function executorFor(planned: PlannedCommand, workspace: Workspace): Promise<Executor> {
  const { known: all, ...found } = await executorOf(workspace);
  const known = namedVariables(all ?? {}, planned.command);
  const executor: Executor = Object.keys(known).length === 0 ? found : { ...found, known };
  // Nobody knows whether a workspace of someone else's would set the variables.
  if (executor.shell === undefined) return executor;
  const path = await systemPath(process.env["PATH"], workspace.roots);
  if (path === undefined && !mentionsGit(planned.command)) return executor;
  const intent = plannedCommand({ ...planned, executor });
  const reading = filingParts(intent, { roots: workspace.roots, home: homedir() });
  if (!reading) return executor;
  const ownPath = path === undefined ? {} : { PATH: path };
  const reads = gitReads(reading);
  const notForced = reads.length === 0 ? undefined : await troubleIn(reads, workspace);
  if (notForced !== undefined) return { ...executor, notForced };
  const forced = { ...ownPath, ...(reads.length > 0 && FORCED_GIT_SETTINGS) };
  return Object.keys(forced).length === 0 ? executor : { ...executor, forced };
}

/**
 * The search path without folders of the workspace, relative ones, ones that anybody may write to and ones that
 * are not there, in all of which `ls` may be anybody's program; undefined when there are none. Commands that do
 * more than read keep theirs: a project's own tools lie there.
 */
async function systemPath(path: string | undefined, roots: readonly string[]): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const folders = path.split(":");
  const isOwn = await Promise.all(folders.map((folder) => isSystemFolder(folder, roots)));
  const kept = folders.filter((_, index) => isOwn[index]);
  return kept.length === folders.length ? undefined : kept.join(":");
}

const OTHERS_MAY_WRITE = 0o002;

/** Checks the folder's name and the target of its links: anyone who can change a link chooses the folder. */
async function isSystemFolder(folder: string, roots: readonly string[]): Promise<boolean> {
  if (!isAbsolute(folder)) return false;
  try {
    const real = await realpath(folder);
    const isInside = [resolve(folder), real].some((one) => roots.some((root) => isWithin(one, root)));
    return !isInside && ((await stat(real)).mode & OTHERS_MAY_WRITE) === 0;
  } catch {
    return false;
  }
}

/** Most commands do not, and need no second reading. */
const mentionsGit = (command: string | readonly string[]): boolean =>
  (typeof command === "string" ? [command] : command).some((word) => /g\W*i\W*t/.test(word));

async function troubleIn(reads: readonly GitRead[], workspace: Workspace): Promise<string | undefined> {
  const inside = reads.find(({ argv }) => argv.some((word) => LOOKS_INSIDE.test(word)));
  if (inside) return "git is to look into submodules, which have settings of their own";
  if (reads.some(({ argv }) => argv.some((word) => UNTRACKED.test(word)) && argv.includes("grep")))
    return "git is to search files that the repository does not track";
  for (const [folder, prints] of foldersOf(reads)) {
    try {
      const risk = await repositoryRisk(folder, workspace.disk ?? workspace, { printsContents: prints });
      if (risk !== undefined) return risk;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return "the repository's configuration could not be looked at";
    }
  }
  return undefined;
}

/** The folders in which git runs, each with whether a command there may print the content of files. */
function foldersOf(reads: readonly GitRead[]): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  for (const { argv, folders } of reads) {
    const prints = printsContents(argv);
    for (const folder of folders) found.set(folder, prints || found.get(folder) === true);
  }
  return found;
}

/** Flags, or abbreviations of flags, about untracked files. */
const UNTRACKED = /^--(?:u|no-in|no-e)/;

const LOOKS_INSIDE = /^(?:submodule$|--submodule|--recurse-submodules)/;
