/**
 * The project's services, by docker compose: to start and stop them, and statements in their databases that only look.
 * An "always" for one start already runs whatever the compose files say, so one for all of them gives no more power.
 * Nothing in it removes data: no volumes, no images.
 */
import type { CommandPart } from "../part.js";
import { normalisePath } from "../paths/match-path.js";
import { judgeArgv } from "../programs/judge-argv.js";
import { databaseLook } from "./looks-elsewhere.js";
import { isOwnFolder } from "./is-own-folder.js";

export type ComposeFamily = "docker compose *" | "docker compose exec *";

export function composeFamily(part: CommandPart, roots: readonly string[]): ComposeFamily | undefined {
  const { argv, judgement, read, cwd } = part;
  const [program = "", first] = argv;
  const isPlugin = program === "docker" && first === "compose";
  if ((!isPlugin && program !== "docker-compose") || !isOwnFolder(cwd, roots)) return undefined;
  if (judgement.doubts.length > 0 || read.wrappers.length > 0 || read.patterns.length > 0) return undefined;
  const isOwnFile = (word: string): boolean => {
    const path = normalisePath(cwd, word) ?? "/";
    return isOwnFolder(path.slice(0, path.lastIndexOf("/")), roots);
  };
  const words = afterOptions(argv.slice(isPlugin ? 2 : 1), isOwnFile);
  if (!words) return undefined;
  const [act = "", ...rest] = words;
  if (act === "exec") return looksInside(rest, part) ? "docker compose exec *" : undefined;
  const flags = act === "down" ? ENDS : STARTS_OR_STOPS.has(act) ? FLAGS : undefined;
  return flags && areNames(rest, flags) ? "docker compose *" : undefined;
}

const STARTS_OR_STOPS: ReadonlySet<string> = new Set(
  "up start restart stop build create pause unpause".split(" "),
);

/** Flags with a value end with an equals sign. */
const FLAGS: ReadonlySet<string> = new Set(
  [
    "-d --detach --build --wait --wait-timeout= --no-deps --no-build --no-recreate --force-recreate --remove-orphans",
    "-t= --timeout= --quiet-pull -q --quiet --no-cache --no-color --no-log-prefix --abort-on-container-exit",
    "--exit-code-from= --no-start",
  ].flatMap((line) => line.split(" ")),
);
const ENDS: ReadonlySet<string> = new Set("--remove-orphans -t= --timeout=".split(" "));
const EXEC: ReadonlySet<string> = new Set("-T --no-TTY -u= --user= --index=".split(" "));

const NAME = /^\w[\w.-]*$/;

/** The words behind the options of compose itself; undefined with one that leads to another project or machine. */
function afterOptions(
  words: readonly string[],
  isOwnFile: (word: string) => boolean,
): readonly string[] | undefined {
  const [word = "", value = "", ...rest] = words;
  if (/^(?:-f|--file)$/.test(word)) return isOwnFile(value) ? afterOptions(rest, isOwnFile) : undefined;
  if (/^--(?:profile|progress|ansi)$/.test(word))
    return NAME.test(value) ? afterOptions(rest, isOwnFile) : undefined;
  return word.startsWith("-") ? undefined : words;
}

/** Whether the words are such flags and plain names. */
function areNames(words: readonly string[], flags: ReadonlySet<string>): boolean {
  const [word = "", ...rest] = words;
  if (word === "") return words.length === 0;
  if (flags.has(`${word}=`)) return NAME.test(rest[0] ?? "") && areNames(rest.slice(1), flags);
  return (flags.has(word) || NAME.test(word)) && areNames(rest, flags);
}

/** `exec -T db psql -c 'select 1'`: a statement that only looks, or whether the database answers. */
function looksInside(words: readonly string[], part: CommandPart): boolean {
  const at = words.findIndex(
    (word, index) => !word.startsWith("-") && !EXEC.has(`${words[index - 1] ?? ""}=`),
  );
  const inner = words.slice(at + 1);
  if (at === -1 || inner.length === 0 || !areNames(words.slice(0, at + 1), EXEC)) return false;
  if (ANSWERS.test(inner.join(" "))) return true;
  return databaseLook({ ...part, argv: inner, judgement: judgeArgv(inner) }) !== undefined;
}

const ANSWERS =
  /^(?:pg_isready(?: -[qUdt] ?[\w-]+| -q)*|mysqladmin(?: -u ?\w+)? (?:ping|status)|redis-cli (?:ping|dbsize))$/i;
