/** Takes the commands out of a find expression: `-exec grep x {} +`. */
import { SECRET_NAMES } from "../path-effects.js";
import type { NestedCommands } from "../program.js";

export function findCommands(args: readonly string[]): NestedCommands {
  const words: string[] = [];
  const commands: string[][] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) {
      words.push(word);
      continue;
    }
    const end = args.findIndex((other, index) => index > at && isEnd(other, args[index - 1]));
    const stop = end === -1 ? args.length : end;
    commands.push(args.slice(at + 1, stop));
    at = stop;
  }
  const secrets =
    commands.length > 0 &&
    words.some(
      (word, index) =>
        /^-i?(?:name|path|wholename|regex)$/.test(words[index - 1] ?? "") && SECRET_NAMES.test(word),
    );
  // Files found by a secret's name are not to be read, by whatever program.
  return { words, commands: secrets ? [...commands, ["printenv"]] : commands, mustOnlyRead: true };
}

const isEnd = (word: string, before: string | undefined) => word === ";" || (word === "+" && before === "{}");
