/** The command line of `toolgate rules …`; those of `rules test` stand in rules-test.ts. */
import type { Command } from "commander";
import { addRulesDescribeCommand } from "./rules-describe.js";
import { addRulesExplainCommand } from "./rules-explain.js";
import { addRulesSuggestCommand } from "./rules-suggest.js";
import { addRulesTestCommand } from "./rules-test.js";

const theRules = () => import("../rules.js");

export function addRulesCommands(program: Command): void {
  const rules = program
    .command("rules")
    .description("see, try, remember and take back rules")
    .helpCommand(false);
  rules
    .command("list")
    .description("show the rules in force here, where each comes from, and what is remembered")
    .action(async () => {
      process.exitCode = (await theRules()).listRules(process.cwd());
    });
  rules
    .command("add")
    .argument("<rule>", 'as JSON: {"allow":"execute","command":"npm test"}')
    .description("remember a rule for this project")
    .option("--user", "for every project")
    .action(async (json: string, { user = false }: { user?: boolean }) => {
      process.exitCode = await (await theRules()).addRule(json, { user, cwd: process.cwd() });
    });
  rules
    .command("revoke")
    .argument("<id>", "as `rules list` shows it, or the beginning of it")
    .description("revoke a remembered rule")
    .action(async (grantId: string) => {
      process.exitCode = await (await theRules()).revokeRule(grantId);
    });
  rules
    .command("check")
    .argument("<file>", "a file of rules")
    .description("look for mistakes in a file of rules, its examples included")
    .action(async (file: string) => {
      process.exitCode = await (await theRules()).checkRules(file);
    });
  rules
    .command("import")
    .argument("<file>", "fast-agent's auths.md")
    .description("remember fast-agent's permissions for this project")
    .action(async (file: string) => {
      process.exitCode = await (await theRules()).importRules(file, process.cwd());
    });
  rules
    .command("trust")
    .description("let .toolgate/rules.json of this project allow, as it is now")
    .action(async () => {
      process.exitCode = await (await theRules()).trustRules(process.cwd());
    });
  addRulesTestCommand(rules);
  addRulesExplainCommand(rules);
  addRulesDescribeCommand(rules);
  addRulesSuggestCommand(rules);
}
