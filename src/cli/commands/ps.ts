/** The command line of `toolgate ps`. */
import type { Command } from "commander";

export function addPsCommand(program: Command): void {
  program
    .command("ps")
    .description("the commands of agents that run now, also those in the background")
    .option(
      "--ledger <address>",
      "where sessions are stored: a file, or postgres://… (default: in your state folder)",
    )
    .option("--json", "print JSON")
    .action(async (options: { readonly ledger?: string; readonly json?: boolean }) => {
      const { ps } = await import("../ps.js");
      process.exitCode = await ps(options);
    });
}
