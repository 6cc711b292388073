/** Where a command stands: which shell, in which folder, inside what. */
import type { Draft } from "./draft.js";
import type { Folders } from "./folders.js";
import type { Outcome } from "./outcome.js";
import type { ReadCommand } from "./read-shell.js";

/** `sh` is any shell of the family: whatever they and bash read differently is a doubt. */
export type ShellLanguage = "bash" | "sh";

export type ShellContext = {
  readonly draft: Draft;
  /** The language of the shell that reads the text. */
  readonly language: ShellLanguage;
  readonly wrappers: readonly string[];
  readonly depth: number;
  readonly folders: Folders;
  /** Redirects of the groups around it. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** The text on its input, when it is known. */
  readonly fed: string | undefined;
  /** The text of a here-document around it. */
  readonly fedText: string | undefined;
  /** The commands that write to its input. */
  readonly feeds: readonly ReadCommand[];
  /** No shell waits for it. */
  readonly isBackground?: true;
};

export type WalkText = (text: string, context: ShellContext) => Outcome;
