/**
 * The shell that reads the texts of commands, and the words that start it.
 *
 * The rules read a text as bash does, so we start bash: by its absolute path, since PATH often contains project
 * folders, and in a way that nothing in the environment or in a profile changes how it reads. Without a bash that is
 * new enough, `sh` runs the text, and everything that it could read differently is in doubt.
 */
import type { Executor } from "../policy/index.js";
import { collectOutput } from "../process/index.js";

const PROGRAMS = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];
const OLDEST = [4, 4] as const;
const VERSION_TIMEOUT_MS = 5_000;

const ANY_SHELL: Executor = { shell: "/bin/sh", language: "sh" };

/** Found once for all workspaces of this process: each look starts a program. */
let found: Executor | undefined;

/** `programs`: where bash may be. */
export async function findShell(programs: readonly string[] = PROGRAMS): Promise<Executor> {
  if (programs === PROGRAMS && found) return found;
  for (const shell of programs) {
    const executor: Executor = { shell, language: "bash" };
    if (!(await isNewEnough(executor))) continue;
    if (programs === PROGRAMS) found = executor;
    return executor;
  }
  return ANY_SHELL;
}

/**
 * `-p`: neither BASH_ENV and exported functions nor SHELLOPTS, BASHOPTS, CDPATH and GLOBIGNORE are obeyed.
 * `--`: a text that begins with a dash is no option.
 */
export function shellWords({ shell, language }: Executor, text: string): readonly string[] {
  if (shell === undefined) return ["/bin/sh", "-c", "--", text];
  return language === "bash"
    ? [shell, "--noprofile", "--norc", "-p", "-c", "--", text]
    : [shell, "-c", "--", text];
}

async function isNewEnough(executor: Executor): Promise<boolean> {
  const [program = "", ...words] = shellWords(
    executor,
    'printf "%s" "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"',
  );
  try {
    const { exit, stdout } = await collectOutput([program, ...words], {
      env: {},
      timeoutMs: VERSION_TIMEOUT_MS,
    });
    if (exit.exitCode !== 0) return false;
    const [major = 0, minor = 0] = stdout.toString().split(".").map(Number);
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  } catch {
    // The program is missing or does not run: try the next one.
    return false;
  }
}
