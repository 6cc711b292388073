/** The command line of `toolgate models`. */
import type { Command } from "commander";

export function addModelsCommand(program: Command): void {
  program
    .command("models")
    .description("list the models that your keys reach")
    .option("--json", "write one JSON object")
    .action(async (flags: { readonly json?: boolean }) => {
      const { listModels } = await import("../models.js");
      process.exitCode = await listModels(flags);
    });
}
