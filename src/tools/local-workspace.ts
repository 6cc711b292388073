/**
 * Folders on this machine.
 *
 * Invariants: a real path is acted on only while it is the real path, so that no link put in its way after a decision
 * leads the act elsewhere (see folder-handle.ts); a file is replaced whole or not at all; the workspace itself is
 * neither removed nor moved. Paths may lead anywhere: the rules decide. Only a sandbox confines commands.
 */
import type { Stats } from "node:fs";
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import {
  makeFolderIn,
  makeLinkIn,
  moveTo,
  removeIn,
  replaceFileIn,
  type Range,
  readBytesIn,
  readTextIn,
} from "./act-in-folder.js";
import { isWithin } from "../call/absolute-path.js";
import { checkOptions, having, listOf, required, TEXT } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import type { Executor } from "../policy/index.js";
import { commandEnvironment } from "./command-environment.js";
import { errorCode } from "../call/error-code.js";
import { type FileAction, explainFileErrors, fileErrorText, READ, WRITE } from "./file-errors.js";
import { findShell, shellWords } from "./find-shell.js";
import { folderVariables } from "./folder-variables.js";
import { inFolderOf, realPathOf } from "./folder-handle.js";
import { ownNameOf } from "./own-name-of.js";
import { runCommand } from "./run-command.js";
import { runContained } from "./sandbox/run-contained.js";
import { isConfinable } from "./sandbox/sandbox.js";
import type { WorkspaceKeeper } from "./kept-workspace/workspace-keeper.js";
import type { Sandbox } from "./sandbox/sandbox.js";
import { ToolFailure } from "./tool.js";
import type { CommandExit, CommandOptions, FileInfo, FileType, FolderEntry, Workspace } from "./workspace.js";

export type LocalWorkspaceOptions = {
  /** Further folders that belong to the workspace. */
  readonly roots?: readonly string[];
  /** Toolgate's own files and folders, which no search shows; the same as the policy's. */
  readonly own?: readonly string[];
  /** The sandbox that confines all commands. Files are not read or written through it. */
  readonly sandbox?: Sandbox;
  /** The sandbox for contained commands, which nobody was asked about. */
  readonly containing?: Sandbox;
  /** Keeps the workspace before commands, so that they can be undone. */
  readonly keeper?: WorkspaceKeeper;
};

const WORKSPACE_OPTIONS: OptionChecks<LocalWorkspaceOptions> = {
  roots: listOf(TEXT),
  own: listOf(TEXT),
  sandbox: having("a sandbox (openSandbox)", "enter"),
  containing: having("a sandbox (openSandbox)", "enter"),
  keeper: having("a keeper (openKeeper)", "keep"),
};

export class LocalWorkspace implements Workspace {
  readonly root: string;
  readonly roots: readonly string[];
  readonly own: readonly string[];
  readonly keeper: WorkspaceKeeper | undefined;
  readonly containing?: Sandbox;
  readonly #sandbox: Sandbox | undefined;
  #executor: Promise<Executor> | undefined;

  private constructor(roots: readonly [string, ...string[]], options: LocalWorkspaceOptions) {
    const { own = [], sandbox, containing, keeper } = options;
    this.root = roots[0];
    this.roots = [...new Set(roots)];
    this.own = own;
    this.#sandbox = sandbox;
    if (containing && isConfinable(this.roots)) this.containing = containing;
    this.keeper = keeper;
  }

  static async open(root: string, options: LocalWorkspaceOptions = {}): Promise<LocalWorkspace> {
    checkOptions("LocalWorkspace.open", { root }, { root: required(TEXT) });
    checkOptions("LocalWorkspace.open", options, WORKSPACE_OPTIONS);
    const further = await Promise.all((options.roots ?? []).map(realFolder));
    return new LocalWorkspace([await realFolder(root), ...further], options);
  }

