/** Any command of the command line, from its words to its exit code. */
import { createProgram } from "./program.js";
import { StoppedBySignal } from "./start-servers.js";
import { note } from "./stderr.js";
import { errorText } from "./error-text.js";

/** Without a command among the words, the program's own choice runs. */
export async function runCommand(given: readonly string[]): Promise<void> {
  try {
    // As other programs have it too.
    const words = given[0] === "help" ? [...given.slice(1), "--help"] : given;
    const [word] = words;
    const isNamed = word !== undefined && !word.startsWith("-");
    const program = createProgram({ isDemoUsual: !isNamed });
    const isKnown = program.commands.some((command) => command.name() === word);
    // Whoever named no command is not sent to the help of the one that runs then.
    if (!isNamed)
      for (const command of program.commands)
        command.showHelpAfterError("Nothing was done. Try: toolgate --help");
    // By itself, a command that is not known is told as that, also where its help is asked for.
    await program.parseAsync(isNamed && !isKnown ? [word] : words, { from: "user" });
  } catch (error) {
    // Whoever sent the signal knows; a question at the terminal may still be open.
    if (error instanceof StoppedBySignal) process.exit(error.exitCode);
    note(errorText(error));
    process.exitCode = 1;
  }
}
