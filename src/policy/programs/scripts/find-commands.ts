/**
 * Takes the commands out of a find expression: `-exec grep x {} +`.
 *
 * A command whose end GNU, busybox and BSD find could see elsewhere stays among the words, where `-exec` is not a
 * flag known to be harmless, and so is doubted.
 */
import { SECRET_NAMES } from "../path-effects.js";
import type { NestedCommands } from "../program.js";

/** A word may follow these and be theirs, also one that looks like `-exec`. */
const TAKES_VALUE =
  /^-(?:amin|anewer|atime|cmin|cnewer|ctime|D|f|fls|fprint0?|fprintf|fstype|files0-from|gid|group|ilname|iname|inum|ipath|iregex|iwholename|links|lname|maxdepth|mindepth|mmin|mtime|name|newer\w*|path|perm|printf|regex|regextype|samefile|size|type|uid|used|user|wholename|xtype|context|flags|xattrname)$/;

/** Stands for a file that was found: a path that no program takes for a flag, and no language for a script. */
export const FOUND_FILE = "./{}…";

export function findCommands(args: readonly string[]): NestedCommands {
  const words: string[] = [];
  const commands: string[][] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    const command = /^-(?:exec|execdir|ok|okdir)$/.test(word) ? commandAt(args, at) : undefined;
    if (!command) words.push(word);
    else {
      commands.push(command.map((part) => part.replaceAll("{}", FOUND_FILE)));
      at += command.length + 1;
    }
  }
  // Files found by a secret's name are not to be read, by whatever program.
  if (commands.length > 0 && asksForSecrets(words))
    return { words: [...args], commands: [], mustOnlyRead: true };
  return { words, commands, mustOnlyRead: true };
}

/** The words of the command behind `-exec`, or undefined when its end is not certain. */
function commandAt(args: readonly string[], at: number): string[] | undefined {
  const flag = args[at] ?? "";
  if (TAKES_VALUE.test(args[at - 1] ?? "")) return undefined;
  const end = args.findIndex((word, index) => index > at && (word === ";" || word === "+"));
  if (end === -1) return undefined;
  const command = args.slice(at + 1, end);
  const holders = command.filter((word) => word.includes("{}"));
  const takesMany = args[end] === "+";
  // With `+`, exactly one `{}` stands last; elsewhere some finds read on to the next `;`, and -ok takes none at all.
  const isKnownEnd = takesMany
    ? holders.length === 1 && command.at(-1) === "{}" && command.length > 1 && !flag.startsWith("-ok")
    : true;
  // In its folder, a plain name is another file than here.
  const isElsewhere = flag.endsWith("dir") && command.slice(1).some(mayBeFile);
  // Within a longer word it becomes a path that nobody has seen: `/etc/{}`.
  const isWhole = holders.every((word) => word === "{}");
  return isKnownEnd && isWhole && command.length > 0 && !isElsewhere ? command : undefined;
}

const mayBeFile = (word: string) => word !== "{}" && !word.startsWith("-");

const asksForSecrets = (words: readonly string[]) =>
  words.some(
    (word, index) =>
      /^-i?(?:name|path|wholename|regex)$/.test(words[index - 1] ?? "") && SECRET_NAMES.test(word),
  );
