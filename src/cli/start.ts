/*
 * The `toolgate` program.
 *
 * This file only connects the commands to the process. Invariants: results go to stdout and errors to stderr; the exit
 * code is 0 for success, 2 for wrong usage and 1 for any other failure; a reader that closes the pipe early
 * (`toolgate demo | head -1`) is not an error; an editor gets its first response before the rest of the program loads.
 */
const [command, ...words] = process.argv.slice(2);

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // An agent whose editor has left must close its calls first; it ends by itself.
    if (command === "acp") return;
    // The reader has closed the pipe.
    if (error.code === "EPIPE") process.exit();
    if (stream === process.stdout)
      process.stderr.write(`toolgate: the output could not be written (${error.message}).\n`);
    process.exit(1);
  });
}

const isForEditor = command === "acp" && !words.some((word) => /^(-h|--help|--listen)/.test(word));

const readFlags = async () => (await import("./create-program.js")).readAcpFlags(process.argv);

export async function start(): Promise<void> {
  if (isForEditor) {
    const { serveEditor } = await import("./acp.js");
    await serveEditor(readFlags, { v2: words.includes("--acp-v2") });
  } else {
    await (await import("./run-command.js")).runCommand(process.argv.slice(2));
  }
}
