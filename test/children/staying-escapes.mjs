/**
 * A server in a sandbox that stays lurks for the commands that join it, of its own session and of another one. Prints
 * what it got as JSON. Arguments: the workspace, the folder of the sandbox, the server's file, and the scratch folder.
 * With a fifth argument: prints "up" when the server runs, and waits to be killed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalWorkspace, openSandbox } from "../../src/tools/index.js";

const [root, folder, file, scratch, mark] = process.argv.slice(2);
const ROUNDS = 15;
const sandbox = await openSandbox({ folder });
const workspace = await LocalWorkspace.open(root, { containing: sandbox });
mkdirSync(scratch, { recursive: true });
const hits = join(scratch, "hits");
const { OUT = "" } = process.env;

async function run(command, { session = scratch, stays = false, env = {} } = {}) {
  let output = "";
  const exit = await workspace.runCommand(command, {
    scratch: session,
    contained: { guards: [], ...(stays && { stays: true }) },
    env: { OUT, WS: root, HITS: hits, ...env },
    signal: new AbortController().signal,
    onOutput: (text) => (output += text),
  });
  return { ...exit, output: output.trim() };
}

const hitsOf = () => [...new Set(readFileSync(hits, "utf8").split("\n").filter(Boolean))];
const notes = [];
if (mark !== undefined) {
  await run(
    `(setsid -f sleep ${mark}; exec -a toolgate-${mark} sleep ${mark}) > /dev/null 2>&1 & sleep 0.1`,
    {
      stays: true,
    },
  );
  process.stdout.write("up\n");
  setInterval(() => {}, 1_000);
} else {
  const started = await run(`node ${file} > /dev/null 2>&1 & echo $!`, { stays: true });
  if (started.exitCode !== 0) throw new Error(started.output);
  while (!existsSync(hits)) await new Promise((resolve) => setTimeout(resolve, 10));
  const connect = `node -e 'require("net").connect(4322, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(9))'`;
  const reached = await run(connect);
  const fromOther = await run(connect, { session: `${scratch}-other` });
  for (let round = 0; round < ROUNDS; round += 1) {
    await run("true", { env: { JOINER_SECRET: "1" } });
    await run("ps > /dev/null; true", { stays: true });
  }
  // A name that would act later, in the one place that a server can write.
  const planted = await run("mkdir -p dist/sub && echo x > dist/sub/.envrc && echo planted", { stays: true });
  notes.push(planted.output);
  const inTheWay = existsSync(join(root, "dist/sub/.envrc"));
  const got = hitsOf();
  // Its own kind it sees: so the lurker works.
  await run("sleep 0.3", { stays: true, env: { JOINER_SECRET: "1" } });
  const killed = await run(`kill ${started.output}`, { stays: true });
  while (sandbox.staying(scratch).isRunning) await new Promise((resolve) => setTimeout(resolve, 10));
  process.stdout.write(
    JSON.stringify({
      hits: got,
      ownKind: hitsOf(),
      seen: Number(readFileSync(`${hits}.seen`, "utf8")),
      reached: reached.exitCode,
      fromOther: fromOther.exitCode,
      killed: killed.exitCode,
      inTheWay,
      notes,
    }),
  );
}
writeFileSync(join(scratch, "ended"), "");
