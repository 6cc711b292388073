/** The command line of `toolgate demo`, which runs when no command is named. */
import type { Command } from "commander";
import type { DemoFlags } from "../demo.js";
import { milliseconds } from "./values.js";

export function addDemoCommand(program: Command, { isDefault }: { readonly isDefault: boolean }): void {
  program
    .command("demo", { isDefault })
    .description(
      "watch an agent find and fix a failing test in a sample project;\nit needs no key, and asks before it edits",
    )
    .option("-y, --yes", "answer the question with yes, for when nobody watches")
    .option("--pause <milliseconds>", "how long the scripted model takes for a word", milliseconds)
    .action(async (options: DemoFlags) => {
      const { runDemo } = await import("../demo.js");
      process.exitCode = await runDemo(options);
    });
}
