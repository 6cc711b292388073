// A process that starts programs in every way that there is, and waits to be killed. Each program writes its pid into
// the file. Usage: start-trees.mjs <file> <script of sh> …; a script that begins with "released:" is let go of.
import { loadPty, startChildWithStdin, startInTerminal, startWithPipes } from "../../src/process/index.js";

const [notes, ...scripts] = process.argv.slice(2);
const env = { ...process.env, NOTES: notes };
const onText = () => undefined;
const spawnInPty = await loadPty();
for (const script of scripts) {
  if (script.startsWith("released:")) {
    const program = startWithPipes(["/bin/sh", "-c", script.slice("released:".length)], { env, onText });
    await program.exit;
    program.tree?.release();
  } else {
    startWithPipes(["/bin/sh", "-c", script], { env, onText });
    startChildWithStdin(["sh", "-c", script], { env });
    if (spawnInPty) startInTerminal(spawnInPty, ["sh", "-c", script], { env, onText, columns: 80, rows: 24 });
  }
}
process.stdout.write(`${spawnInPty ? 3 : 2}\n`);
// A line for each turn of the event loop that is over.
setInterval(() => process.stdout.write("on\n"), 50);
