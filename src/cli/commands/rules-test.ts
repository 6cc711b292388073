/** The command line of `toolgate rules test`. */
import { Option } from "commander";
import type { Command } from "commander";
import type { RulesTestFlags } from "../rules-test.js";
import { optionNeeds } from "./option-needs.js";
import { SHARED_LEDGER } from "./ledger-option.js";

export function addRulesTestCommand(rules: Command): void {
  const test = rules
    .command("test")
    .description(
      "show what the rules decide on a command, a path or a URL, and why;\nput the command after --",
    )
    .argument("[command...]", "one shell text, or the words of a command")
    .option("--rules <file>", "a file of rules (default: those in force here)")
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option(...SHARED_LEDGER)
    .option("--read <path>", "reading this file")
    .option("--write <path>", "writing this file")
    .option("--delete <path>", "deleting this file")
    .option("--url <url>", "asking for this address")
    .option("--tool <name>", "calling this tool")
    // Only the tool itself knows its intent, which it reads from its input.
    .addOption(new Option("--input <json>", "the tool's input").conflicts(["read", "write", "delete", "url"]))
    .option("--json", "print JSON")
    .addOption(
      // Each case of a batch has its own.
      new Option("--batch", "read cases from stdin as JSON, one a line, and answer one a line").conflicts([
        "rules",
        "cwd",
        "ledger",
        "read",
        "write",
        "delete",
        "url",
        "tool",
        "input",
      ]),
    )
    .action(async (words: string[], options: RulesTestFlags, command: Command) => {
      for (const name of ["batch", "input"] as const)
        if (words.length > 0 && options[name] !== undefined)
          command.error(`error: option '--${name}' cannot be used with a command`);
      const { testRules } = await import("../rules-test.js");
      process.exitCode = await testRules(words, options);
    });
  optionNeeds(test, ["--input"], ["--tool"]);
}
