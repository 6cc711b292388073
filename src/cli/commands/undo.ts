/** The command line of `toolgate undo`. */
import type { Command } from "commander";
import { whole } from "./values.js";
import { SESSIONS_LEDGER } from "./ledger-option.js";

export type UndoFlags = {
  readonly session?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly json?: boolean;
  readonly hunk?: readonly number[];
  readonly hunks?: boolean;
  readonly turns?: number;
};

const hunkNumber = (text: string, before: readonly number[] = []): readonly number[] => [
  ...before,
  whole(text),
];

export function addUndoCommand(program: Command): void {
  program
    .command("undo")
    .argument("[call]", "the call's id, as the history shows it (default: all calls of the last turn)")
    .description("restore the files that a call or a turn changed, if they have not changed since")
    .option(
      "--turns <number>",
      "without a call: restore the files of so many turns, the last one first",
      whole,
    )
    .option("--hunks", "only list the hunks of an edit, with their numbers")
    .option("--hunk <number...>", "restore only these hunks of an edit, and keep the others", hunkNumber)
    .option("--session <id>", "the session of the call (default: the newest of this folder)")
    .option(...SESSIONS_LEDGER)
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--json", "print JSON")
    .action(async (call: string | undefined, options: UndoFlags, command: Command) => {
      if (call !== undefined && options.turns !== undefined)
        command.error("error: give a call or --turns, not both. Nothing was restored.");
      if (call === undefined && (options.hunks || options.hunk))
        command.error("error: hunks are of one call: name the call. Nothing was restored.");
      const { undo } = await import("../undo.js");
      process.exitCode = await undo(call, options);
    });
}
