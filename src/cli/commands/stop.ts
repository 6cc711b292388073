/** The command line of `toolgate stop`. */
import type { Command } from "commander";
import { SESSIONS_LEDGER } from "./ledger-option.js";

export type StopFlags = {
  readonly session?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly json?: boolean;
};

export function addStopCommand(program: Command): void {
  program
    .command("stop")
    .argument("<call>", "the call's id, as the history shows it")
    .description("end a command that runs in the background or after a crash, with all that it started")
    .option("--session <id>", "the session of the call (default: the newest of this folder)")
    .option(...SESSIONS_LEDGER)
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--json", "print JSON")
    .action(async (call: string, options: StopFlags) => {
      const { stop } = await import("../stop.js");
      process.exitCode = await stop(call, options);
    });
}
