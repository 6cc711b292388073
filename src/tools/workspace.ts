/** Where tools act: a folder with files, and a shell in it. A port, so that it can be elsewhere. */

export type CommandExit = { readonly exitCode?: number; readonly signal?: string };

export interface Workspace {
  /** The folder's real path. */
  readonly root: string;
  /**
   * The real path of a file or folder, links followed as far as it exists. Throws ToolFailure when it
   * lies outside of the workspace.
   */
  resolve(path: string): Promise<string>;
  /** Undefined when there is no such file. Throws ToolFailure for a folder or a file that is not text. */
  readText(realPath: string): Promise<string | undefined>;
  /** Replaces the file whole, or leaves it as it was. */
  writeText(realPath: string, text: string): Promise<void>;
  /** Runs a shell command in the workspace; the signal ends it with everything it started. */
  runCommand(
    command: string,
    options: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
  ): Promise<CommandExit>;
}
