/** Programs that run their input as code when no script is named. */
import { baseName } from "./base-name.js";
import { isShell, readShellOptions } from "./shell-options.js";
import { excerpt } from "./excerpt.js";

const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl[\d.]*|ruby[\d.]*|irb|php[\d.]*|lua[\d.]*|luajit|tclsh[\d.]*|expect|osascript|pwsh|powershell|Rscript|R|julia|ghci|guile|sbcl|jshell|groovysh|scala|swift|erl|iex|gdb|lldb|ex|crontab|psql|mysql|sqlite3)$/;
/** Programs that always read commands from their input. */
const ALWAYS = /^(?:at|batch|ed|dc)$/;
const ONLY_SHOWS = /^(?:-V+|-h|-\?|--version|--help)$/;

export function interpreterDoubts(argv: readonly string[]): readonly string[] {
  if (!readsCommandsFromInput(argv)) return [];
  return [`${excerpt(argv[0] ?? "")} runs commands that it reads from its input`];
}

/** Whether its input is shell text, which can be read here too. */
export function readsShellFromInput(argv: readonly string[]): boolean {
  return isShell(baseName(argv[0] ?? "")) && readsCommandsFromInput(argv);
}

function readsCommandsFromInput(argv: readonly string[]): boolean {
  const [program = "", ...words] = argv;
  const name = baseName(program);
  if (isShell(name)) {
    const { texts, operands, asksInput } = readShellOptions(words);
    if (texts.length > 0) return false;
    return asksInput || operands.length === 0
      ? !words.some((word) => ONLY_SHOWS.test(word))
      : isInput(operands[0]);
  }
  if (ALWAYS.test(name)) return true;
  if (!INTERPRETERS.test(name)) return false;
  if (words.some(isInput)) return true;
  // With `-v` alone these print their version and end; with more words it makes them talkative.
  if (words.length === 1 && words[0] === "-v" && PRINTS_VERSION.test(name)) return false;
  return words.every((word) => word.startsWith("-")) && !words.some((word) => ONLY_SHOWS.test(word));
}

const PRINTS_VERSION = /^(?:node|nodejs|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit)$/;

function isInput(word: string | undefined): boolean {
  return word === "-" || word === "/dev/stdin" || word === "/dev/fd/0" || word === "/proc/self/fd/0";
}
