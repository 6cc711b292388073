/** The place of a command in the text: the shell that reads it, the folder, and the commands around it. */
import type { Draft } from "./draft.js";
import type { Outcome } from "./outcome.js";
import type { Scope } from "./parameter-value.js";
import { normalisePath } from "../paths/match-path.js";
import type { ReadCommand } from "./read-shell.js";
import type { Way, Ways } from "./ways.js";

/** `sh` is any shell of the family: whatever they and bash read differently is a doubt. */
export type ShellLanguage = "bash" | "sh";

export type ShellContext = {
  readonly draft: Draft;
  /** The language of the shell that reads the text. */
  readonly language: ShellLanguage;
  readonly wrappers: readonly string[];
  readonly depth: number;
  /** The states the shell may be in. */
  readonly ways: Ways;
  /** The folder that the text starts in, when it is known, and inherited variables whose values are. */
  readonly cwd: string | undefined;
  readonly inherited: { readonly [name: string]: string };
  /** The loop around the command, in the same shell. */
  readonly loop?: Loop;
  /** Redirects of the groups around the command. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** The text on the command's input, when it is known. */
  readonly fed: string | undefined;
  /** The text of a here-document around the command. */
  readonly fedText: string | undefined;
  /** A part of the here-document is not known. */
  readonly isFedUnknown?: boolean;
  /** The commands that write to this command's input. */
  readonly feeds: readonly ReadCommand[];
  /** The shell does not wait for the command. */
  readonly isBackground?: true;
};

/** The changes of the shell's state that the commands of a loop body made. */
export type Loop = { isMoving: boolean; readonly assigned: Set<string> };

export function scopeOf({ changes, variables }: Way, { language, inherited, cwd }: ShellContext): Scope {
  return { variables, language, inherited, folder: () => folderAfter(changes, cwd, inherited["HOME"]) };
}

function folderAfter(
  changes: readonly string[],
  cwd: string | undefined,
  home: string | undefined,
): string | undefined {
  let folder = cwd;
  for (const change of changes) {
    const target = /^~(?:\/|$)/.test(change) ? home && home + change.slice(1) : change;
    folder = folder === undefined || target === undefined ? undefined : normalisePath(folder, target);
  }
  return folder;
}

export type WalkText = (text: string, context: ShellContext) => Outcome;
