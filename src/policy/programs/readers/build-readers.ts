/** Readers for the programs of data/build.json. */
import type { Effects, NestedCommands, Reader } from "../program.js";
import { ANY_HOST } from "./web-address.js";

/** Formats into which the pictures of a page are put, which are fetched for that. */
const EMBEDS = /(?:^|\.)(?:docx|odt|pptx|epub\d?|fb2|rtf|pdf|icml)$/;

/** pandoc fetches a template or a style by its address as well as a page. */
const pandoc: Reader = {
  effects: (_words, seen) => {
    const outputs = seen.values("-o", "--output", "-t", "--to", "-w", "--write");
    return {
      urls: [
        ...seen
          .values(
            "--bibliography",
            "--csl",
            "--reference-doc",
            "--epub-cover-image",
            "--template",
            "-c",
            "--css",
          )
          .filter((value) => /^\w+:/.test(value)),
        ...(outputs.some((output) => EMBEDS.test(output)) ? [ANY_HOST] : []),
      ],
      runs: outputs.some((output) => /(?:^|\.)pdf$/.test(output)),
    };
  },
};

export const buildReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["assigned-paths", { effects: assignedPaths }],
  // ctest takes -j4, but no other flag of its kind takes an attached value.
  ["ctest", { prepare: (args) => args.map((word) => word.replace(/^-j(?=\d+$)/, "--parallel=")) }],
  // go takes long flags with one dash, beside words that are not its own.
  ["go-run", { prepare: (args) => args.map((word) => (/^-[a-z]{2,}/.test(word) ? `-${word}` : word)) }],
  ["java", { nested: beforeArguments }],
  ["pandoc", pandoc],
  ["jar", { prepare: withDashes }],
];

/** make writes to a prefix or a target folder (`PREFIX=/opt/x`). */
function assignedPaths(words: readonly string[]): Effects {
  return { writes: words.flatMap((word) => /^\w+=(?<path>[/~].*)$/.exec(word)?.groups?.["path"] ?? []) };
}

/** The words after the class, the jar or the source file belong to the program that java starts. */
function beforeArguments(args: readonly string[]): NestedCommands {
  const jar = args.indexOf("-jar");
  const main = args.findIndex(
    (word, index) =>
      !word.startsWith("-") && !/^(?:-cp|-classpath|--class-path)$/.test(args[index - 1] ?? ""),
  );
  const end = jar === -1 ? main : jar + 1;
  const words =
    end === -1 ? args : args.slice(0, end + 1).map((word) => (word === "-jar" ? "-server" : word));
  return { words, commands: [], mustOnlyRead: false };
}

/** `jar cmf manifest a.jar x`: letters without a dash, whose values follow in the same order. */
function withDashes(args: readonly string[]): readonly string[] {
  const [letters = "", ...rest] = args;
  if (!/^[ctxuvfme0M]+$/.test(letters)) return args;
  let taken = 0;
  const flags = letters.split("").flatMap((letter) => {
    if (!/[fme]/.test(letter)) return [`-${letter}`];
    taken += 1;
    return [`-${letter}`, rest[taken - 1] ?? ""];
  });
  return [...flags, ...rest.slice(taken)];
}
