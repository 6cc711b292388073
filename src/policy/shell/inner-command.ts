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
} & (
  | { readonly argv: readonly string[]; readonly text?: undefined }
  | {
      readonly text: string;
      readonly argv?: undefined;
      /** The language of the shell that reads the text: the one around it for "same", any of the family when left out. */
      readonly language?: ShellLanguage | "same";
    }
);

export type InnerCommands = {
  readonly insides: readonly InnerCommand[];
  readonly doubts: readonly string[];
  /** The program is one that runs others. */
  readonly known: boolean;
};