  async resolve(path: string, { keepLink = false }: { readonly keepLink?: boolean } = {}): Promise<string> {
    // Node would write a lone surrogate as another character: the used path would not be the approved one.
    if (/[\0\p{Surrogate}]/u.test(path))
      throw new ToolFailure(
        `${JSON.stringify(path)} holds a character that no path can have. Nothing was read or written. Spell the path without it.`,
      );
    try {
      // Not `join`: it would take `link/..` out by name.
      const real = await realPathOf(path.startsWith("/") ? path : `${this.root}/${path}`, { keepLink });
      // The rules know our own files by their names: see own-name-of.ts.
      return this.own.length === 0 ? real : (ownNameOf(real, this.own) ?? real);
    } catch (error) {
      throw new ToolFailure(
        `"${path}" cannot be followed: ${fileErrorText(error)}. Nothing was read or written. Check the path.`,
      );
    }
  }

  async look(realPath: string): Promise<FileInfo | undefined> {
    return explainFileErrors(realPath, LOOK, async () => {
      try {
        return infoOf(await inFolderOf(realPath, (folder, name) => lstat(folder.at(name))));
      } catch (error) {
        if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
        throw error;
      }
    });
  }

  async readLink(realPath: string): Promise<string> {
    const read = () => inFolderOf(realPath, (folder, name) => readlink(folder.at(name)));
    return explainFileErrors(realPath, READ_LINK, read);
  }

  async readText(realPath: string): Promise<string | undefined> {
    return explainFileErrors(realPath, READ, () =>
      ifThere(inFolderOf(realPath, (folder, name) => readTextIn(folder, name, realPath))),
    );
  }

  async readBytes(
    realPath: string,
    range: Range,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number } | undefined> {
    return explainFileErrors(realPath, READ, () =>
      ifThere(inFolderOf(realPath, (folder, name) => readBytesIn(folder, name, realPath, range))),
    );
  }

