/** The command line of `toolgate models`. */
import type { Command } from "commander";

export function addModelsCommand(program: Command): void {
  program
    .command("models")
    .description("list the models that the keys which are set can reach")
    .option("--json", "write one JSON object")
    .action(async (flags: { readonly json?: boolean }) => {
      const { listModels } = await import("../models.js");
      process.exitCode = await listModels(flags);
    });
}
