/** The command line of `toolgate completion`. */
import { Argument } from "commander";
import type { Command } from "commander";
import { completionScript, SHELLS } from "../completion.js";
import type { Shell } from "../completion.js";

export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .description("print a script that lets your shell complete commands and options")
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, program)));
}
