#!/usr/bin/env node
/*
 * The commands: what a person or a script starts by the name `toolgate`.
 *
 * This file only joins the commands to the process. What must stay true: what was asked for goes to
 * stdout and trouble to stderr; the exit code is 0 when it was done, 2 when it was not understood and
 * 1 for all else; a reader that has had enough (`toolgate demo | head -1`) is no trouble; an editor that starts its
 * agent is answered before the rest of the program is loaded.
 */
const [command, ...words] = process.argv.slice(2);

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // An agent whose editor is gone has calls to close first; it ends by itself.
    if (command === "acp") return;
    // Whoever read this has gone: nobody is left to write for.
    if (error.code === "EPIPE") process.exit();
    if (stream === process.stdout)
      process.stderr.write(`toolgate: the output could not be written (${error.message}).\n`);
    process.exit(1);
  });
}

const isForEditor = command === "acp" && !words.some((word) => /^(-h|--help|--listen)/.test(word));

const readFlags = async () => (await import("./program.js")).readAcpFlags(process.argv);

if (isForEditor) {
  const { serveEditor } = await import("./acp.js");
  await serveEditor(readFlags, { v2: words.includes("--acp-v2") });
} else {
  await (await import("./run-command.js")).runCommand(process.argv.slice(2));
}
