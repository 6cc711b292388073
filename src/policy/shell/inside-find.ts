/** `find -exec … ;`, `fd -x …`. */
import type { InnerCommands } from "./inner-command.js";

const RUNS = new Map([
  ["find", /^-(?:exec|execdir|ok|okdir)$/],
  ["fd", /^(?:-[xX]|--exec|--exec-batch)$/],
  ["fdfind", /^(?:-[xX]|--exec|--exec-batch)$/],
]);

export function insideFind(name: string, words: readonly string[]): InnerCommands | undefined {
  const runs = RUNS.get(name);
  if (!runs) return undefined;
  const insides = [];
  const doubts = [];
  for (let index = 0; index < words.length; index++) {
    if (!runs.test(words[index] ?? "")) continue;
    const ends = words.findIndex(
      (word, at) => at > index && (word === ";" || (word === "+" && words[at - 1] === "{}")),
    );
    const argv = words.slice(index + 1, ends < 0 ? undefined : ends);
    insides.push({ wrapper: name, argv });
    // fd adds the file to every command; find only where the command says so.
    if (name !== "find" || ends < 0 || argv.some((word) => word.includes("{}"))) {
      doubts.push(`${name} adds the files that it finds to the command`);
    }
    if (ends < 0) break;
    index = ends;
  }
  return { insides, doubts, known: insides.length > 0 };
}
