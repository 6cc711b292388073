/** The command line of `toolgate rules …`; those of `rules test` stand in rules-test.ts. */
import type { Command } from "commander";
import type * as Rules from "../rules.js";
import type { StoredSettings } from "../shared-settings.js";
import { SHARED_LEDGER } from "./ledger-option.js";
import { addRulesDescribeCommand } from "./rules-describe.js";
import { addRulesExplainCommand } from "./rules-explain.js";
import { addRulesSuggestCommand } from "./rules-suggest.js";
import { addRulesTestCommand } from "./rules-test.js";

type Flags = { readonly ledger?: string };

/** Runs a function of `toolgate rules` on the settings that `--ledger` names. */
async function run(
  { ledger }: Flags,
  work: (rules: typeof Rules, settings: StoredSettings) => number | Promise<number>,
): Promise<void> {
  const [rules, { withSettingsOf }] = await Promise.all([
    import("../rules.js"),
    import("../shared-settings.js"),
  ]);
  process.exitCode = await withSettingsOf(ledger, (settings) => work(rules, settings));
}

export function addRulesCommands(program: Command): void {
  const rules = program.command("rules").description("list, try, add and revoke rules").helpCommand(false);
  rules
    .command("list")
    .description("show the rules in force here, where each comes from, and what is remembered")
    .option(...SHARED_LEDGER)
    .action((flags: Flags) => run(flags, ({ listRules }, settings) => listRules(process.cwd(), settings)));
  rules
    .command("add")
    .argument("<rule>", 'as JSON: {"allow":"execute","command":"npm test"}')
    .description("remember a rule for this project")
    .option("--user", "for every project")
    .option(...SHARED_LEDGER)
    .action((json: string, { user = false, ...flags }: Flags & { user?: boolean }) =>
      run(flags, ({ addRule }, settings) => addRule(json, { user, cwd: process.cwd() }, settings)),
    );
  rules
    .command("revoke")
    .argument("<id>", "as `rules list` shows it, or the beginning of it")
    .description("revoke a remembered rule")
    .option(...SHARED_LEDGER)
    .action((grantId: string, flags: Flags) =>
      run(flags, ({ revokeRule }, settings) => revokeRule(grantId, settings)),
    );
  rules
    .command("check")
    .argument("<file>", "a file of rules")
    .description("look for mistakes in a file of rules, its examples included")
    .action((file: string) => run({}, ({ checkRules }) => checkRules(file)));
  rules
    .command("import")
    .argument("<file>", "fast-agent's auths.md")
    .description("remember fast-agent's permissions for this project")
    .option(...SHARED_LEDGER)
    .action((file: string, flags: Flags) =>
      run(flags, ({ importRules }, settings) => importRules(file, process.cwd(), settings)),
    );
  rules
    .command("trust")
    .description("trust .toolgate/rules.json of this project, as it is now: its rules may allow")
    .option(...SHARED_LEDGER)
    .action((flags: Flags) => run(flags, ({ trustRules }, settings) => trustRules(process.cwd(), settings)));
  addRulesTestCommand(rules);
  addRulesExplainCommand(rules);
  addRulesDescribeCommand(rules);
  addRulesSuggestCommand(rules);
}
