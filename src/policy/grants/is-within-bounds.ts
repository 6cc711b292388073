/** The bounds of a command that may be widened: its effects and words, beside the closed list of programs. */
import type { CommandPart } from "../part.js";
import { namedActs } from "../programs/named-acts.js";
import { readOwnWords, readPlainWords } from "../programs/plain-words.js";
import { isRisky, isRiskyFlag } from "./plain-class.js";
import { mayLoseWork } from "./git-work.js";
import { asksRegistry, mayFetch, mayReplaceFiles, standsAlone } from "./wide-commands.js";

/** The effects that builds, tests and checks have, and no others. */
export function isWithinBounds(
  part: CommandPart,
  { program, subcommand }: { readonly program: string; readonly subcommand: string },
): boolean {
  const { judgement } = part;
  const { doubts, sends, urls, deletes, moves, deletesBelow, isKnown, takesList } = judgement;
  if (!isKnown || takesList || part.elsewhere.length > 0) return false;
  // `git mv` loses nothing: it does not replace a file, and git has the files that it moves.
  const isMoving = moves.length > 0 && !(program === "git" && subcommand === "mv");
  if (doubts.length > 0 && !hasPlainFlags(part, program) && !looksByOwnFile(part)) return false;
  if (sends.length > 0 && !(program === "kubectl" && isDryRun(subcommand, part.argv))) return false;
  if (deletes.length > 0 || isMoving) return false;
  if (namedActs(judgement).length > 0) return false;
  if (
    part.argv.some((word) => OPENS_BROWSER.test(word)) ||
    (/^gl?(?:h|ab)$/.test(program) && part.argv.includes("-w"))
  )
    return false;
  if (program === "kubectl" && part.argv.some((word) => KUSTOMIZATION.test(word))) return false;
  if (program === "git" && mayLoseWork(subcommand, part.argv)) return false;
  if (/^c(?:make|test)$/.test(program) && part.argv.some((word) => PRESET.test(word))) return false;
  if (RUNS.test(subcommand) && standsAlone(program, subcommand) && !isPlainRun(part.argv.slice(2)))
    return false;
  if (program === "go" && subcommand !== "doc" && part.argv.some((word) => FOREIGN_PACKAGE.test(word)))
    return false;
  if (urls.some((url) => url !== "") || (urls.length > 0 && !mayFetch(program))) return false;
  if (deletesBelow.length > 0 && !mayReplaceFiles(program, subcommand)) return false;
  if (program === "git" && subcommand === "mv")
    return !part.argv.some((word) => /^-[a-zA-Z]*f|^--force/.test(word));
  if (asksRegistry(program, subcommand) && !part.argv.slice(2).every(isPackageWord)) return false;
  return (
    FORMATS.has(program) || judgement.writes.every((path) => RESULT.test(path) && !BUILD_FILE.test(path))
  );
}

/** `kubectl diff -k overlays/dev` fetches what the files there name. */
const KUSTOMIZATION = /^(?:-k|--kustomize)/;

/** The cluster compares what the files say with what it has. */
const isDryRun = (subcommand: string, argv: readonly string[]): boolean =>
  subcommand === "diff" || argv.some((word) => /^--dry-run=(?:client|server)$/.test(word));

/** A package by its name; a path, an owner with a repository and an address are code from elsewhere. */
const isPackageWord = (word: string): boolean =>
  word.startsWith("-")
    ? !word.includes("/")
    : /^(?:@[\w.-]+\/)?[\w.-]*(?:@[\w.^~<>=*-]+)?$/.test(word) && !/^\.*$/.test(word);

/**
 * Whether the only doubts are about flags that nobody described, of a checker that stays on this machine, and the words
 * are as plain as those of a checker that nobody described at all.
 */
function hasPlainFlags({ argv, judgement }: CommandPart, program: string): boolean {
  if (program === "git" || mayFetch(program) || SHOWS_SERVERS.has(program)) return false;
  const unknown = judgement.doubts.map((doubt) => UNKNOWN_FLAG.exec(doubt)?.groups?.["flag"]);
  const words = argv.slice(1);
  return (
    unknown.every((flag) => flag !== undefined && hasPlainValue(flag, words)) &&
    readPlainWords(words).doubts.length === 0
  );
}

/** `docker compose -f deploy/dev.yml ps`: to start what a file says takes a usual name; a look does not. */
const looksByOwnFile = ({ argv, judgement: { doubts, reads, runs } }: CommandPart): boolean =>
  argv[0] === "docker" &&
  !runs &&
  doubts.every((doubt) => doubt.endsWith("is not a compose file of this project by its name")) &&
  reads.every((path) => /^(?:\.\/)?(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.ya?ml$/.test(path));

const SHOWS_SERVERS: ReadonlySet<string> = new Set(["docker", "pip", "pip3"]);

const UNKNOWN_FLAG = /: "(?<flag>[^"]+)" is not a flag known to be harmless$/;

/** A number or a name: a path may be where the flag writes, and code where it reads. */
function hasPlainValue(flag: string, words: readonly string[]): boolean {
  if (!/^--?[A-Za-z][\w-]*$/.test(flag) || isRiskyFlag(flag)) return false;
  return words.every((word, index) => {
    if (word.startsWith(`${flag}=`)) return isScalar(word.slice(flag.length + 1));
    return word !== flag || /^-|^$/.test(words[index + 1] ?? "") || isScalar(words[index + 1] ?? "");
  });
}

const isScalar = (value: string): boolean => /^[\w,:%+@-]+$/.test(value) && !isRisky(value);

/** Flags with which a program shows its result in another one. */
const OPENS_BROWSER = /^--?(?:open|web|browser|ui)(?:=|$)/;

/** The file of presets names folders, programs and steps that no word shows. */
const PRESET = /^--(?:preset|workflow)(?:=|$)/;

/** Subcommands that start the project's program with the words behind them. */
const RUNS = /^(?:run|r)$/;

/** Which program it starts, and what that one is to do, stand among the first words; a file has an extension. */
function isPlainRun(words: readonly string[]): boolean {
  const names = words
    .filter((_, index) => !/^(?:-c|--configuration)$/.test(words[index - 1] ?? ""))
    .flatMap((word) => (word.startsWith("-") ? word.split("=").slice(1) : [word]))
    .filter((word) => !/[^.]\.(?!go$|cs$|rs$|swift$)\w+$/.test(word))
    .slice(0, MAX_NAMES);
  return readOwnWords(words).isPlain && !names.some(isRisky) && !words.some(isRiskyFlag);
}

const MAX_NAMES = 3;

/** A package by its address: code of others, which the module cache has. */
const FOREIGN_PACKAGE = /^[\w-]+(?:\.[\w-]+)+\//;

/** Programs that write a named file again, with other blanks. */
const FORMATS: ReadonlySet<string> = new Set(["clang-format", "rustfmt", "gofmt", "shfmt"]);

/** Names that builds and tests give to their results; a source or a setting has another. */
const RESULT =
  /(?:^|\/)(?:[\w-]+|[\w.-]+\.(?:out|exe|o|a|so|dll|wasm|log|txt|xml|html|lcov|cov|prof|test|bin|jar|map|tsbuildinfo))$/;

/** Names without an extension that later builds read. */
const BUILD_FILE = /(?:^|\/)(?:\w*file|configure|gradlew|mvnw)$/i;
