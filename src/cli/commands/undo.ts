/** The command line of `toolgate undo`. */
import type { Command } from "commander";
import { whole } from "./values.js";

export type UndoFlags = {
  readonly session?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly json?: boolean;
  readonly hunk?: readonly number[];
  readonly hunks?: boolean;
};

const hunkNumber = (text: string, before: readonly number[] = []): readonly number[] => [
  ...before,
  whole(text),
];

export function addUndoCommand(program: Command): void {
  program
    .command("undo")
    .argument("<call>", "the call's id, as the history shows it")
    .description("restore the files that a call changed, if they have not changed since")
    .option("--hunks", "only list the hunks of an edit, with their numbers")
    .option("--hunk <number...>", "restore only these hunks of an edit, and keep the others", hunkNumber)
    .option("--session <id>", "the session of the call (default: the newest of this folder)")
    .option(
      "--ledger <address>",
      "where sessions are stored: a file, or postgres://… (default: in your state folder)",
    )
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--json", "print JSON")
    .action(async (call: string, options: UndoFlags) => {
      const { undo } = await import("../undo.js");
      process.exitCode = await undo(call, options);
    });
}
