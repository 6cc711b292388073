/** The command line of `toolgate rules suggest`. */
import { Option } from "commander";
import type { Command } from "commander";
import type { RulesSuggestFlags } from "../rules-suggest.js";
import { atLeastOne } from "./values.js";
import { SESSIONS_LEDGER } from "./ledger-option.js";

const DEFAULT_DAYS = 14;

export function addRulesSuggestCommand(rules: Command): void {
  rules
    .command("suggest")
    .summary("suggest rules from this project and from the record")
    .description(
      "suggest rules from the files of this project and from the record,\neach with its effect on the commands of the last days; in a terminal\nit asks about each, and nothing is added without a yes",
    )
    .option("--days <number>", "how far to look back", atLeastOne, DEFAULT_DAYS)
    .option(...SESSIONS_LEDGER)
    .option("--take <id...>", "add the suggestions with these ids for this project")
    .addOption(new Option("--json", "print JSON").conflicts(["take"]))
    .action(async (options: RulesSuggestFlags) => {
      const { showSuggestions } = await import("../rules-suggest.js");
      process.exitCode = await showSuggestions(options);
    });
}
