// node tee.mjs FILE program words…: passes an agent's lines on and appends them to the file, as in test/fixtures/traffic.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file, program, ...words] = process.argv.slice(2);
const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
const keep = (dir, line) => appendFileSync(file, `${JSON.stringify({ dir, line })}\n`);
createInterface({ input: process.stdin })
  .on("line", (line) => {
    keep(">", line);
    child.stdin.write(`${line}\n`);
  })
  .on("close", () => child.stdin.end());
createInterface({ input: child.stdout }).on("line", (line) => {
  keep("<", line);
  process.stdout.write(`${line}\n`);
});
child.once("close", (code) => process.exit(code ?? 1));
