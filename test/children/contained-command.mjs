// Runs one contained command and waits to be killed. Usage: contained-command.mjs <workspace> <state folder> <command>
import { LocalWorkspace, openSandbox } from "../../src/tools/index.js";

const [root, folder, command] = process.argv.slice(2);
const workspace = await LocalWorkspace.open(root, { containing: await openSandbox({ folder }) });
await workspace.runCommand(command, {
  signal: new AbortController().signal,
  onOutput: (text) => process.stdout.write(text),
  contained: { guards: [] },
});
