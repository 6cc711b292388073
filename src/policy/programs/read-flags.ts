/**
 * Separates the flags of a command line from its words, as the program itself would.
 *
 * Fails closed: a flag that is not described, an abbreviation, a value where none is taken and a value that looks like
 * a flag are each a doubt, never skipped.
 */
import type { Flag, NestedCommands, Program, Seen, SeenFlag } from "./program.js";

/** How one word was read: as an option, as the value of one, or as a word of the program. */
export type WordRole = {
  readonly word: string;
  readonly role: "option" | "value" | "word";
  readonly of?: string;
};

export type FlagsRead = Seen & { readonly doubts: readonly string[]; readonly roles: readonly WordRole[] };

/** The arguments of a program: its flags and words, the commands in them, and the subcommand that its first word names. */
export type ReadArguments = {
  readonly nested: NestedCommands | undefined;
  readonly seen: FlagsRead;
  readonly first: string | undefined;
  readonly rest: readonly string[];
  readonly sub: Program | undefined;
};

/** `parents`: the programs whose flags this one inherits. */
export function readArguments(
  program: Program,
  parents: readonly Program[],
  args: readonly string[],
): ReadArguments {
  const nested = program.nested?.(args);
  const own = nested?.words ?? args;
  const seen = readFlags([program, ...parents], program.prepare ? program.prepare(own) : own);
  const [first, ...rest] = seen.words;
  return { nested, seen, first, rest, sub: first === undefined ? undefined : program.subcommand?.(first) };
}

/** `programs`: the command's own description, then those whose flags it inherits. */
export function readFlags(programs: readonly Program[], args: readonly string[]): FlagsRead {
  const reader = new FlagReader(programs, args);
  reader.readAll();
  const { flags, words, doubts, roles } = reader;
  const named = (names: string[]) => flags.filter(({ name }) => names.includes(name));
  return {
    flags,
    words,
    doubts,
    roles,
    has: (...names) => named(names).length > 0,
    values: (...names) => named(names).flatMap(({ value }) => (value === undefined ? [] : [value])),
  };
}

/** `--help` and `--version`: every described program answers them and does nothing else. */
const ASKS: Flag = { value: "none", meaning: "harmless", dashes: false };

/** Lives for one command line. */
class FlagReader {
  readonly flags: SeenFlag[] = [];
  readonly words: string[] = [];
  readonly doubts: string[] = [];
  readonly roles: WordRole[] = [];
  private readonly programs: readonly Program[];
  private readonly args: readonly string[];
  private at = 0;

  constructor(programs: readonly Program[], args: readonly string[]) {
    this.programs = programs;
    this.args = args;
  }

  readAll(): void {
    const own = this.programs[0];
    while (this.at < this.args.length) {
      const word = this.args[this.at] ?? "";
      this.at += 1;
      if (word === "--") {
        // find, java and similar programs read flags behind it too.
        if (own?.style === "whole") this.doubts.push('"--" does not end the flags of this program');
        this.roles.push({ word, role: "option" });
        this.addWords(this.args.slice(this.at));
        return;
      }
      if (word.startsWith("-") && word !== "-") {
        this.roles.push({ word, role: "option" });
        this.readFlag(word);
      } else if (own?.plus && word.startsWith("+")) {
        this.roles.push({ word, role: "option" });
        if (!own.plus.test(word)) this.doubts.push(`"${word}" is not known to be harmless`);
      } else if (own?.style === "first" || own?.subcommand) {
        this.addWords([word, ...this.args.slice(this.at)]);
        return;
      } else {
        this.addWords([word]);
      }
    }
  }

  private addWords(words: readonly string[]): void {
    this.words.push(...words);
    this.roles.push(...words.map((word) => ({ word, role: "word" as const })));
  }

  private readFlag(word: string): void {
    const whole = this.programs[0]?.style === "whole";
    if (word.startsWith("--") || whole) this.readLong(word);
    else if (this.programs[0]?.numbers && /^-\d+$/.test(word)) return;
    else this.readBundle(word);
  }

  private readLong(word: string): void {
    const equals = word.indexOf("=");
    const name = equals === -1 ? word : word.slice(0, equals);
    const attached = equals === -1 ? undefined : word.slice(equals + 1);
    const flag = this.find(name);
    if (flag) this.take(name, flag, attached);
    else if (!this.takePrefix(word)) this.doubts.push(`"${name}" is not a flag known to be harmless`);
  }

  private takePrefix(word: string): boolean {
    for (const program of this.programs) {
      const found = program.flags.prefixes.find(([prefix]) => word.startsWith(prefix));
      if (!found) continue;
      const [prefix, flag] = found;
      this.record({ name: prefix, value: word.slice(prefix.length), flag });
      return true;
    }
    return false;
  }

  /** `-la`, `-n5`, `-ofile`: letter by letter, until one takes the rest as its value. */
  private readBundle(word: string): void {
    for (let index = 1; index < word.length; index += 1) {
      const name = `-${word.charAt(index)}`;
      const rest = word.slice(index + 1);
      const flag = this.find(name);
      if (!flag) {
        if (index === 1 && this.takePrefix(word)) return;
        this.doubts.push(`"${name}" is not a flag known to be harmless`);
        return;
      }
      if (flag.value !== "none") {
        this.take(name, flag, rest === "" ? undefined : rest);
        return;
      }
      this.take(name, flag, undefined);
    }
  }

  private find(name: string): Flag | undefined {
    for (const program of this.programs) {
      const flag = program.flags.exact.get(name);
      if (flag) return flag;
    }
    return name === "--help" || name === "--version" ? ASKS : undefined;
  }

  private take(name: string, flag: Flag, attached: string | undefined): void {
    if (flag.value === "none" && attached !== undefined && !/^(?:true|false)$/.test(attached)) {
      this.doubts.push(`"${name}" takes no value that is known here, yet it is given "${attached}"`);
    }
    if (flag.value !== "required" || attached !== undefined) {
      this.record({ name, value: attached, flag });
      return;
    }
    const next = this.args[this.at];
    this.at += 1;
    if (next !== undefined) this.roles.push({ word: next, role: "value", of: name });
    if (next !== undefined && !flag.dashes && /^-[^\d.]/.test(next)) {
      this.doubts.push(`the value "${next}" of "${name}" looks like a flag`);
    }
    this.record({ name, value: next, flag });
  }

  private record(seen: SeenFlag): void {
    this.flags.push(seen);
    const { name, value, flag } = seen;
    if (value !== undefined && flag.choices?.every((choice) => choice.test(value)) === false)
      this.doubts.push(`"${value}" is not a value of "${name}" known to be harmless`);
    if (seen.flag.meaning === "doubt") {
      this.doubts.push(`"${seen.name}" ${seen.flag.reason ?? "is not harmless"}`);
    }
  }
}
