/** The command line of `toolgate stats`. */
import { Option } from "commander";
import type { Command } from "commander";
import { whole } from "./values.js";
import { SESSIONS_LEDGER } from "./ledger-option.js";

export function addStatsCommand(program: Command): void {
  program
    .command("stats")
    .description(
      "count tool calls, how they ended, who decided, and how long they took;\nby model: the tokens used, and their cost where the price is known",
    )
    .addOption(
      new Option("--by <what>", "one line for each")
        .choices(["tool", "kind", "agent", "day", "rule", "model"])
        .default("tool"),
    )
    .option("--days <number>", "only the last days", whole)
    .option("--cwd <folder>", "only sessions of this folder")
    .option(...SESSIONS_LEDGER)
    .option("--json", "print JSON")
    .action(async (options) => {
      const { showStats } = await import("../stats.js");
      process.exitCode = await showStats(options);
    });
}
