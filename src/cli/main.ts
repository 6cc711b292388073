#!/usr/bin/env node
/*
 * The commands: what a person or a script starts by the name `toolgate`.
 *
 * This file only joins `runCli` to the process. What must stay true: output goes to stdout, trouble to
 * stderr; the exit code is 0 when what was asked for was done, 2 when it was not understood, 1 for
 * all else; a reader that has had enough (`toolgate | head -1`) is no trouble.
 */
import { runCli } from "./run-cli.js";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever read this has gone: nobody is left to write for.
    if (error.code === "EPIPE") process.exit();
    if (stream === process.stdout) {
      process.stderr.write(`toolgate: the output could not be written (${error.message}).\n`);
    }
    process.exit(1);
  });
}

process.exitCode = runCli(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
