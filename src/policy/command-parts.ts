/**
 * The commands of an intent with their effects, and why they may do more or other than these say. The shell text is read
 * here and nowhere else.
 */
import { visibleText } from "../call/index.js";
import { commandPart } from "./command-part.js";
import type { Intent } from "./intent.js";
import type { CommandPart } from "./part.js";
import { linksInTheWay, withChangedFiles } from "./part-order.js";
import type { Places } from "./parts-of.js";
import { isProcessPath } from "./paths/is-process-path.js";
import { baseName } from "./shell/base-name.js";
import { readArgv, readShell } from "./shell/read-shell.js";
import type { ReadCommand, ShellReading } from "./shell/read-shell.js";
import { isHarmlessVariable } from "./shell/variable-names.js";
import { joined, valuesIn } from "./word-paths.js";

export type CommandParts = {
  readonly commands: readonly CommandPart[];
  readonly doubts: readonly string[];
};

export function commandParts(intent: Intent, { home, programs }: Places): CommandParts {
  const reading = readCommand(intent, home);
  const commands = withChangedFiles(
    reading.commands.map((command) =>
      commandPart(command, { start: intent.cwd, home, programs, links: intent.outsideLinks ?? [] }),
    ),
  );
  const env = Object.entries(intent.env ?? {})
    .filter(([name, value]) => !isHarmlessVariable(name, value))
    .map(([name]) => `the variable ${name} is set for it`);
  return {
    commands,
    doubts: [
      ...new Set([
        ...reading.doubts,
        ...env,
        ...reading.commands.flatMap((command) => otherNamesIn(command, intent.cwd)),
        ...linksInTheWay(commands, intent.paths),
        ...fedKeys(commands),
      ]),
    ],
  };
}

/** An editor reads its input as keys, and keys can run programs. */
function fedKeys(commands: readonly CommandPart[]): readonly string[] {
  return commands
    .filter(({ read }) => read.feeds.length + read.reads.length > 0 || read.fedText !== undefined)
    .filter(({ argv: [program = ""] }) => TAKES_KEYS.test(baseName(program)))
    .map(
      ({ argv: [program = ""] }) => `${visibleText(program)} reads its input as keys, which can run programs`,
    );
}

const TAKES_KEYS =
  /^(?:vi|vim|nvim|view|vimdiff|ex|emacs|emacsclient|nano|pico|micro|joe|mg|less|more|most|top|htop|gdb|lldb|tmux|screen|mutt|mail|mailx|lynx|w3m|links|tig|man|info)$/;

/** Words by which a command may reach a file that rules know under another name. */
function otherNamesIn({ argv, reads, writes, after }: ReadCommand, cwd: string): readonly string[] {
  const folder = after.reduce((here, change) => joined(here, change), cwd);
  return [...argv.slice(1).flatMap(valuesIn), ...reads, ...writes]
    .filter((word) => isProcessPath(joined(folder, word)))
    .map((word) => `${word} reaches a file by another name than its own`);
}

/** Every reader of a command's text reads it here, so that none sees other words than the rules do. */
export function readCommand(
  { command, executor, cwd }: Pick<Intent, "command" | "executor" | "cwd">,
  home: string,
): ShellReading {
  if (command === undefined) return { commands: [], doubts: [] };
  if (typeof command !== "string") return readArgv(command);
  const { language = "sh", known } = executor ?? {};
  return readShell(command, { language, cwd, inherited: { HOME: home, ...known } });
}
