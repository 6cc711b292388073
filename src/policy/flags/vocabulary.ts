/**
 * The words in which a program's command line is described.
 *
 * A description is a list of what is known to be harmless; whatever is not written down is doubted.
 * Flags are written as one text, each with a mark that says what follows it:
 *
 *     -a --all        takes nothing
 *     -n= --lines=    takes a value, attached or as the next word
 *     --color?        takes a value only when attached (`--color=auto`)
 *     -f=< -o=> -u=@  the value is a path that is read, a path that is written, a url or host
 *     -e=~            the value is free text and may itself begin with a dash
 *     -W*             any text may be attached (`-Wall`)
 *     --[no-]color    both spellings
 */
export type Effects = {
  readonly doubts?: readonly string[];
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly deletes?: readonly string[];
  readonly urls?: readonly string[];
  readonly takesList?: boolean;
};

type FlagValue = "none" | "required" | "attached";
type FlagMeaning = "harmless" | "changes" | "reads" | "writes" | "url" | "doubt";

export type Flag = {
  readonly value: FlagValue;
  readonly meaning: FlagMeaning;
  /** The value may begin with a dash; elsewhere such a value is doubted, since we may have its arity wrong. */
  readonly dashes: boolean;
  readonly reason?: string;
};

export type SeenFlag = { readonly name: string; readonly value: string | undefined; readonly flag: Flag };

/** A command line after its flags were told from its words. */
export type Seen = {
  readonly flags: readonly SeenFlag[];
  readonly words: readonly string[];
  readonly has: (...names: string[]) => boolean;
  readonly values: (...names: string[]) => readonly string[];
};

/**
 * What the words that are not flags are. `copy`: the last one is written, the others are read. `text`: names of
 * things; one that is plainly a path elsewhere still counts as read. `verbatim`: any text at all.
 */
export type Words =
  | "text"
  | "verbatim"
  | "none"
  | "reads"
  | "writes"
  | "deletes"
  | "urls"
  | "copy"
  | "pattern, reads"
  | ((words: readonly string[], seen: Seen) => Effects);

export type Spec = {
  /** Flags that only change how something is shown or chosen. */
  readonly flags?: string;
  /** Harmless flags after which the command no longer only reads. */
  readonly changes?: string;
  /** Flags that are known to run code, leak or overwrite, with the reason that a person is told. */
  readonly doubt?: Readonly<Record<string, string>>;
  /**
   * `anywhere`: flags may follow words (GNU). `first`: the first word ends them. `whole`: long names with
   * one dash, never bundled (find, go, java).
   */
  readonly style?: "anywhere" | "first" | "whole";
  /** `-20` is a number, as in `head -20`. */
  readonly numbers?: boolean;
  /** Words that begin with `+` and match are flags, as in `less +20`. Those that do not match are doubted. */
  readonly plus?: RegExp;
  readonly words?: Words;
  readonly onlyReads?: boolean;
  /** The first word names one of these; any other word is doubted. */
  readonly subcommands?: Readonly<Record<string, Spec>>;
  /** Subcommands also take the flags of their parent. */
  readonly inherits?: boolean;
  /** What is said when no word follows at all. */
  readonly bare?: string;
  /** Rewrites an old spelling (`tar xzf`) before it is read. */
  readonly prepare?: (words: readonly string[]) => readonly string[];
  /** Takes out the commands that this one runs; they are judged on their own. */
  readonly nested?: (words: readonly string[]) => NestedCommands;
  /** What only a look at flags and words together shows. */
  readonly check?: (seen: Seen) => Effects;
};

export type NestedCommands = {
  /** What is left for the program itself. */
  readonly words: readonly string[];
  readonly commands: readonly (readonly string[])[];
  /** Whoever allowed the outer program expects no more of the inner one than reading. */
  readonly mustOnlyRead: boolean;
  /** They run on another machine: their paths are not paths here. */
  readonly elsewhere?: boolean;
};

export type Programs = Readonly<Record<string, Spec>>;

export type FlagTable = {
  readonly exact: ReadonlyMap<string, Flag>;
  readonly prefixes: readonly (readonly [string, Flag])[];
};

const tables = new Map<Spec, FlagTable>();

/** The flags of a description, looked up by name; made when first asked for, since most never are. */
export function flagTable(spec: Spec): FlagTable {
  const known = tables.get(spec);
  if (known) return known;
  const exact = new Map<string, Flag>();
  const prefixes: [string, Flag][] = [];
  const add = (text: string, meaning: FlagMeaning, reason?: string) => {
    for (const token of text.split(/\s+/)) {
      if (token === "") continue;
      const { names, flag, open } = readToken(token, meaning, reason);
      for (const name of names) {
        if (open) prefixes.push([name, flag]);
        else exact.set(name, flag);
      }
    }
  };
  add(spec.flags ?? "", "harmless");
  add(spec.changes ?? "", "changes");
  // Last, so that a flag written down twice is doubted.
  for (const [text, reason] of Object.entries(spec.doubt ?? {})) add(text, "doubt", reason);
  prefixes.sort(([one], [other]) => other.length - one.length);
  const table = { exact, prefixes };
  tables.set(spec, table);
  return table;
}

const TOKEN = /^(?<name>[-+]{1,2}[^=?*<>@~]*)(?<value>[=?]?)(?<mark>[<>@~]?)(?<open>\*?)$/;

function readToken(token: string, meaning: FlagMeaning, reason: string | undefined) {
  const parts = TOKEN.exec(token)?.groups;
  if (!parts) throw new Error(`"${token}" is not a flag in the vocabulary of src/policy/flags.`);
  const { name = "", value = "", mark = "", open = "" } = parts;
  const flag: Flag = {
    value: value === "=" ? "required" : value === "?" || open !== "" ? "attached" : "none",
    meaning: meaning === "doubt" ? "doubt" : (MARKS.get(mark) ?? meaning),
    dashes: mark === "~",
    ...(reason !== undefined && { reason }),
  };
  const names = name.includes("[no-]") ? [name.replace("[no-]", ""), name.replace("[no-]", "no-")] : [name];
  return { names, flag, open: open !== "" };
}

const MARKS: ReadonlyMap<string, FlagMeaning> = new Map([
  ["<", "reads"],
  [">", "writes"],
  ["@", "url"],
]);
