/**
 * Runs the ways out of a sandbox that are listed in a file, all in one command, and prints the names of those that got
 * out, with what the sandbox said, as JSON. Arguments: the workspace, the folder of the sandbox, the file, and "contained",
 * "staying" (in a sandbox that stays), "joining" (in one that reaches it) or "free". A child process, so that it can run as
 * another user.
 */
import { readFileSync } from "node:fs";
import { LocalWorkspace, openSandbox } from "../../src/tools/index.js";

const [root, folder, file, how] = process.argv.slice(2);
const marks = how === "free" ? /^\+/ : process.arch === "x64" ? /^[+-]/ : /^[+-]all/;
const lines = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => marks.test(line));
const tries = lines.map((line) => line.split("\t").slice(1));

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const script = tries
  .map(
    ([name, command]) =>
      `timeout 5 sh -c ${quoted(command)} </dev/null >/dev/null 2>&1 && echo ${quoted(`OUT ${name}`)}`,
  )
  .concat("echo ALL TRIED")
  .join("\n");

async function sandboxFor() {
  const sandbox = await openSandbox({ folder });
  return how === "contained" ? { sandbox } : { containing: sandbox };
}

const session = how === "staying" || how === "joining" ? { scratch: `${folder}/session` } : {};
const stays = { guards: [], stays: true };

const workspace = await LocalWorkspace.open(root, how === "free" ? {} : await sandboxFor());
let output = "";
const { OUT = "", PORT = "", BASE = "" } = process.env;
if (how === "joining")
  // The server goes on until this process ends.
  await workspace.runCommand("sleep 1000 & echo", {
    ...session,
    contained: stays,
    signal: new AbortController().signal,
    onOutput: () => {},
  });
await workspace.runCommand(script, {
  ...session,
  ...(how === "staying" && { contained: stays }),
  ...(how === "joining" && { contained: { guards: [] } }),
  env: { WS: root, OUT, PORT, BASE, PID: String(process.pid) },
  signal: new AbortController().signal,
  onOutput: (text) => (output += text),
});
if (!output.includes("ALL TRIED")) throw new Error(`not all ways were tried: ${output.slice(0, 2_000)}`);
const out = output.split("\n").filter((line) => line.startsWith("OUT "));
process.stdout.write(
  JSON.stringify({
    tried: tries.map(([name]) => name),
    out: out.map((line) => line.slice(4)),
    notes: output.split("\n").filter((line) => line.startsWith("[The sandbox")),
  }),
);
