/** Readers for the programs of data/system.json. */
import type { NestedCommands, Reader, Seen } from "../program.js";

/** The words belong to another program, and none of them makes this one harmless. */
const ignoresWords: Reader = { prepare: () => [] };

/** `kill -9` and `kill -SIGTERM`: the first word may be a signal. */
const kill: Reader = {
  prepare: (args) =>
    args.map((word, index) =>
      /^-(?:\d+|(?:SIG)?[A-Z]{2,}\d*)$/.test(word) && index === 0 && args.length > 1
        ? `--signal=${word.slice(1)}`
        : word,
    ),
};

/** `ps` takes `-axe` and `-auxe` for the old spellings without a dash, in which `e` shows the environment. */
const ps: Reader = {
  effects: (words, seen) => ({
    doubts: showsEnvironment(words, seen) ? ["shows the environment of processes, where secrets are"] : [],
  }),
};

function showsEnvironment(words: readonly string[], seen: Seen): boolean {
  const formats = [...words, ...seen.values("-o", "-O", "--format")];
  return (
    words.some((word) => /^[a-zA-Z]*[eE][a-zA-Z]*$/.test(word)) ||
    formats.some((format) => format.includes("environ")) ||
    (seen.has("-x") && seen.has("-e")) ||
    seen.values("-u").some((value) => /^x[a-zA-Z]*e/.test(value))
  );
}

/** `watch` joins its words to one line for a shell. */
const watch: Reader = { nested: takeWatched };

function takeWatched(args: readonly string[]): NestedCommands {
  const at = args.findIndex(
    (word, index) => !word.startsWith("-") && !/^(?:-n|--interval)$/.test(args[index - 1] ?? ""),
  );
  if (at === -1) return { words: args, commands: [], mustOnlyRead: true };
  const line = args.slice(at).join(" ");
  const isPlain = !/[^\w ./,:=@%+-]/.test(line);
  return {
    words: args.slice(0, at),
    commands: [isPlain ? line.split(" ").filter((word) => word !== "") : ["sh", "-c", line]],
    mustOnlyRead: true,
  };
}

export const systemReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["ignores-words", ignoresWords],
  ["kill", kill],
  ["ps", ps],
  ["watch", watch],
];
