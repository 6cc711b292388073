/** Any command of the command line, from its words to its exit code. */
import { visibleText } from "../call/index.js";
import { createProgram } from "./program.js";
import { ToldToEnd } from "./start-servers.js";
import { tell } from "./tell.js";
import { troubleText } from "./trouble.js";

/** `word` is the first one; without any, the program's own choice runs. */
export async function runCommand(word: string | undefined): Promise<void> {
  try {
    const program = createProgram();
    const isKnown = program.commands.some((command) => command.name() === word);
    if (word !== undefined && !word.startsWith("-") && !isKnown) {
      tell(`there is no command "${visibleText(word)}". Nothing was done. Try: toolgate --help`);
      process.exit(2);
    }
    // Whoever named no command is not sent to the help of the one that runs then.
    if (!isKnown)
      for (const command of program.commands)
        command.showHelpAfterError("Nothing was done. Try: toolgate --help");
    await program.parseAsync();
  } catch (error) {
    // Whoever sent the signal knows; a question at the terminal may still be open.
    if (error instanceof ToldToEnd) process.exit(error.exitCode);
    tell(troubleText(error));
    process.exitCode = 1;
  }
}