  async list(realPath: string): Promise<readonly FolderEntry[]> {
    const entries = await explainFileErrors(realPath, LIST, () =>
      inFolderOf(realPath, async (parent, name) => {
        const folder = await parent.enter(name);
        try {
          return await readdir(folder.at("."), { withFileTypes: true });
        } finally {
          await folder.close();
        }
      }),
    );
    return entries
      .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async write(
    realPath: string,
    content: string | Uint8Array,
    { mode }: { readonly mode?: number } = {},
  ): Promise<void> {
    await explainFileErrors(realPath, WRITE, () =>
      inFolderOf(realPath, (folder, name) => replaceFileIn(folder, name, content, mode), MAKING),
    );
  }

  async makeFolder(realPath: string, { mode }: { readonly mode?: number } = {}): Promise<void> {
    await explainFileErrors(realPath, MAKE, () =>
      inFolderOf(realPath, (folder, name) => makeFolderIn(folder, name, mode), MAKING),
    );
  }

  async makeLink(realPath: string, target: string): Promise<void> {
    await explainFileErrors(realPath, MAKE, () =>
      inFolderOf(realPath, (folder, name) => makeLinkIn(folder, name, target), MAKING),
    );
  }

  async remove(realPath: string): Promise<void> {
    await explainFileErrors(realPath, REMOVE, () =>
      inFolderOf(realPath, (folder, name) => {
        this.#mustNotHoldARoot(realPath, REMOVE);
        return removeIn(folder, Buffer.from(name));
      }),
    );
  }

  async move(realPath: string, to: string): Promise<void> {
    await explainFileErrors(realPath, MOVE, () =>
      inFolderOf(realPath, async (fromFolder, fromName) => {
        this.#mustNotHoldARoot(realPath, MOVE);
        // Asked before the target's folders are made.
        await lstat(fromFolder.at(fromName));
        const from = { folder: fromFolder, name: fromName };
        const inside = { ...MAKING, isInside: true };
        await inFolderOf(to, (folder, name) => moveTo(from, { folder, name }), inside);
      }),
    );
  }

  /**
   * The command gets our environment without variables that look like a secret or change how its shell reads: see
   * command-environment.ts.
   */
  async runCommand(command: string | readonly string[], options: CommandOptions): Promise<CommandExit> {
    const executor = options.executor?.shell === undefined ? await this.executor() : options.executor;
    const argv = typeof command === "string" ? shellWords(executor, command) : command;
    const { cwd = this.root } = options;
    const forced = options.executor?.forced ?? {};
    const env = { ...options.env, ...forced };
    const sandbox = options.contained ? this.containing : this.#sandbox;
    if (options.contained && !sandbox) throw new ToolFailure(NO_CONTAINING);
    if (sandbox) {
      const { roots, own } = this;
      const { scratch, contained, temporary = [] } = options;
      const guards = contained?.guards ?? [];
      const place = {
        roots,
        own,
        cwd,
        env,
        guards,
        temporary,
        ...(scratch !== undefined && { scratch, session: scratch }),
        ...(contained?.stays && { stays: true, logs: contained.logs ?? [] }),
        ...(contained?.reachesNobody && { reachesNobody: true }),
      };
      return runContained(sandbox, argv, place, options);
    }
    const inherited = commandEnvironment(process.env, { isGitForced: Object.keys(forced).length > 0 });
    return runCommand(argv, { ...options, cwd, env: { ...inherited, ...env } });
  }

  /** Looked for once, when it is first asked for. A sandbox sets the variables by itself. */
  async executor(): Promise<Executor> {
    const executor = await (this.#executor ??= findShell());
    const known = this.#sandbox ? {} : folderVariables(process.env);
    return Object.keys(known).length === 0 ? executor : { ...executor, known };
  }

  #mustNotHoldARoot(realPath: string, { cannot }: FileAction): void {
    const held = this.roots.find((root) => isWithin(root, realPath));
    if (held === undefined) return;
    const what = held === realPath ? "is a folder of the workspace" : `holds the workspace ${held}`;
    throw new ToolFailure(
      `${realPath} ${what} and cannot be ${cannot} by a tool. Nothing was ${cannot}. Choose something inside the workspace.`,
    );
  }
}

export class NotAFolder extends Error {
  readonly code = "NOT_A_FOLDER";

  constructor(path: string, why: string) {
    super(
      `${path} is not a folder (${why}). No workspace was opened. Give the path of a folder that exists.`,
    );
    this.name = "NotAFolder";
  }
}

const NO_CONTAINING =
  "The command could not be started: it was to run in a sandbox, and there is none. Nothing was run. Make the call again.";

const MAKING = { make: true };
const CHECK = "Check the path and its permissions.";
const LOOK: FileAction = { cannot: "looked at", didNot: "Nothing was read.", next: CHECK };
const LIST: FileAction = { cannot: "listed", didNot: "Nothing was read.", next: CHECK };
const READ_LINK: FileAction = { cannot: "read as a link", didNot: "Nothing was read.", next: CHECK };
const MAKE: FileAction = { cannot: "made", didNot: "The folder was not made.", next: CHECK };
const MOVE: FileAction = { cannot: "moved", didNot: "Nothing was moved.", next: CHECK };
const REMOVE: FileAction = {
  cannot: "removed",
  didNot: "The path is still there, a folder perhaps without some of its content.",
  next: CHECK,
};

async function realFolder(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    throw new NotAFolder(resolve(path), errorCode(error) ?? String(error));
  }
  throw new NotAFolder(resolve(path), "it is a file");
}

/** A folder on the way that is missing means that the file is, too. */
async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function infoOf(stats: Stats): FileInfo {
  return { type: typeOf(stats), size: stats.size, mode: stats.mode & 0o7777, modified: stats.mtimeMs };
}

type Typed = { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean };

function typeOf(entry: Typed): FileType {
  if (entry.isSymbolicLink()) return "link";
  return entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
}
