/**
 * Where tools act: folders with files, and a shell in them. A port, so that it can be elsewhere, in an
 * editor for one. It does not decide what is allowed: a path may lead anywhere, and the rules say whether
 * a call may go there. It keeps what was decided: what is given as a real path is acted on only while it
 * is one, so that no link put in its way leads a call elsewhere.
 */
import type { Executor } from "../policy/index.js";

export type CommandExit = { readonly exitCode?: number; readonly signal?: string };

export type FileType = "file" | "folder" | "link" | "other";

export type FileInfo = {
  readonly type: FileType;
  /** In bytes. */
  readonly size: number;
  /** The permission bits. */
  readonly mode: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
};

export type FolderEntry = { readonly name: string; readonly type: FileType };

export interface Files {
  /** The folder that relative paths start from, as a real path. */
  readonly root: string;
  /** All folders that belong to the workspace, `root` first. */
  readonly roots: readonly string[];
  /** Toolgate's own files and folders: no tool that comes upon them shows what is in them. */
  readonly own?: readonly string[];
  /**
   * The real path, links followed as far as it exists, inside the workspace or not. With `keepLink` the last
   * name is not followed: for whoever acts on the link itself. Throws ToolFailure when it cannot be walked.
   */
  resolve(path: string, options?: { readonly keepLink?: boolean }): Promise<string>;
  /** What is there, a link not followed; undefined when nothing is. */
  look(realPath: string): Promise<FileInfo | undefined>;
  /** Where a link leads, as it is written. */
  readLink(realPath: string): Promise<string>;
  /** Undefined when there is no such file. Throws ToolFailure for a folder or a file that is not text. */
  readText(realPath: string): Promise<string | undefined>;
  /** Bytes of a file, as many as asked for and there; `size` is the whole file's. Undefined when there is no such file. */
  readBytes(
    realPath: string,
    range: { readonly from?: number; readonly length: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number } | undefined>;
  /** What is in a folder, sorted by name. Throws ToolFailure when it is none. */
  list(realPath: string): Promise<readonly FolderEntry[]>;
  /** Replaces the file whole, or leaves it as it was; makes the folders on its way. The old one's mode is kept. */
  write(realPath: string, content: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  makeFolder(realPath: string, options?: { readonly mode?: number }): Promise<void>;
  makeLink(realPath: string, target: string): Promise<void>;
  /** A file, a link (not what it leads to), or a folder with all that is in it. */
  remove(realPath: string): Promise<void>;
  /** Throws ToolFailure when something is at `to` already. */
  move(realPath: string, to: string): Promise<void>;
}

export type CommandOptions = {
  /** Where it runs; the workspace's root when left out. */
  readonly cwd?: string;
  /** Set beside what it inherits. */
  readonly env?: { readonly [name: string]: string };
  /** What the command was decided on for: this shell reads the text, and its variables are set. */
  readonly executor?: Executor;
  /** Runs it in a terminal of this size, for programs that behave otherwise without one. */
  readonly pty?: { readonly columns: number; readonly rows: number };
  /** Ends it, with everything it started. */
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** Hears in which terminal of an ACP client it runs, where it does: the client shows it. */
  readonly onTerminal?: (clientTerminalId: string) => void;
};

export interface Commands {
  /** Which shell reads a text. A workspace that does not say has one of which nothing is known. */
  executor?(): Promise<Executor>;
  /** A text is read by a shell; a list of words is run as it is, by no shell. */
  runCommand(command: string | readonly string[], options: CommandOptions): Promise<CommandExit>;
}

export interface Workspace extends Files, Commands {}
