/** The commands inside a wrapper. */
import type { ShellLanguage } from "./shell-context.js";

export type InnerCommand = {
  readonly wrapper: string;
  /** The folder that the wrapper changes to first. */
  readonly folder?: string | undefined;
  /** The command runs in the shell itself, so a folder change in it lasts. */
  readonly sameShell?: boolean;
  /** The wrapper may end before the command does. */
  readonly isBackground?: boolean;
  /** The words among its own that stand for files which the wrapper finds. */
  readonly found?: Found;
} & (
  | { readonly argv: readonly string[]; readonly text?: undefined }
  | {
      readonly text: string;
      readonly argv?: undefined;
      /** The language of the shell that reads the text: the one around it for "same", any of the family when left out. */
      readonly language?: ShellLanguage | "same";
    }
);

/** Names of files below known folders. */
export type NamesBelow = {
  /** One pattern for each folder: `src/**` is any file below src. */
  readonly patterns: readonly string[];
  /** No name is a link. */
  readonly isFiles: boolean;
  /** The names leave out everything below a folder of packages. */
  readonly leavesPackages: boolean;
  /** The last part of each name matches one of these; empty when it may be any. */
  readonly only: readonly string[];
};

/** `splits`: the names are split at blanks. */
export type Found = NamesBelow & { readonly splits: boolean };

export type InnerCommands = {
  readonly insides: readonly InnerCommand[];
  readonly doubts: readonly string[];
  /** The program is one that runs others. */
  readonly known: boolean;
  /** The program does no more than to run the commands inside it, as they are. */
  readonly passesOn?: boolean;
};
