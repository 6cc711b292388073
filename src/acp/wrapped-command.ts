/**
 * Wraps a shell command for a client's terminal, so that a plain terminal runs it as we would. Our own client
 * unwraps it, since its terminals do the same: questions and approvals are about the command itself.
 */
import { shellWords } from "../tools/find-shell.js";
import { FORCED_GIT_SETTINGS } from "../policy/forced-git-settings.js";
import type { Executor } from "../policy/index.js";

/** A client only adds variables. These variables would lead git past the repository whose settings were checked. */
const WITHOUT_GIT_VARIABLES: readonly string[] = [
  "/usr/bin/env",
  ...[
    "GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_EXEC_PATH",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_EXTERNAL_DIFF GIT_ATTR_SOURCE",
    "GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_IMPLICIT_WORK_TREE GIT_REPLACE_REF_BASE",
  ].flatMap((names) => names.split(" ").flatMap((name) => ["-u", name])),
];

type Variables = { readonly [name: string]: string };

/** The words that run the command in this shell; without git's variables where its settings are forced. */
export function wrappedCommand(
  command: string | readonly string[],
  executor: Executor,
  isForced: boolean,
): readonly string[] {
  const words = typeof command === "string" ? shellWords(executor, command) : command;
  return isForced ? [...WITHOUT_GIT_VARIABLES, ...words] : words;
}

export type Unwrapped = { readonly command: string; readonly env: Variables };

/** Undefined for words that were not wrapped just so. The variables that we set for each command are left out. */
export function unwrappedCommand(words: readonly string[], env: Variables): Unwrapped | undefined {
  const isPrefixed = WITHOUT_GIT_VARIABLES.every((word, index) => words[index] === word);
  const [shell = "", ...rest] = isPrefixed ? words.slice(WITHOUT_GIT_VARIABLES.length) : words;
  const command = rest.at(-1) ?? "";
  const own = shellWords({ shell, language: "bash" }, command);
  const isOurs =
    /^\/(?:usr\/)?bin\/bash$/.test(shell) && JSON.stringify(own) === JSON.stringify([shell, ...rest]);
  if (!isOurs) return undefined;
  return { command, env: Object.fromEntries(Object.entries(env).filter((one) => !isSetByUs(one))) };
}

function isSetByUs([name, value]: readonly [string, string]): boolean {
  if (name === "PATH") return isPartOfPath(value);
  return name === "TMPDIR" ? OWN_SCRATCH.test(value) : FORCED_GIT_SETTINGS[name] === value;
}

/** The folder that a session has for temporary files. */
const OWN_SCRATCH = /\/toolgate-\d+\/[\da-f-]+$/;

/** The search path of this process without some of its folders: nothing else is found by it. */
function isPartOfPath(path: string): boolean {
  const own = (process.env["PATH"] ?? "").split(":");
  let at = 0;
  return path.split(":").every((folder) => {
    at = own.indexOf(folder, at) + 1;
    return at > 0;
  });
}
