/** A program's description, ready to judge words by: made from its data by compile-program.ts. */

/** The effects of words, as they are written. Paths are still relative; a host may be an address. */
export type Effects = {
  /** Why an allow rule with `*` must not silently cover these words. */
  readonly doubts?: readonly string[];
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly deletes?: readonly string[];
  readonly moves?: readonly string[];
  /** Folders below which anything may be edited or deleted. */
  readonly editsBelow?: readonly string[];
  readonly deletesBelow?: readonly string[];
  /** Hosts or addresses that are asked for something, or sent something; "" when no word names the host. */
  readonly urls?: readonly string[];
  readonly sends?: readonly string[];
  /** The words that make it install, publish, change what runs elsewhere, or handle secrets: see named-acts.ts. */
  readonly installs?: readonly string[];
  readonly publishes?: readonly string[];
  readonly deploys?: readonly string[];
  readonly reveals?: readonly string[];
  /** The program runs code of the folder: scripts, tests, plugins, hooks. */
  readonly runs?: boolean;
  /** Files that it runs, where words name them: a script, a program of the folder. */
  readonly runsFiles?: readonly string[];
  /** The program takes the names of files from a list that is in none of its words. */
  readonly takesList?: boolean;
};

export type FlagMeaning = "harmless" | "changes" | "reads" | "writes" | "url" | "doubt";

export type Flag = {
  readonly value: "none" | "required" | "attached";
  readonly meaning: FlagMeaning;
  /** The value may begin with a dash; elsewhere such a value is doubted, since we may have its arity wrong. */
  readonly dashes: boolean;
  readonly reason?: string;
  /** Each value that is known matches all of these; any other is doubted. */
  readonly choices?: readonly RegExp[];
};

export type SeenFlag = { readonly name: string; readonly value: string | undefined; readonly flag: Flag };

/** A command line split into flags and words. */
export type Seen = {
  readonly flags: readonly SeenFlag[];
  readonly words: readonly string[];
  readonly has: (...names: string[]) => boolean;
  readonly values: (...names: string[]) => readonly string[];
};

export type FlagTable = {
  readonly exact: ReadonlyMap<string, Flag>;
  readonly prefixes: readonly (readonly [string, Flag])[];
};

/** The traits of a program that only code can describe. Each part is optional. */
export type Reader = {
  /** Rewrites an old spelling (`tar xzf`) before it is read. */
  readonly prepare?: (args: readonly string[]) => readonly string[];
  /** Takes out the commands that this one runs; they are judged on their own. */
  readonly nested?: (args: readonly string[]) => NestedCommands;
  /** The effects of flags and words together, beside those in the data. */
  readonly effects?: (words: readonly string[], seen: Seen) => Effects;
};

export type NestedCommands = {
  /** The words that are left for the program itself. */
  readonly words: readonly string[];
  readonly commands: readonly (readonly string[])[];
  /** A person who allowed the outer program expects only reads of the inner one. */
  readonly mustOnlyRead: boolean;
  /** The commands run on another machine: their paths are not paths here. */
  readonly elsewhere?: boolean;
};

export type Program = Reader & {
  readonly flags: FlagTable;
  readonly style?: "anywhere" | "first" | "whole";
  readonly numbers?: boolean;
  readonly plus?: RegExp;
  readonly onlyReads: boolean;
  /** Where `--help` and `--version` are answered without reading the folder. */
  readonly answers?: "alone" | "everywhere";
  /** The first word names one of these; any other word is doubted. */
  readonly subcommand?: (name: string) => Program | undefined;
  readonly inherits?: boolean;
  readonly bare?: string;
  readonly wordEffects: (words: readonly string[], seen: Seen) => Effects;
};
