/** Takes the commands out of a find expression: `-exec grep x {} +`. */
import type { NestedCommands } from "../vocabulary.js";

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
  return { words, commands, mustOnlyRead: true };
}

const isEnd = (word: string, before: string | undefined) => word === ";" || (word === "+" && before === "{}");
