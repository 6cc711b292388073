/**
 * The place where tools act: folders with files, and a shell in them. A port, because the files can be elsewhere, for
 * example in an editor. The workspace does not decide what is allowed: a path may lead anywhere, and the rules decide
 * on it. The workspace enforces the decision: it acts on a real path only while that is the real path, so that no link
 * put in its way leads a call elsewhere.
 */
import type { CallProcess, SandboxRefusal } from "../call/index.js";
import type { Containment, Executor } from "../policy/index.js";
import type { Staying } from "../policy/policy.js";
import type { WorkspaceKeeper } from "./kept-workspace/workspace-keeper.js";

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
  /** Toolgate's own files and folders: no tool shows their content when it finds them. */
  readonly own?: readonly string[];
  /** The session's folder for temporary files, as a real path: rules leave it open. Only a session's workspace has one. */
  readonly scratch?: string;
  /**
   * The real path, links followed as far as it exists, inside the workspace or not. With `keepLink` the last name is
   * not followed: for a caller that acts on the link itself. Throws ToolFailure when it cannot be walked.
   */
  resolve(path: string, options?: { readonly keepLink?: boolean }): Promise<string>;
  /** Information about the path, links not followed; undefined when nothing is there. */
  look(realPath: string): Promise<FileInfo | undefined>;
  /** The target of a link, as written. */
  readLink(realPath: string): Promise<string>;
  /** Undefined when there is no such file. Throws ToolFailure for a folder or a file that is not text. */
  readText(realPath: string): Promise<string | undefined>;
  /** Bytes of a file, as many as asked for and there; `size` is the whole file's. Undefined when there is no such file. */
  readBytes(
    realPath: string,
    range: { readonly from?: number; readonly length: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number } | undefined>;
  /** The entries of a folder, sorted by name. Throws ToolFailure when it is not a folder. */
  list(realPath: string): Promise<readonly FolderEntry[]>;
  /** Replaces the file whole, or leaves it as it was; makes the folders on its way. The old one's mode is kept. */
  write(realPath: string, content: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  /** A folder that is there already stays; with a mode, it gets that one. */
  makeFolder(realPath: string, options?: { readonly mode?: number }): Promise<void>;
  makeLink(realPath: string, target: string): Promise<void>;
  /** A file, a link (not what it leads to), or a folder with its contents. */
  remove(realPath: string): Promise<void>;
  /** Throws ToolFailure when something is at `to` already. */
  move(realPath: string, to: string): Promise<void>;
}

export type CommandOptions = {
  /** Where it runs; the workspace's root when left out. */
  readonly cwd?: string;
  /** Variables to set beside the inherited ones. */
  readonly env?: { readonly [name: string]: string };
  /** The executor that the command was approved for: its shell reads the text, and its variables are set. */
  readonly executor?: Executor;
  /** The folder for temporary files, writable also in a sandbox. */
  readonly scratch?: string;
  /** Paths in the system's temporary folder that the command may make: see Intent.temporary. */
  readonly temporary?: readonly string[];
  /** Runs it in a terminal of this size, for programs that behave otherwise without one. */
  readonly pty?: { readonly columns: number; readonly rows: number };
  /** Ends it, with everything it started. */
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** Called when the command runs, where it is a process of this machine. */
  readonly onStart?: (process: CallProcess) => void;
  /**
   * Runs it in the workspace's sandbox, which guards these paths beside the protected names. Where there is none, the
   * command is not run.
   */
  readonly contained?: Containment;
  /** Called when a command in a sandbox has ended, with the refusals of the sandbox. */
  readonly onRefused?: (refusals: readonly SandboxRefusal[]) => void;
  /** Called with the terminal's id when the command runs in a terminal of an ACP client, which then shows it. */
  readonly onTerminal?: (clientTerminalId: string) => void;
};

export interface Commands {
  /** The sandbox for contained commands; absent where none was proved to hold. */
  readonly containing?:
    | {
        trouble(): string | undefined;
        /** `session`: its scratch folder, by which its commands find the servers that they left in the sandbox. */
        staying?(session: string): Staying | undefined;
        endStaying?(session: string): void;
      }
    | undefined;
  /** The shell that reads a text; unknown for a workspace without this method. */
  executor?(): Promise<Executor>;
  /** A text is read by a shell; a list of words is run as it is, by no shell. */
  runCommand(command: string | readonly string[], options: CommandOptions): Promise<CommandExit>;
}

export interface Workspace extends Files, Commands {
  /**
   * The session's own names that a path or a pattern directly in the system's temporary folder stands for; none when
   * something of others is among them. `isMade`: the call writes it, so that it may also be new. Only a session's
   * workspace knows.
   */
  ownTemporary?(path: string, isMade: boolean): Promise<readonly string[]>;
  /** Keeps the workspace before commands, so that they can be undone. Without it they cannot. */
  readonly keeper?: WorkspaceKeeper | undefined;
  /** The files as programs find them, where others are shown here: the texts of an editor that were not saved. */
  readonly disk?: Files | undefined;
  /** A view for one call. Only a workspace whose reads are requests to somebody else has one. */
  readonly callView?: (() => CallView) | undefined;
  /** Called when the session that uses the workspace is closed. */
  release?(): Promise<void>;
}

/**
 * The workspace for one call: it requests a text once, and again when the file on the disk has changed, when the text is
 * older than a second, or after `forgetTexts`.
 */
export type CallView = { readonly workspace: Workspace; readonly forgetTexts: () => void };
