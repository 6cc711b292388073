/** The command line of `toolgate config`. */
import type { Command } from "commander";

export function addConfigCommand(program: Command): void {
  program
    .command("config")
    .description("show the settings of this folder, and where each comes from")
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--json", "print JSON")
    .action(async (options: { cwd?: string; json?: boolean }) => {
      const { showConfig } = await import("../config.js");
      process.exitCode = await showConfig(options);
    });
}
