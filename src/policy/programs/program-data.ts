/**
 * A program's command line as data: the files in data/, and those that a user keeps in the settings folder.
 *
 * `takes` says which flags there are and what each takes; the other fields say what flags and words do.
 * A description is a closed list: a flag, a word or a subcommand that it does not mention is doubted.
 *
 *     -a --all        takes nothing
 *     -n= --lines=    takes a value, attached or as the next word
 *     --color?        takes a value only when attached (`--color=auto`)
 *     -e=~            takes free text, which may begin with a dash
 *     -W*             takes any text that is attached (`-Wall`)
 *     --[no-]color    stands for both spellings
 */

/** Long lists are written as several strings; they are joined by a space. */
export type Text = string | readonly string[];

/** An effect that a clause gives to the words it picks. */
type EffectName =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "fetch"
  | "send"
  | "install"
  | "publish"
  | "deploy"
  | "reveal"
  | "run";

/**
 * One statement about flags and words together. The conditions must all hold; then the picked words get the
 * effect, raise the doubt, or both.
 */
export type Clause = {
  /** Conditions: one of these flags is there; none of these is; the first word is like this; it is not. */
  readonly with?: Text;
  readonly without?: Text;
  readonly first?: string;
  readonly notFirst?: string;
  /** How many words there are: "0", "1", "1+", "2+" … */
  readonly count?: string;
  /** Which words are picked; all of them when left out. */
  readonly of?: "all" | "first" | "second" | "third" | "rest" | "after second" | "last" | "but last";
  /** The values of these flags are picked, and no words. */
  readonly values?: Text;
  /** Picks this path, and no words. */
  readonly path?: string;
  /** Keeps only the picked words that match, or do not match, this pattern. */
  readonly like?: string;
  readonly unlike?: string;
  /** The words to use when nothing is picked. */
  readonly or?: string;
  readonly does?: EffectName;
  /** The effect may meet anything below the picked folder. Without a picked one, the folder where it runs. */
  readonly below?: true;
  /** One doubt for each picked word, which stands for `%`; without a `%`, one doubt in all. */
  readonly doubt?: string;
};

/** Names for what all words are; `does` adds to it. "text": names of things, of which paths elsewhere count as read. */
export type WordsName =
  | "text"
  | "verbatim"
  | "none"
  | "read"
  | "edit"
  | "delete"
  | "fetch"
  | "copy"
  | "pattern, read";

export type ProgramData = {
  /** A key of the file's `sources`. */
  readonly from?: string;
  /** Keys of the file's `shared`, whose flags this program has too. */
  readonly uses?: readonly string[];
  readonly takes?: Text;
  /** Flags whose value is a path that is read or edited, or a host or address. */
  readonly reads?: Text;
  readonly edits?: Text;
  readonly fetches?: Text;
  /** Flags after which the program no longer only reads. */
  readonly changes?: Text;
  /** Flags that are not harmless, with the reason that a person reads. */
  readonly doubts?: { readonly [flags: string]: string };
  readonly words?: WordsName;
  readonly does?: readonly Clause[];
  /** `anywhere` (GNU), `first`: the first word ends the flags, `whole`: long names with one dash, never bundled. */
  readonly style?: "anywhere" | "first" | "whole";
  /** `-20` is a number, as in `head -20`. */
  readonly numbers?: boolean;
  /** Words that begin with `+` and match are flags. */
  readonly plus?: string;
  /** On the closed list of programs that only read: no code, configuration or plugins from the folder, no pager, no network. */
  readonly onlyReads?: boolean;
  /**
   * `--help` or `--version` alone is answered without reading the folder: by the program itself ("alone"), or by its
   * subcommands too ("everywhere"). Programs that only read answer alone; any other runs whatever the folder makes it run.
   */
  readonly answers?: "alone" | "everywhere";
  /** Flags whose values are a closed set: a value that does not match this pattern as a whole is doubted. */
  readonly choices?: { readonly [flags: string]: string };
  /** Keys may name several subcommands, separated by blanks. */
  readonly subcommands?: { readonly [names: string]: ProgramData };
  /** Subcommands also take the flags of their parent. */
  readonly inherits?: boolean;
  /** The doubt when no word follows at all. */
  readonly bare?: string;
  /** A reader in readers/, for effects that no clause can describe. */
  readonly reader?: string;
};

/** Where a description comes from. */
type Source = {
  readonly program: string;
  readonly version: string;
  /** The source of the list: `--help`, the manual, memory. */
  readonly list: string;
};

export type ProgramFile = {
  readonly sources: { readonly [name: string]: Source };
  readonly shared?: { readonly [name: string]: ProgramData };
  /** Keys may name several programs, separated by blanks. */
  readonly programs: { readonly [names: string]: ProgramData };
};
