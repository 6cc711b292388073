/** Runs a command line and sets the exit code. */
import { createProgram } from "./create-program.js";
import { StoppedBySignal } from "./start-servers.js";
import { note } from "./stderr.js";
import { errorText } from "./error-text.js";

/** Commands of other programs, and ours for the same. */
const OURS_FOR = new Map([
  ["sessions", "toolgate history list"],
  ["login", "toolgate models (it names the variables for keys)"],
  ["version", "toolgate --version"],
  ["resume", "toolgate run --resume"],
]);

/** Without a command, the default command runs. */
export async function runCommand(given: readonly string[]): Promise<void> {
  try {
    // `toolgate help run` works like `toolgate run --help`, as in other programs.
    const words = given[0] === "help" ? [...given.slice(1), "--help"] : given;
    const [word] = words;
    const isNamed = word !== undefined && !word.startsWith("-");
    const program = createProgram({ isPageDefault: !isNamed });
    const isKnown = program.commands.some((command) => command.name() === word);
    // A user who named no command gets the help of the program, not of the default command.
    if (!isNamed)
      for (const command of program.commands)
        command.showHelpAfterError("Nothing was done. Try: toolgate --help");
    const ours = OURS_FOR.get(word ?? "");
    if (ours !== undefined && !isKnown) program.showHelpAfterError(`Nothing was done. Try: ${ours}`);
    // An unknown command is reported as unknown, also with --help.
    await program.parseAsync(isNamed && !isKnown ? [word] : words, { from: "user" });
  } catch (error) {
    // A signal needs no message; exit, because a question at the terminal may still be open.
    if (error instanceof StoppedBySignal) process.exit(error.exitCode);
    note(errorText(error));
    process.exitCode = 1;
  }
}
