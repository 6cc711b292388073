/** The command line of `toolgate conformance`. */
import { Option } from "commander";
import type { Command } from "commander";
import type { ConformanceFlags } from "../conformance.js";
import { seconds, variable } from "./values.js";

const NO_COMMAND =
  "error: missing required argument 'command': the agent to test. Write toolgate conformance -- npx my-agent --acp";

export function addConformanceCommand(program: Command): void {
  program
    .command("conformance")
    .argument("[command...]", "the agent's command; put it after --")
    .description(
      "test any ACP agent against the protocol: list what passed, what failed,\nand what could not be tested",
    )
    .addOption(new Option("--protocol <version>", "the version of ACP").choices(["1", "2"]).default("1"))
    .option("--only <ids...>", "only these requirements, or those that begin so: ACP-INIT")
    .option("--list", "list the requirements, and test nothing")
    .option("--prompt <text>", "a prompt that makes the agent call tools and ask for permission")
    .option("--cancel-prompt <text>", "a prompt that lasts until it is cancelled")
    .option("--cwd <folder>", "the folder of the sessions (default: an empty one for each)")
    .option("--env <name=value>", "a variable for the agent; may be repeated", variable)
    .option("--auth-method <id>", "log in by this method of the agent before each session")
    .option("--timeout <seconds>", "how long an answer may take, a whole turn included", seconds, 30)
    .option("--json", "print JSON")
    .action(async (words: string[], options: ConformanceFlags) => {
      const { checkConformance, listRequirements } = await import("../conformance.js");
      if (options.list) return listRequirements(options);
      if (words.length === 0) program.error(NO_COMMAND, { code: "commander.missingArgument" });
      process.exitCode = await checkConformance(words, options);
    });
}
