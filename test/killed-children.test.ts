/** Toolgate is killed with -9: nothing that it started stays, however that has hidden itself. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "./agent-kit.js";
import { atHome, command } from "./cli-kit.js";
import { isAlive } from "./is-alive.js";
import { until } from "./until.js";

const starter = fileURLToPath(new URL("children/start-trees.mjs", import.meta.url));
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

const NOTE_AND_SLEEP = `echo $$ >> "$NOTES"; exec sleep 300`;
const HIDDEN = `env -i NOTES="$NOTES" setsid sh -c '${NOTE_AND_SLEEP}' > /dev/null 2>&1 < /dev/null`;

test.skipIf(process.platform !== "linux")("ends children, however they hide, within moments", async () => {
  const { notes, pids } = await noted();
  const scripts = [
    // In its group, in a session of its own, and as an orphan there.
    `sh -c '${NOTE_AND_SLEEP}' & ${NOTE_AND_SLEEP}`,
    `setsid sh -c '${NOTE_AND_SLEEP}' & sleep 300`,
    `(setsid sh -c '${NOTE_AND_SLEEP}' &); sleep 300`,
    // Without its mark in the environment, as an orphan in a session of its own.
    `(${HIDDEN} &); sleep 300`,
    // The leader has exited, and the tree was not released.
    `trap "" HUP TERM INT; setsid sh -c '${NOTE_AND_SLEEP}' > /dev/null 2>&1 & exit 0`,
  ];
  const { program, ways } = await start([notes, ...scripts]);
  await until(() => pids().length === ways * 6);
  expect(pids().filter(isAlive)).toEqual(pids());
  program.kill("SIGKILL");
  await until(() => !pids().some(isAlive), () => String(pids().filter(isAlive)));
});

test("leaves a background process of a command that ended by itself", async () => {
  const { notes, pids } = await noted();
  const left = `setsid sh -c '${NOTE_AND_SLEEP}' > /dev/null 2>&1 &`;
  const hidden = `(${HIDDEN} &)`;
  const { program, ways } = await start([notes, `released:${left}`, `released:${hidden}`, NOTE_AND_SLEEP]);
  await until(() => pids().length === 2 + ways);
  const guardian = childrenOf(program.pid ?? 0).find((pid) => commandOf(pid).includes("toolgate-guardian"));
  program.kill("SIGKILL");
  await until(() => pids().filter(isAlive).length <= 2);
  // When it has gone, it has done all that it does.
  await until(() => guardian === undefined || !isAlive(guardian));
  expect(pids().filter(isAlive)).toHaveLength(2);
});

test("ends children also when the whole process group is killed", async () => {
  const { notes, pids } = await noted();
  const { program, ways } = await start([notes, `setsid sh -c '${NOTE_AND_SLEEP}' & sleep 300`], true);
  await until(() => pids().length === ways);
  process.kill(-(program.pid ?? 0), "SIGKILL");
  await until(() => !pids().some(isAlive));
});

test("guards again when its guardian was killed", async () => {
  const { notes, pids } = await noted();
  const { program, ways } = await start([notes, NOTE_AND_SLEEP]);
  await until(() => pids().length === ways);
  const [guardian = 0] = childrenOf(program.pid ?? 0).filter((pid) => commandOf(pid).includes("toolgate-guardian"));
  process.kill(guardian, "SIGKILL");
  const isGuarded = () =>
    childrenOf(program.pid ?? 0).some((pid) => pid !== guardian && commandOf(pid).includes("toolgate-guardian"));
  await until(isGuarded);
  program.kill("SIGKILL");
  await until(() => !pids().some(isAlive));
});

test("toolgate run takes its command, its MCP server and its guardian with it", async () => {
  const at = await atHome();
  const { notes, pids } = await noted();
  const server = { command: "sh", args: ["-c", `setsid sh -c 'echo $$ >> ${notes}; exec sleep 300' & sleep 300`] };
  const mcp = join(at.home, "m.json");
  writeFileSync(mcp, JSON.stringify({ mcpServers: { slow: server } }));
  const script = at.script([
    { calls: [command(`setsid sh -c 'echo $$ >> ${notes}; exec sleep 300' & echo $$ >> ${notes}; sleep 300`)] },
  ]);
  const env = { HOME: at.home, XDG_CONFIG_HOME: join(at.home, "config"), XDG_STATE_HOME: at.home };
  const words = ["run", "--mode", "allow-all", "--script", script, "go"];
  const program = spawn(process.execPath, [main, ...words], { cwd: at.project, env: { ...process.env, ...env } });
  onTestFinished(() => void program.kill("SIGKILL"));
  await until(() => pids().length === 2);
  const started = childrenOf(program.pid ?? 0);
  program.kill("SIGKILL");
  await until(() => ![...pids(), ...started].some(isAlive));
});

/** A file where processes note their pids; they end with the test at the latest. */
async function noted() {
  const notes = join(await folder(), "notes");
  writeFileSync(notes, "");
  const pids = () => readFileSync(notes, "utf8").split("\n").filter(Boolean).map(Number);
  onTestFinished(() => {
    for (const pid of pids()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return { notes, pids };
}

/** Starts the child that starts trees; resolves with the number of ways in which it starts each. */
async function start(words: readonly string[], detached = false) {
  const program = spawn(process.execPath, [starter, ...words], { detached, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void program.kill("SIGKILL"));
  const ways = await new Promise<number>((resolve) => {
    program.stdout.once("data", (bytes: Buffer) => resolve(Number(bytes)));
  });
  return { program, ways };
}

function childrenOf(pid: number): readonly number[] {
  return execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(Number);
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");
