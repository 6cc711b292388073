/** The port by which the state of a workspace is kept before a command, so that the command can be undone. */

/** Before which commands the workspace is kept: contained ones, or all that may write. */
export type KeptCommands = "contained" | "writing";

export interface WorkspaceKeeper {
  readonly commands: KeptCommands;
  /** `roots`: the folders of the workspace, as real paths. */
  keep(roots: readonly string[], options?: KeepOptions): Promise<KeepOutcome>;
  /** Returns the changes since then; to be called once, when the command has ended. */
  changes(kept: KeptWorkspace): Promise<CommandChanges>;
  /** For a command that did not run. Does nothing after `changes`. */
  release(kept: KeptWorkspace): void;
}

export type KeepOptions = {
  /**
   * The command runs also when nothing is kept, because a person allowed it. Then less time is spent, and after a failure
   * none for a while.
   */
  readonly isOptional?: boolean;
};

/** The state of a workspace at one time. `reason`: why it could not be kept, as a part of a sentence. */
export type KeepOutcome = KeptWorkspace | { readonly type: "not-kept"; readonly reason: string };

export type KeptWorkspace = { readonly type: "kept"; readonly keptId: string };

/** A path that was changed and cannot be put back. */
export type UnkeptPath = { readonly path: string; readonly reason: string };

export type CommandChanges = {
  /** Absolute paths, in order. */
  readonly paths: readonly string[];
  readonly unkept: readonly UnkeptPath[];
  /** The changes with the earlier contents, in bundles of bounded size: see change-bundle.ts. */
  bundles(): AsyncIterable<Uint8Array>;
};
