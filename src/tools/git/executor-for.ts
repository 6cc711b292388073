/**
 * What will read a command of ours, with git's settings forced where every part of the command only reads and
 * the repositories that it reads name no program.
 */
import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { gitReads, readingParts } from "../../policy/reading-parts.js";
import type { GitRead } from "../../policy/reading-parts.js";
import { FORCED_GIT_SETTINGS } from "../../policy/git-settings.js";
import type { Executor, Intent } from "../../policy/index.js";
import { ToolFailure } from "../tool.js";
import { isWithin } from "../built-in/in-turn.js";
import type { Commands, Workspace } from "../workspace.js";
import { repositoryTrouble } from "./repository-trouble.js";

/** The workspace's own, of which nothing is known when it does not say. */
export async function executorOf(workspace: Commands): Promise<Executor> {
  return (await workspace.executor?.()) ?? { language: "sh" };
}

export type PlannedCommand = Required<Pick<Intent, "command" | "cwd">> & Pick<Intent, "env">;

export async function executorFor(planned: PlannedCommand, workspace: Workspace): Promise<Executor> {
  const executor = await executorOf(workspace);
  const path = systemPath(process.env["PATH"], workspace.roots);
  // Nobody knows whether a workspace of someone else's would set the variables.
  if (executor.shell === undefined || (path === undefined && !mentionsGit(planned.command))) return executor;
  const intent: Intent = { ...NOTHING, ...planned, executor };
  const reading = readingParts(intent, { roots: workspace.roots, home: homedir() });
  if (!reading) return executor;
  const ownPath = path === undefined ? {} : { PATH: path };
  const reads = gitReads(reading);
  const notForced = reads.length === 0 ? undefined : await troubleIn(reads, workspace);
  if (notForced !== undefined) return { ...executor, notForced };
  const forced = { ...ownPath, ...(reads.length > 0 && FORCED_GIT_SETTINGS) };
  return Object.keys(forced).length === 0 ? executor : { ...executor, forced };
}

/**
 * The search path without folders of the workspace and relative ones, in which `ls` may be anybody's program;
 * undefined when there are none. Commands that do more than read keep theirs: a project's own tools lie there.
 */
function systemPath(path: string | undefined, roots: readonly string[]): string | undefined {
  if (path === undefined) return undefined;
  const folders = path.split(":");
  const kept = folders.filter(
    (folder) => isAbsolute(folder) && !roots.some((root) => isWithin(resolve(folder), root)),
  );
  return kept.length === folders.length ? undefined : kept.join(":");
}

const NOTHING = {
  tool: "terminal",
  kind: "execute",
  input: {},
  paths: [],
  hosts: [],
  baseHashes: {},
} as const;

/** Most commands do not, and need no second reading. */
const mentionsGit = (command: string | readonly string[]): boolean =>
  (typeof command === "string" ? [command] : command).some((word) => /g\W*i\W*t/.test(word));

async function troubleIn(reads: readonly GitRead[], workspace: Workspace): Promise<string | undefined> {
  const inside = reads.find(({ argv }) => argv.some((word) => LOOKS_INSIDE.test(word)));
  if (inside) return "git is to look into submodules, which have settings of their own";
  for (const folder of new Set(reads.flatMap(({ folders }) => folders))) {
    try {
      const trouble = await repositoryTrouble(folder, workspace);
      if (trouble !== undefined) return trouble;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return "the repository's configuration could not be looked at";
    }
  }
  return undefined;
}

const LOOKS_INSIDE = /^(?:submodule$|--submodule|--recurse-submodules)/;
