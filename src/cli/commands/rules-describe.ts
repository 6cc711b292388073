/** The command line of `toolgate rules describe`. */
import type { Command } from "commander";

export function addRulesDescribeCommand(rules: Command): void {
  rules
    .command("describe")
    .summary("draft a description of a program from its --help")
    .description(
      "draft a description of a program from its --help, for you to check;\nthis runs the program with --help, and writes nothing without --write",
    )
    .argument("<program...>", "a program, or a program and one of its subcommands")
    .option("--write", "write it into the folder programs of your settings")
    .action(async (words: string[], options: { readonly write?: boolean }) => {
      const { describeProgram } = await import("../rules-describe.js");
      process.exitCode = await describeProgram(words, options);
    });
}
