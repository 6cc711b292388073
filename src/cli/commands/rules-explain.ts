/** The command line of `toolgate rules explain`. */
import type { Command } from "commander";
import type { RulesExplainFlags } from "../rules-explain.js";
import { SHARED_LEDGER } from "./ledger-option.js";

export function addRulesExplainCommand(rules: Command): void {
  rules
    .command("explain")
    .summary("show why a command is allowed or asked about, word by word")
    .description(
      "show how each word of a command was read, the effects of each part,\nwhich rule decides or which doubt asks, and what would let it run\nunasked; put the command after --",
    )
    .argument("<command...>", "one shell text, or the words of a command")
    .option("--rules <file>", "a file of rules (default: those in force here)")
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option(...SHARED_LEDGER)
    .option("--json", "print JSON")
    .action(async (words: string[], options: RulesExplainFlags) => {
      const { explainRules } = await import("../rules-explain.js");
      process.exitCode = await explainRules(words, options);
    });
}
