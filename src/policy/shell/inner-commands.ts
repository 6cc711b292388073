/**
 * The commands that a command runs besides itself: the words or the text inside `sudo`, `bash -c`, `find -exec` …
 * Words that can be read in two ways give both readings, with a doubt.
 */
import { baseName } from "./base-name.js";
import { insideFind } from "./inside-find.js";
import { insideGit } from "./inside-git.js";
import { insideRunner } from "./inside-runner.js";
import { insideShell } from "./inside-shell.js";
import { insideWrapper } from "./inside-wrapper.js";
import type { InnerCommands } from "./inner-command.js";
export type { InnerCommand, InnerCommands } from "./inner-command.js";

const READERS = [insideShell, insideFind, insideGit, insideRunner, insideWrapper];

export function innerCommands(argv: readonly string[]): InnerCommands {
  const [program = "", ...words] = argv;
  const name = baseName(program);
  for (const reader of READERS) {
    const seen = reader(name, words);
    if (seen) return seen;
  }
  return { insides: [], doubts: [], known: false };
}
