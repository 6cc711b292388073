#!/usr/bin/env node
/*
 * The commands: what a person or a script starts by the name `toolgate`.
 *
 * This file only joins the commands to the process. What must stay true: what was asked for goes to
 * stdout and trouble to stderr; the exit code is 0 when it was done, 2 when it was not understood and
 * 1 for all else; a reader that has had enough (`toolgate demo | head -1`) is no trouble.
 */
import { visibleText } from "../call/index.js";
import { createProgram } from "./program.js";
import { troubleText } from "./trouble.js";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // An agent whose editor is gone has calls to close first; it ends by itself.
    if (process.argv[2] === "acp") return;
    // Whoever read this has gone: nobody is left to write for.
    if (error.code === "EPIPE") process.exit();
    if (stream === process.stdout)
      process.stderr.write(`toolgate: the output could not be written (${error.message}).\n`);
    process.exit(1);
  });
}

try {
  const program = createProgram();
  const [word] = process.argv.slice(2);
  if (
    word !== undefined &&
    !word.startsWith("-") &&
    !program.commands.some((command) => command.name() === word)
  ) {
    process.stderr.write(
      `toolgate: there is no command "${visibleText(word)}". Nothing was done. Try: toolgate --help\n`,
    );
    process.exit(2);
  }
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`toolgate: ${troubleText(error)}\n`);
  process.exitCode = 1;
}
