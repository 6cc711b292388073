/** The command line of `toolgate ps`. */
import type { Command } from "commander";
import { SESSIONS_LEDGER } from "./ledger-option.js";

export function addPsCommand(program: Command): void {
  program
    .command("ps")
    .description("list the commands of agents that run now, also in the background")
    .option(...SESSIONS_LEDGER)
    .option("--json", "print JSON")
    .action(async (options: { readonly ledger?: string; readonly json?: boolean }) => {
      const { ps } = await import("../ps.js");
      process.exitCode = await ps(options);
    });
}
