// Runs command lines of the program one after the other, in one process. Each is announced by a line `<mark> <number>`.
// Usage: command-lines.mjs <file with an array of lists of words> <mark>
import { readFileSync } from "node:fs";
import { runCommand } from "../../src/cli/run-command.js";

const [file, mark] = process.argv.slice(2);
let hasExited = false;
process.exit = () => {
  hasExited = true;
  throw new Error("exit");
};
const write = process.stderr.write.bind(process.stderr);
// The error that stands for an exit is no part of the output.
process.stderr.write = (...args) => hasExited || write(...args);

for (const [index, words] of JSON.parse(readFileSync(file, "utf8")).entries()) {
  process.stdout.write(`${mark} ${index}\n`);
  hasExited = false;
  await runCommand(words);
}
