/**
 * The client's workspace: its text files and its terminals where it offers them, and our own for all else.
 *
 * This workspace decides nothing. Paths are resolved as in any workspace, the gate decides on them, and only then are
 * they read. An approval is bound to the hash of the text that the editor shows.
 */
import { visibleText } from "../../call/index.js";
import type { Executor } from "../../policy/index.js";
import { executorOf } from "../../tools/git/executor-for.js";
import { ToolFailure } from "../../tools/index.js";
import type { CallView, CommandExit, CommandOptions, Files, Workspace } from "../../tools/index.js";
import { editorCapabilities } from "./editor-capabilities.js";
import { EditorFiles } from "./editor-files.js";
import { EditorRequests } from "./editor-requests.js";
import type { Requests } from "./editor-requests.js";
import { wrappedCommand } from "../wrapped-command.js";
import { runInEditor } from "./run-in-editor.js";

/** The side of a connection that the client is on. */
export type Editor = Requests & { readonly capabilities: unknown };

export type EditorWorkspaceOptions = {
  /** Commands are held inside a sandbox, which the client's terminals are not. */
  readonly ownCommands?: boolean;
  /** For requests that the client has no reason to take long for. */
  readonly requestTimeoutMs?: number;
};

/** Our own workspace itself, when the client offers nothing. */
export function editorWorkspace(
  local: Workspace,
  client: Editor,
  sessionId: string,
  { ownCommands = false, requestTimeoutMs }: EditorWorkspaceOptions = {},
): Workspace {
  const offered = editorCapabilities(client.capabilities);
  const capabilities = { ...offered, terminal: offered.terminal && !ownCommands };
  const { readTextFile, writeTextFile, terminal } = capabilities;
  if (!readTextFile && !writeTextFile && !terminal) return local;
  const editor = new EditorRequests(client, sessionId, requestTimeoutMs);
  return new EditorWorkspace(local, editor, terminal, new EditorFiles(local, editor, capabilities));
}

class EditorWorkspace implements Workspace {
  readonly #local: Workspace;
  readonly #editor: EditorRequests;
  readonly #files: EditorFiles;
  readonly #runsCommands: boolean;

  constructor(local: Workspace, editor: EditorRequests, runsCommands: boolean, files: EditorFiles) {
    this.#local = local;
    this.#editor = editor;
    this.#files = files;
    this.#runsCommands = runsCommands;
  }

  get root(): string {
    return this.#local.root;
  }

  get roots(): readonly string[] {
    return this.#local.roots;
  }

  get own(): readonly string[] {
    return this.#local.own ?? [];
  }

  get keeper(): Workspace["keeper"] {
    return this.#local.keeper;
  }

  /**
   * Commands see the files on the disk, not the editor's buffers. An editor would also show its user each name that a
   * program tries.
   */
  get disk(): Files {
    return this.#local;
  }

  /** Contained commands run in our process: the client's terminals are in no sandbox. */
  get containing(): Workspace["containing"] {
    return this.#local.containing;
  }

  callView = (): CallView => {
    const files = this.#files.readingOnce();
    const workspace = new EditorWorkspace(this.#local, this.#editor, this.#runsCommands, files);
    return { workspace, forgetTexts: () => files.forgetTexts() };
  };

  look: Files["look"] = (path) => this.#files.look(path);
  readText: Files["readText"] = (path) => this.#files.readText(path);
  readBytes: Files["readBytes"] = (path, range) => this.#files.readBytes(path, range);
  write: Files["write"] = (path, content, options) => this.#files.write(path, content, options);

  resolve: Files["resolve"] = (path, options) => this.#local.resolve(path, options);
  readLink: Files["readLink"] = (path) => this.#local.readLink(path);
  list: Files["list"] = (path) => this.#local.list(path);
  makeFolder: Files["makeFolder"] = (path, options) => this.#local.makeFolder(path, options);
  makeLink: Files["makeLink"] = (path, target) => this.#local.makeLink(path, target);
  remove: Files["remove"] = (path) => this.#local.remove(path);
  move: Files["move"] = (path, to) => this.#local.move(path, to);

  async runCommand(command: string | readonly string[], options: CommandOptions): Promise<CommandExit> {
    if (!this.#runsCommands || options.contained) return this.#local.runCommand(command, options);
    const executor = options.executor?.shell === undefined ? await this.executor() : options.executor;
    const forced = options.executor?.forced;
    const argv = wrappedCommand(command, executor, forced !== undefined);
    const { cwd = this.root } = options;
    const env = { ...options.env, ...forced };
    mustBeText([...argv, ...Object.entries(env).flat()]);
    await this.#mustBeFolder(cwd);
    return runInEditor(this.#editor, argv, { ...options, cwd, env });
  }

  /** The client's terminals start the shell that we name, by its absolute path. */
  async executor(): Promise<Executor> {
    const { shell = "/bin/sh", language } = await executorOf(this.#local);
    return { shell, language };
  }

  /** The folder that was decided on, and not one that a link leads to since. */
  async #mustBeFolder(cwd: string): Promise<void> {
    const isReal = (await this.#local.resolve(cwd)) === cwd;
    if (isReal && (await this.#local.look(cwd))?.type === "folder") return;
    throw new ToolFailure(
      `The command could not be started in ${visibleText(cwd)}: ${isReal ? "there is no such folder" : "a link was put in its way"}. Nothing was run. Give a folder that exists.`,
    );
  }
}

/** A character that no command can have would reach the client as another command than the one decided on. */
function mustBeText(words: readonly string[]): void {
  if (words.every((word) => !/[\0\p{Surrogate}]/u.test(word))) return;
  throw new ToolFailure(
    "The command could not be started: it holds a character that no command can have. Nothing was run. Write it without that.",
  );
}
